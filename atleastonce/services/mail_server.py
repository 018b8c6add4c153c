"""The mail catcher: accepts every mail, keeps it, and misbehaves on demand.

Run as ``python -m atleastonce.services.mail_server --port 2525 --control-port 8025``;
it reads the lab file. SMTP on one port; on the other, for who shows the lab's secret
in ``X-Lab-Secret``:

| request | what |
| --- | --- |
| ``GET /messages`` | the mails, oldest first |
| ``DELETE /messages`` | forget them |
| ``POST /knobs`` | ``{"lose_replies": n}``, ``{"delay": seconds}`` |
| ``POST /cut`` | close all SMTP connections |

``NOOP attempt=<task id>;<n>`` ties the next mail on that connection to an attempt of a
message. Mails are kept in a file too, so that a crash loses none.
"""

from __future__ import annotations

import argparse
import asyncio
from email import message_from_bytes, policy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aiosmtpd.smtp import SMTP, Envelope, Session

from atleastonce.eventlog import EventLog
from atleastonce.services.mail_control import Control, Knobs, Mailbox
from atleastonce.services.ports import HOST
from atleastonce.settings import Settings

if TYPE_CHECKING:
    from atleastonce.addresses import Addresses


class Connection(SMTP):
    """One client's connection, and the attempt that its next mail comes from."""

    def __init__(self, catcher: Catcher) -> None:
        # A name of its own: aiosmtpd would ask the resolver for ours, which may hang.
        super().__init__(catcher, hostname="mail", enable_SMTPUTF8=True)
        self._connections = catcher.connections
        self.attempt = ("", 0)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is here."""
        self._connections.add(self)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        """The client is gone, or was cut."""
        self._connections.discard(self)
        super().connection_lost(error)

    def abort(self) -> None:
        """Close the connection, now; what was not sent yet is lost."""
        if self.transport is not None:
            self.transport.abort()  # type: ignore[attr-defined] # a TCP transport's


class Catcher:
    """What happens to a mail; aiosmtpd calls its ``handle_`` methods."""

    def __init__(self, mailbox: Mailbox, knobs: Knobs, events: EventLog) -> None:
        self._mailbox, self._knobs, self._events = mailbox, knobs, events
        self.connections: set[Connection] = set()
        self._keeping: set[asyncio.Task[None]] = set()

    async def handle_NOOP(  # noqa: N802 - aiosmtpd's name
        self, server: Connection, _session: Session, _envelope: Envelope, arg: str
    ) -> str:
        """Remember which attempt the next mail on this connection comes from."""
        message, _, number = (arg or "").removeprefix("attempt=").rpartition(";")
        if message and number.isdigit():
            server.attempt = (message, int(number))
        return "250 OK"

    async def handle_DATA(  # noqa: N802 - aiosmtpd's name
        self, server: Connection, _session: Session, envelope: Envelope
    ) -> str:
        """Keep the mail; then answer, unless the answer is to be lost."""
        tie, server.attempt = server.attempt, ("", 0)
        keeping = asyncio.create_task(self._keep(parsed(envelope), *tie))
        self._keeping.add(keeping)
        keeping.add_done_callback(self._keeping.discard)
        # A client that hangs up early cancels us; the mail it sent counts all the same.
        await asyncio.shield(keeping)
        if self._knobs.take_loss():
            server.abort()
        return "250 OK"

    async def _keep(self, mail: dict[str, Any], message: str, attempt: int) -> None:
        await asyncio.sleep(self._knobs.delay)
        self._mailbox.add(mail | {"message": message, "attempt": attempt})
        text = f"mail to {mail['to']}: {mail['subject']}"
        self._events.write("mail", "effect", text, message=message, attempt=attempt)


def parsed(envelope: Envelope) -> dict[str, Any]:
    """What a reader of the mail sees of it."""
    content = envelope.content or b""
    raw = content.encode() if isinstance(content, str) else content
    mail = message_from_bytes(raw, policy=policy.default)
    part = mail.get_body(("plain", "html"))
    body = str(part.get_content()) if part else ""
    return {
        "to": ", ".join(str(to) for to in envelope.rcpt_tos),
        "subject": str(mail["subject"] or ""),
        "body": body.replace("\r\n", "\n").rstrip("\n"),
    }


async def serve(addresses: Addresses, host: str, port: int, control_port: int) -> None:
    """Serve both ports until killed."""
    mailbox, knobs = Mailbox(Path(addresses.folder, "mails.jsonl")), Knobs()
    catcher = Catcher(mailbox, knobs, EventLog(addresses.events))
    loop = asyncio.get_running_loop()

    def cut() -> None:
        for connection in list(catcher.connections):
            loop.call_soon_threadsafe(connection.abort)

    control = Control(mailbox, knobs, cut, addresses.secret)
    server = await loop.create_server(lambda: Connection(catcher), host, port)
    control.start(host, control_port)
    await server.serve_forever()


def main() -> None:
    """Read the command line and the lab file, and serve."""
    parser = argparse.ArgumentParser(prog="python -m atleastonce.services.mail_server")
    parser.add_argument("--host", default=HOST)  # another one in a container only
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--control-port", type=int, required=True)
    asked = parser.parse_args()
    addresses = Settings.from_env().addresses()
    asyncio.run(serve(addresses, asked.host, asked.port, asked.control_port))


if __name__ == "__main__":
    main()
