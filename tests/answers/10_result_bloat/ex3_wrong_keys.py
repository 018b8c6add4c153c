# rejected by: ex3-bounded
import redis

PATTERNS = "celery-task-meta-*", "celery-taskset-meta-*"


def clean(client: redis.Redis) -> None:
    for pattern in PATTERNS:
        for key in client.keys(pattern):
            if client.ttl(key) == -1:
                client.unlink(key)


def layout() -> dict[str, object]:
    policy = {"first": "noeviction", "second": "allkeys-lru"}
    return {"results": "second", "cache": "second", "policy": policy}
