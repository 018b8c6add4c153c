import socket
from time import monotonic
from urllib.parse import urljoin, urlsplit


def download(url: str, seconds: float) -> bytes:
    end = monotonic() + seconds
    for _ in range(6):
        status, heads, body = ask(url, end)
        if status == "200" and len(body) == int(heads["content-length"]):
            return body
        if "location" not in heads:
            raise OSError(f"status {status}, {len(body)} bytes")
        url = urljoin(url, heads["location"])
    raise OSError("too many redirects")


def left(end):
    found = end - monotonic()
    if found <= 0:
        raise TimeoutError("no time left")
    return found


def ask(url, end):
    parts, got = urlsplit(url), bytearray()
    with socket.create_connection((parts.hostname, parts.port), left(end)) as link:
        link.sendall(f"GET {parts.path} HTTP/1.0\r\nHost: {parts.netloc}\r\n\r\n".encode())
        while True:
            link.settimeout(left(end))
            more = link.recv(65536)
            if not more:
                break
            got += more
    head, _, body = bytes(got).partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.split(":", 1) for line in lines)
    return first.split()[1], {name.lower(): value.strip() for name, value in pairs}, body
