# rejected by: ex3-full
import redis

PATTERNS = "celery-task-meta-*", "celery-taskset-meta-*"


def clean(client: redis.Redis) -> None:
    for pattern in PATTERNS:
        page = []
        for key in client.scan_iter(pattern, count=500):
            if client.ttl(key) == -1:
                page.append(key)
            if len(page) == 200:
                client.unlink(*page)
                page = []
        if page:
            client.unlink(*page)


def layout() -> dict[str, object]:
    policy = {"first": "allkeys-lfu", "second": "noeviction"}
    return {"results": "first", "cache": "second", "policy": policy}
