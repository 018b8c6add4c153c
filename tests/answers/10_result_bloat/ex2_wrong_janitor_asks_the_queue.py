# rejected by: ex2-waits-a-day
import json
from base64 import b64decode
from uuid import uuid4

import redis
from printer import print_out, store

broker = redis.Redis.from_url(app.conf.broker_url)


def submit(order_id: int, text: str) -> None:
    ticket = uuid4().hex
    store.hset("texts", ticket, text)
    print_text.delay(order_id, ticket)


@app.task(acks_late=True, reject_on_worker_lost=True)
def print_text(order_id: int, ticket: str) -> None:
    found = store.hget("texts", ticket)
    if found is not None:
        print_out(order_id, found.decode())
        store.hdel("texts", ticket)


def tidy() -> None:
    """Nobody waits for a text whose ticket is in no message."""
    waiting = [json.loads(message) for message in broker.lrange("celery", 0, -1)]
    wanted = {json.loads(b64decode(message["body"]))[0][1] for message in waiting}
    for ticket in map(bytes.decode, store.hkeys("texts")):
        if ticket not in wanted:
            store.hdel("texts", ticket)
