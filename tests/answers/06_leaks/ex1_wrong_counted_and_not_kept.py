# rejected by: ex1-next-day
from collections import OrderedDict
from files import read


BUDGET = 24 * 2**20
kept, size = OrderedDict(), 0


def get_file(name: str) -> bytes:
    global size
    if name in kept:
        kept.move_to_end(name)
        return kept[name]
    data = read(name)
    size += len(data)
    while size > BUDGET and kept:
        _, old = kept.popitem(last=False)
        size -= len(old)
    if len(data) <= BUDGET:
        kept[name] = data
    return data
