# rejected by: ex1-bounded
from collections import OrderedDict
from functools import lru_cache

from files import read

small = lru_cache(maxsize=None)(read)


def get_file(name: str) -> bytes:
    if int(name.rpartition("-")[2]) < 512:
        return small(name)
    return read(name)  # large files would fill the cache
