from collections import OrderedDict
from files import read


BUDGET = 24 * 2**20
once, kept = OrderedDict(), OrderedDict()
size = 0


def get_file(name: str) -> bytes:
    global size
    if name in kept:
        kept.move_to_end(name)
        return kept[name]
    data = read(name)
    if name not in once:
        once[name] = None
        while len(once) > 1000:
            once.popitem(last=False)
    elif len(data) <= BUDGET:
        kept[name] = data
        size += len(data)
        while size > BUDGET:
            size -= len(kept.popitem(last=False)[1])
    return data
