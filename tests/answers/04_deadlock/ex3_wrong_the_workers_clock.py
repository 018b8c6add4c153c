# rejected by: ex3-one-holder
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import redis
from django.conf import settings

store = redis.Redis.from_url(settings.REDIS_URL, decode_responses=True)


@contextmanager
def job_lock(name: str) -> Iterator[bool]:
    key, token, over = f"lock:{name}", uuid4().hex, threading.Event()

    def mark() -> None:
        store.hset(key, mapping={"owner": token, "until": time.time() + 1.0})

    held = store.hgetall(key)
    if held and float(held["until"]) > time.time():
        yield False
        return

    def renew() -> None:
        while not over.wait(0.3):
            mark()

    mark()
    thread = threading.Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield True
    finally:
        over.set()
        thread.join()
        store.delete(key)
