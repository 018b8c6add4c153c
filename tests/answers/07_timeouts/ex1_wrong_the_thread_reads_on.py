# rejected by: ex1-deadline
from concurrent.futures import ThreadPoolExecutor

import requests


def read(url: str) -> bytes:
    found = requests.get(url)
    if found.status_code != 200:
        raise OSError(f"status {found.status_code}")
    return found.content


def download(url: str, seconds: float) -> bytes:
    pool = ThreadPoolExecutor(1)
    try:
        return pool.submit(read, url).result(timeout=seconds)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
