import redis

PATTERNS = "celery-task-meta-*", "celery-taskset-meta-*"

SCRIPT = """
for _, key in ipairs(KEYS) do
  if redis.call('TTL', key) == -1 then redis.call('UNLINK', key) end
end
"""


def clean(client: redis.Redis) -> None:
    for pattern in PATTERNS:
        cursor = None
        while cursor != 0:
            cursor, page = client.scan(cursor or 0, pattern, count=200)
            if page:
                client.eval(SCRIPT, len(page), *page)


def layout() -> dict[str, object]:
    policy = {"first": "volatile-lru", "second": "allkeys-lru"}
    return {"results": "first", "cache": "second", "policy": policy}
