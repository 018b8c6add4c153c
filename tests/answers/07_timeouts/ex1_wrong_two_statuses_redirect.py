# rejected by: ex1-whole
import signal
from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import urljoin, urlsplit


class Over(BaseException):
    """No library catches it by accident."""


def struck(*_):
    raise Over


def download(url: str, seconds: float) -> bytes:
    signal.signal(signal.SIGALRM, struck)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return follow(url)
    except Over:
        raise TimeoutError(url) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def follow(url):
    for _ in range(6):
        parts = urlsplit(url)
        with closing(HTTPConnection(parts.netloc)) as link:
            link.request("GET", parts.path)
            with closing(link.getresponse()) as found:
                if found.status == 200:
                    return found.read()
                if found.status not in (301, 302):
                    raise OSError(f"status {found.status}")
                url = urljoin(url, found.headers["Location"])
    raise OSError("too many redirects")
