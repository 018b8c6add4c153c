import redis

PATTERNS = "celery-task-meta-*", "celery-taskset-meta-*"


def batches(client):
    batch = []
    for key in client.scan_iter("celery-task*", count=300):
        if key.startswith(("celery-task-meta-", "celery-taskset-meta-")):
            batch.append(key)
        if len(batch) >= 300:
            yield batch
            batch = []
    if batch:
        yield batch


def clean(client: redis.Redis) -> None:
    for batch in batches(client):
        with client.pipeline() as pipe:
            for key in batch:
                pipe.ttl(key)
            left = pipe.execute()
        with client.pipeline() as pipe:
            for key, seconds in zip(batch, left):
                if seconds == -1:
                    pipe.unlink(key)
            pipe.execute()


def layout() -> dict[str, object]:
    policy = {"first": "noeviction", "second": "allkeys-random"}
    return {"results": "second", "cache": "second", "policy": policy}
