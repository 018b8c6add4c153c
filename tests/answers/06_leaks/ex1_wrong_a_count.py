# rejected by: ex1-bounded
from functools import lru_cache

from files import read

get_file = lru_cache(maxsize=24)(read)  # 24 MiB, at a MiB each
