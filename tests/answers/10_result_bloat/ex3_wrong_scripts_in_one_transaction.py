# rejected by: ex3-bounded
# Wrong: "no transaction deals with more than 1,000 keys": a script by the page, and all of them in one MULTI (3,201 keys).
import redis

PATTERNS = "celery-task-meta-*", "celery-taskset-meta-*"

SCRIPT = """
for _, key in ipairs(KEYS) do
  if redis.call('TTL', key) == -1 then redis.call('UNLINK', key) end
end
"""


def clean(client: redis.Redis) -> None:
    """A script for each page, which nothing comes in between; sent together."""
    script = client.register_script(SCRIPT)
    with client.pipeline() as pipe:
        for pattern in PATTERNS:
            cursor = None
            while cursor != 0:
                cursor, page = client.scan(cursor or 0, pattern, count=500)
                if page:
                    script(keys=page, client=pipe)
        pipe.execute()


def layout() -> dict[str, object]:
    policy = {"first": "noeviction", "second": "allkeys-lru"}
    return {"results": "second", "cache": "second", "policy": policy}
