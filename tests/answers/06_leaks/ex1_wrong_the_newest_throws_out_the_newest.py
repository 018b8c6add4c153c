# rejected by: ex1-next-day
from files import read

BUDGET = 24 * 2**20
kept = {}


def get_file(name: str) -> bytes:
    if name in kept:
        return kept[name]
    kept[name] = data = read(name)
    while sum(map(len, kept.values())) > BUDGET:
        kept.popitem()  # a dict's popitem takes the last one
    return data
