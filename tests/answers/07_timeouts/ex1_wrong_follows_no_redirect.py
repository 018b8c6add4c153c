# rejected by: ex1-whole
import signal

import requests


def struck(*_):
    raise TimeoutError("no time left")


def download(url: str, seconds: float) -> bytes:
    signal.signal(signal.SIGALRM, struck)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        with requests.get(url, stream=True, allow_redirects=False) as found:
            if found.status_code != 200:
                raise OSError(f"status {found.status_code}")
            return found.content
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
