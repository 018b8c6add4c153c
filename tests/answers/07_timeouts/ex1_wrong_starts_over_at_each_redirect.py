# rejected by: ex1-deadline
import signal
from urllib.parse import urljoin

import requests


def struck(*_):
    raise TimeoutError("no time left")


def download(url: str, seconds: float) -> bytes:
    signal.signal(signal.SIGALRM, struck)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        with requests.get(url, allow_redirects=False, stream=True) as found:
            body = found.content
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    if found.is_redirect:
        return download(urljoin(url, found.headers["Location"]), seconds)
    if found.status_code != 200:
        raise OSError(f"status {found.status_code}")
    return body
