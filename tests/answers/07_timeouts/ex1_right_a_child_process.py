import os
import select
import signal
from time import monotonic

import requests


def download(url: str, seconds: float) -> bytes:
    end = monotonic() + seconds
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        fetch(url, theirs)
    os.close(theirs)
    try:
        return read(ours, end)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(ours)


def fetch(url, pipe):
    """In the child, which never returns."""
    try:
        with requests.get(url) as found:
            found.raise_for_status()
            with open(pipe, "wb") as file:
                file.write(found.content + b"whole")
    finally:
        os._exit(0)


def read(pipe, end):
    got = b""
    while select.select([pipe], [], [], max(0.0, end - monotonic()))[0]:
        more = os.read(pipe, 65536)
        if not more:
            if got.endswith(b"whole"):
                return got[:-5]
            raise OSError("the child has failed")
        got += more
    raise TimeoutError("no time left")
