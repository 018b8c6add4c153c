# rejected by: ex1-deadline
import requests


def download(url: str, seconds: float) -> bytes:
    found = requests.get(url, timeout=seconds)
    if found.status_code != 200:
        raise OSError(f"status {found.status_code}")
    return found.content
