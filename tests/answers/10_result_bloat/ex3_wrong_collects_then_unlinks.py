# rejected by: ex3-bounded
import redis

PATTERNS = "celery-task-meta-*", "celery-taskset-meta-*"


def clean(client: redis.Redis) -> None:
    for pattern in PATTERNS:
        found = [key for key in client.scan_iter(pattern, count=500) if client.ttl(key) == -1]
        if found:
            client.unlink(*found)


def layout() -> dict[str, object]:
    policy = {"first": "noeviction", "second": "allkeys-lru"}
    return {"results": "second", "cache": "second", "policy": policy}
