import threading
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import redis
from django.conf import settings

store = redis.Redis.from_url(settings.REDIS_URL)
MINE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call("
RENEW = store.register_script(f"{MINE}'pexpire', KEYS[1], 1200) end return 0")
FREE = store.register_script(f"{MINE}'del', KEYS[1]) end return 0")


@contextmanager
def job_lock(name: str) -> Iterator[bool]:
    key, token, over = [f"lock:{name}"], [uuid4().hex], threading.Event()
    if not store.set(key[0], token[0], nx=True, px=1200):
        yield False
        return

    def renew() -> None:
        while not over.wait(0.3):
            RENEW(keys=key, args=token)

    thread = threading.Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield True
    finally:
        over.set()
        thread.join()
        FREE(keys=key, args=token)
