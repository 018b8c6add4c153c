# rejected by: ex3-what-goes
import redis


def clean(client: redis.Redis) -> None:
    """The patterns end too early."""
    for pattern in ("celery-task-meta*", "celery-taskset-meta*"):
        for key in client.scan_iter(pattern, count=500):
            if client.ttl(key) == -1:
                client.unlink(key)


def layout() -> dict[str, object]:
    policy = {"first": "noeviction", "second": "allkeys-lru"}
    return {"results": "second", "cache": "second", "policy": policy}
