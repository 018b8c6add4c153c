# rejected by: ex1-whole
import socket
from time import monotonic
from urllib.parse import urljoin, urlsplit

clock = {}


def left(seconds):
    """What is left; the end is computed once."""
    found = clock.setdefault("end", monotonic() + seconds) - monotonic()
    if found <= 0:
        raise TimeoutError("no time left")
    return found


def download(url: str, seconds: float) -> bytes:
    while True:
        status, heads, body = ask(url, seconds)
        if status == "200" and len(body) == int(heads["content-length"]):
            return body
        if "location" not in heads:
            raise OSError(f"status {status}, {len(body)} bytes")
        url = urljoin(url, heads["location"])


def ask(url, seconds):
    parts, got = urlsplit(url), b""
    with socket.create_connection((parts.hostname, parts.port), left(seconds)) as link:
        link.sendall(f"GET {parts.path} HTTP/1.0\r\nHost: {parts.netloc}\r\n\r\n".encode())
        while True:
            link.settimeout(left(seconds))
            more = link.recv(65536)
            if not more:
                break
            got += more
    head, _, body = got.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.split(":", 1) for line in lines)
    return first.split()[1], {name.lower(): value.strip() for name, value in pairs}, body
