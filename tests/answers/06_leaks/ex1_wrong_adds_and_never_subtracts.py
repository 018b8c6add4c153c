# rejected by: ex1-next-day
from collections import OrderedDict

from files import read

BUDGET = 24 * 2**20
kept, used = OrderedDict(), 0


def get_file(name: str) -> bytes:
    global used
    if name in kept:
        kept.move_to_end(name)
        return kept[name]
    data = read(name)
    kept[name] = data
    used += len(data)
    while kept and used > BUDGET:
        kept.popitem(last=False)
    return data
