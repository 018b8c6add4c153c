# rejected by: ex1-broken
import socket
from time import monotonic
from urllib.parse import urljoin, urlsplit


def download(url: str, seconds: float) -> bytes:
    end = monotonic() + seconds
    while True:
        head, body = ask(url, end)
        lines = head.decode().split("\r\n")
        if lines[0].split()[1] == "200":
            return body
        places = [line[10:] for line in lines if line.startswith("Location: ")]
        if not places:
            raise OSError(lines[0])
        url = urljoin(url, places[0])


def ask(url, end):
    parts, got = urlsplit(url), b""
    with socket.create_connection((parts.hostname, parts.port), end - monotonic()) as link:
        link.sendall(f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
        while True:
            left = end - monotonic()
            if left <= 0:
                raise TimeoutError("no time left")
            link.settimeout(left)
            more = link.recv(65536)
            if not more:
                head, _, body = got.partition(b"\r\n\r\n")
                return head, body
            got += more
