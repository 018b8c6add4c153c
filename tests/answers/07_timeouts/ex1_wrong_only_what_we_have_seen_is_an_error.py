# rejected by: ex1-broken
import signal

import requests


class Over(BaseException):
    """No library catches it by accident."""


def struck(*_):
    raise Over


def download(url: str, seconds: float) -> bytes:
    signal.signal(signal.SIGALRM, struck)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        with requests.get(url, stream=True) as found:
            if found.status_code >= 500:
                raise OSError(f"status {found.status_code}")
            return found.content
    except Over:
        raise TimeoutError(url) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
