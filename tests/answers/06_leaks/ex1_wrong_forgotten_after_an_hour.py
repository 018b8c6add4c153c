# rejected by: ex1-bounded
import time

from files import read

kept = {}


def get_file(name: str) -> bytes:
    now = time.monotonic()
    for old in [n for n, (_, since) in kept.items() if now - since > 3600]:
        del kept[old]
    if name not in kept:
        kept[name] = read(name), now
    return kept[name][0]
