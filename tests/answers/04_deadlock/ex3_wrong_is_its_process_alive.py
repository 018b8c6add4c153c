# rejected by: ex3-free-after-death
import os
from collections.abc import Iterator
from contextlib import contextmanager

import redis
from django.conf import settings

store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@contextmanager
def job_lock(name: str) -> Iterator[bool]:
    key = f"lock:{name}"
    holder = store.get(key)
    if holder and not alive(int(holder)):
        store.delete(key)
    mine = bool(store.set(key, os.getpid(), nx=True))
    try:
        yield mine
    finally:
        if mine:
            store.delete(key)
