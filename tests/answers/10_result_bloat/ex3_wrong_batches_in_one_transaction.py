# rejected by: ex3-bounded
import redis


def clean(client: redis.Redis) -> None:
    """Small commands, all of them in one transaction."""
    forever = []
    for pattern in ("celery-task-meta-*", "celery-taskset-meta-*"):
        for key in client.scan_iter(pattern, count=500):
            if client.ttl(key) == -1:
                forever.append(key)
    with client.pipeline() as pipe:
        for at in range(0, len(forever), 500):
            pipe.unlink(*forever[at : at + 500])
        pipe.execute()


def layout() -> dict[str, object]:
    policy = {"first": "noeviction", "second": "allkeys-lru"}
    return {"results": "second", "cache": "second", "policy": policy}
