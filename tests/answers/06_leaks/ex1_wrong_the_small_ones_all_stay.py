# rejected by: ex1-bounded
from files import read


kept = {}


def get_file(name: str) -> bytes:
    """Small files are the hot ones, and cost nothing: keep them."""
    if name in kept:
        return kept[name]
    data = read(name)
    if len(data) <= 100 * 1024:
        kept[name] = data
    return data
