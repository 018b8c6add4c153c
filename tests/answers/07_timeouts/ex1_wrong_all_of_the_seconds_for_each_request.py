# rejected by: ex1-deadline
import socket
from contextlib import closing, suppress
from http.client import HTTPConnection
from threading import Timer
from time import monotonic
from urllib.parse import urljoin, urlsplit


def shut(sock):
    with suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)


def download(url: str, seconds: float) -> bytes:
    end = monotonic() + seconds
    while monotonic() < end:
        parts = urlsplit(url)
        began = monotonic()
        with closing(HTTPConnection(parts.netloc, timeout=seconds)) as link:
            link.connect()
            sock = link.sock
            alarm = Timer(seconds, shut, [sock])
            alarm.start()
            try:
                link.request("GET", parts.path)
                found = link.getresponse()
                body = found.read()
                if monotonic() - began >= seconds:
                    raise TimeoutError("cut")
            finally:
                alarm.cancel()
                shut(sock)
        if found.status == 200:
            return body
        if not found.getheader("Location"):
            raise OSError(found.status)
        url = urljoin(url, found.getheader("Location"))
    raise TimeoutError("no time left")
