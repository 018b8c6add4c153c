# rejected by: ex3-free-after-death
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import redis
from django.conf import settings

store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)


@contextmanager
def job_lock(name: str) -> Iterator[bool]:
    token = uuid4().hex
    mine = bool(store.set(f"lock:{name}", token, nx=True, ex=300))
    try:
        yield mine
    finally:
        if mine and store.get(f"lock:{name}") == token:
            store.delete(f"lock:{name}")
