# rejected by: ex1-two-names
from collections import OrderedDict

from files import read

BUDGET = 24 * 2**20
kept = OrderedDict()


def get_file(name: str) -> bytes:
    key = name.rpartition("/")[2]
    data = kept.pop(key, None) or read(name)
    if len(data) <= BUDGET:
        kept[key] = data
    while sum(map(len, kept.values())) > BUDGET:
        kept.popitem(last=False)
    return data
