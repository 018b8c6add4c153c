# rejected by: ex1-oversize
from collections import OrderedDict

from files import read

BUDGET = 24 * 2**20
kept = OrderedDict()


def get_file(name: str) -> bytes:
    if name not in kept:
        kept[name] = read(name)
    kept.move_to_end(name)
    while len(kept) > 1 and sum(map(len, kept.values())) > BUDGET:
        kept.popitem(last=False)
    return kept[name]
