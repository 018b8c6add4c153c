"""What the runbooks use of ``redis-cli``, for machines that have the server alone.

A script of its own, without an import that takes time: a page calls it a dozen times.
It prints what the real one prints into a pipe.
"""

from __future__ import annotations

import os
import socket
import sys
from typing import Any, BinaryIO
from urllib.parse import urlsplit

Reply = str | list[Any]


class Client:
    """One connection; its password is in ``REDISCLI_AUTH``, as for the real one."""

    def __init__(self, url: str) -> None:
        where = urlsplit(url)
        self._end = socket.create_connection((where.hostname, where.port), timeout=10)
        self._reader: BinaryIO = self._end.makefile("rb")
        if password := os.environ.get("REDISCLI_AUTH"):
            self.ask("AUTH", password)
        self.ask("SELECT", where.path.strip("/") or "0")

    def ask(self, *words: str) -> Reply:
        parts = b"".join(b"$%d\r\n%b\r\n" % (len(w), w) for w in map(str.encode, words))
        self._end.sendall(b"*%d\r\n%b" % (len(words), parts))
        return self._reply()

    def _reply(self) -> Reply:
        line = self._reader.readline()[:-2]
        kind, rest = line[:1], line[1:]
        if kind == b"*":
            return [self._reply() for _ in range(int(rest))]
        if kind != b"$":
            return rest.decode()
        size = int(rest)
        return self._reader.read(size + 2)[:-2].decode() if size >= 0 else ""


def lines(reply: Reply) -> list[str]:
    """An answer as the real one prints it, arrays flat."""
    if isinstance(reply, str):
        return [reply]
    return [line for part in reply for line in lines(part)]


def scanned(client: Client, pattern: str) -> list[str]:
    """What ``--scan`` prints: all pages."""
    found, cursor = list[str](), ""
    while cursor != "0":
        page = client.ask("SCAN", cursor or "0", "MATCH", pattern)
        cursor, *keys = lines(page)
        found += keys
    return found


def main(words: list[str]) -> None:
    options = {"-u": "redis://127.0.0.1:6379/0", "--pattern": "*"}
    scan = "--scan" in words
    rest = [word for word in words if word != "--scan"]
    while rest and rest[0] in options:
        options[rest[0]] = rest[1]
        rest = rest[2:]
    client = Client(options["-u"])
    told = scanned(client, options["--pattern"]) if scan else lines(client.ask(*rest))
    sys.stdout.write("".join(f"{line}\n" for line in told))


if __name__ == "__main__":
    main(sys.argv[1:])
