# rejected by: ex1-deadline
from time import monotonic

import requests


def download(url: str, seconds: float) -> bytes:
    end, body = monotonic() + seconds, b""
    with requests.get(url, stream=True, timeout=seconds) as found:
        if found.status_code != 200:
            raise OSError(f"status {found.status_code}")
        for portion in found.iter_content(500):
            body += portion
            if monotonic() > end:
                raise TimeoutError(f"{len(body)} bytes in {seconds} s")
    return body
