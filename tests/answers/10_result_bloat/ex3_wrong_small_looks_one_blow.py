# rejected by: ex3-bounded
import redis

PATTERNS = "celery-task-meta-*", "celery-taskset-meta-*"


def clean(client: redis.Redis) -> None:
    forever = client.pipeline()
    for pattern in PATTERNS:
        cursor = None
        while cursor != 0:
            cursor, page = client.scan(cursor or 0, pattern, count=200)
            with client.pipeline() as pipe:
                for key in page:
                    pipe.ttl(key)
                lives = pipe.execute()
            for key, left in zip(page, lives):
                if left == -1:
                    forever.unlink(key)
    forever.execute()


def layout() -> dict[str, object]:
    policy = {"first": "noeviction", "second": "allkeys-lru"}
    return {"results": "second", "cache": "second", "policy": policy}
