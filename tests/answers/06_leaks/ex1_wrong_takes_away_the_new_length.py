# rejected by: ex1-bounded
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
    if len(data) > BUDGET:
        return data
    kept[name] = data
    size += len(data)
    while size > BUDGET:
        kept.popitem(last=False)
        size -= len(data)
    return data
