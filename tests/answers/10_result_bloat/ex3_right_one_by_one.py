import redis

PATTERNS = "celery-task-meta-*", "celery-taskset-meta-*"


def clean(client: redis.Redis) -> None:
    for pattern in PATTERNS:
        for key in client.scan_iter(pattern):
            if client.ttl(key) == -1:
                client.delete(key)


def layout() -> dict[str, object]:
    policy = {"first": "noeviction", "second": "noeviction"}
    return {"results": "second", "cache": "second", "policy": policy}
