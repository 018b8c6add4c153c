# rejected by: ex1-whole
import signal

import requests


def download(url: str, seconds: float) -> bytes:
    signal.setitimer(signal.ITIMER_REAL, seconds)  # and no handler
    try:
        with requests.get(url, stream=True) as found:
            found.raise_for_status()
            return found.content
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
