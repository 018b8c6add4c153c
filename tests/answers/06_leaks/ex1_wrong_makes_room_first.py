# rejected by: ex1-oversize
from files import read

BUDGET = 24 * 2**20
kept = {}


def get_file(name: str) -> bytes:
    if name in kept:
        kept[name] = kept.pop(name)
        return kept[name]
    data = read(name)
    while sum(map(len, kept.values())) + len(data) > BUDGET:
        del kept[next(iter(kept))]
    kept[name] = data
    return data
