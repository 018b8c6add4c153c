# rejected by: ex1-whole
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
            found.raise_for_status()
            body = found.content
    except Over:
        raise TimeoutError(url) from None
    signal.setitimer(signal.ITIMER_REAL, 0)
    return body
