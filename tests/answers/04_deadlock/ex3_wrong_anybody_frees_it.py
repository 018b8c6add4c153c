# rejected by: ex3-one-holder
from collections.abc import Iterator
from contextlib import contextmanager

import threading

import redis
from django.conf import settings

store = redis.Redis.from_url(settings.REDIS_URL)


@contextmanager
def job_lock(name: str) -> Iterator[bool]:
    key, over = f"lock:{name}", threading.Event()
    mine = bool(store.set(key, "1", nx=True, px=1000))

    def renew() -> None:
        while not over.wait(0.3):
            store.pexpire(key, 1000)

    if mine:
        threading.Thread(target=renew, daemon=True).start()
    try:
        yield mine
    finally:
        over.set()
        store.delete(key)
