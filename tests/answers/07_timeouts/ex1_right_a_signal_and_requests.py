import signal

import requests


class Over(BaseException):
    """No library catches it by accident."""


def struck(*_):
    raise Over


def download(url: str, seconds: float) -> bytes:
    before = signal.signal(signal.SIGALRM, struck)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        with requests.Session() as session, session.get(url, stream=True) as found:
            found.raise_for_status()
            body = found.content
        signal.setitimer(signal.ITIMER_REAL, 0)
    except Over:
        raise TimeoutError(url) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return body
