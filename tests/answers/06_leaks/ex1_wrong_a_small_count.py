# rejected by: ex1-hits
from functools import lru_cache

from files import read

BUDGET, LARGEST = 24 * 2**20, 8 * 2**20
cached = lru_cache(maxsize=BUDGET // LARGEST)(read)


def get_file(name: str) -> bytes:
    if int(name.rpartition("-")[2]) * 1024 > LARGEST:
        return read(name)
    return cached(name)
