import redis

PATTERNS = "celery-task-meta-*", "celery-taskset-meta-*"


def clean(client: redis.Redis) -> None:
    found = [key for pattern in PATTERNS for key in client.scan_iter(pattern, count=1_000)]
    forever = [key for key in found if client.ttl(key) == -1]
    for at in range(0, len(forever), 1_000):
        with client.pipeline() as pipe:
            for key in forever[at : at + 1_000]:
                pipe.unlink(key)
            pipe.execute()


def layout() -> dict[str, object]:
    policy = {"first": "volatile-ttl", "second": "volatile-lru"}
    return {"results": "second", "cache": "second", "policy": policy}
