# rejected by: ex3-free-after-death
from collections.abc import Iterator
from contextlib import contextmanager

import redis
from django.conf import settings

store = redis.Redis.from_url(settings.REDIS_URL)


@contextmanager
def job_lock(name: str) -> Iterator[bool]:
    mine = bool(store.set(f"lock:{name}", "1", nx=True))
    try:
        yield mine
    finally:
        if mine:
            store.delete(f"lock:{name}")
