# rejected by: ex3-one-holder
import fcntl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def job_lock(name: str) -> Iterator[bool]:
    """The kernel frees it when the process dies; but it is this host's kernel."""
    with Path(tempfile.gettempdir(), f"{name}.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            mine = True
        except BlockingIOError:
            mine = False
        yield mine
