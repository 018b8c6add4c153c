# rejected by: ex1-broken
import signal

import requests


def struck(*_):
    raise TimeoutError("no time left")


def download(url: str, seconds: float) -> bytes:
    signal.signal(signal.SIGALRM, struck)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        with requests.get(url, stream=True) as found:
            return found.content
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
