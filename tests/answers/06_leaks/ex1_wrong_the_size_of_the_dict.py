# rejected by: ex1-bounded
import sys
from collections import OrderedDict

from files import read

BUDGET = 24 * 2**20
kept = OrderedDict()


def get_file(name: str) -> bytes:
    if name not in kept:
        kept[name] = read(name)
    kept.move_to_end(name)
    data = kept[name]
    while sys.getsizeof(kept) > BUDGET:
        kept.popitem(last=False)
    return data
