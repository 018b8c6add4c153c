# rejected by: ex3-full
# Wrong: "Nor may first evict keys without an expiry, even if the queue is alone there": a queue that grows is evicted, and nobody hears of it.
import redis

PATTERNS = "celery-task-meta-*", "celery-taskset-meta-*"


def clean(client: redis.Redis) -> None:
    for pattern in PATTERNS:
        for key in client.scan_iter(pattern):
            if client.ttl(key) == -1:
                client.delete(key)


def layout() -> dict[str, object]:
    policy = {"first": "allkeys-lru", "second": "allkeys-lru"}
    return {"results": "second", "cache": "second", "policy": policy}
