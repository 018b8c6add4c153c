# rejected by: ex1-deadline
import signal
from time import monotonic

import requests


class Over(BaseException):
    pass


def struck(*_):
    raise Over


def download(url: str, seconds: float) -> bytes:
    signal.signal(signal.SIGALRM, struck)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        found = requests.get(url, stream=True, timeout=seconds)
    except Over:
        raise TimeoutError(url) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    end, body = monotonic() + seconds, b""
    with found:
        if found.status_code != 200:
            raise OSError(found.status_code)
        while chunk := found.raw.read1(65536):
            body += chunk
            if monotonic() > end:
                raise TimeoutError(url)
    return body
