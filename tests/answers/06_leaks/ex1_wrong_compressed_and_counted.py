# rejected by: ex1-bounded
import zlib
from functools import lru_cache
from files import read



@lru_cache(maxsize=128)
def packed(name):
    return zlib.compress(read(name), 1)


def get_file(name: str) -> bytes:
    return zlib.decompress(packed(name))
