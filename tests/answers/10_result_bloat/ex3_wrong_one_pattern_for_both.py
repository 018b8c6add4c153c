# rejected by: ex3-what-goes
import redis


def clean(client: redis.Redis) -> None:
    """Whatever matches has no expiry, and one kind of it is not a result."""
    batch = []
    for key in client.scan_iter("celery-task*-meta-*", count=500):
        if client.ttl(key) == -1:
            batch.append(key)
        if len(batch) == 200:
            client.unlink(*batch)
            batch = []
    if batch:
        client.unlink(*batch)


def layout() -> dict[str, object]:
    policy = {"first": "noeviction", "second": "allkeys-lru"}
    return {"results": "second", "cache": "second", "policy": policy}
