# rejected by: ex1-deadline
import socket
from contextlib import closing, suppress
from http.client import HTTPConnection
from threading import Timer
from time import monotonic
from urllib.parse import urljoin, urlsplit


def download(url: str, seconds: float) -> bytes:
    end = monotonic() + seconds
    while True:
        status, location, body = ask(url, end - monotonic())
        if status == 200:
            return body
        if location is None:
            raise OSError(f"status {status}")
        url = urljoin(url, location)


def ask(url, left):
    if left <= 0:
        raise TimeoutError("no time left")
    parts = urlsplit(url)
    with closing(HTTPConnection(parts.netloc, timeout=left)) as link:
        link.connect()
        alarm = Timer(left, shut, [link.sock])
        alarm.start()
        try:
            link.request("GET", parts.path)
            found = link.getresponse()
            return found.status, found.getheader("Location"), found.read()
        finally:
            alarm.cancel()


def shut(connection):
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
