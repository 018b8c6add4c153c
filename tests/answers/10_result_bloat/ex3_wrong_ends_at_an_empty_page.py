# rejected by: ex3-few
import redis

PATTERNS = "celery-task-meta-*", "celery-taskset-meta-*"


def clean(client: redis.Redis) -> None:
    for pattern in PATTERNS:
        cursor, page = client.scan(0, pattern, count=1_000)
        while page:
            forever = [key for key in page if client.ttl(key) == -1]
            if forever:
                client.unlink(*forever)
            if cursor == 0:
                break
            cursor, page = client.scan(cursor, pattern, count=1_000)


def layout() -> dict[str, object]:
    policy = {"first": "noeviction", "second": "allkeys-lru"}
    return {"results": "second", "cache": "second", "policy": policy}
