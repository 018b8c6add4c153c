# rejected by: ex1-deadline
from threading import Timer

import requests


def download(url: str, seconds: float) -> bytes:
    with requests.Session() as session:
        alarm = Timer(seconds, session.close)
        alarm.start()
        try:
            found = session.get(url, timeout=seconds)
            found.raise_for_status()
            return found.content
        finally:
            alarm.cancel()
