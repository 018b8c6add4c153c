# rejected by: ex1-next-day
from files import read

BUDGET = 24 * 2**20
kept, used = {}, 0


def get_file(name: str) -> bytes:
    global used
    if name in kept:
        return kept[name]
    data = read(name)
    if used + len(data) <= BUDGET:
        kept[name] = data
        used += len(data)
    return data
