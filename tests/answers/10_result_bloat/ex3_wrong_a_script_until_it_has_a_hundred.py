# rejected by: ex3-bounded
# Wrong: "no script deals with more than 1,000 keys": where results are few, one script walks all of the database (10,000 keys).
import redis

PATTERNS = "celery-task-meta-*", "celery-taskset-meta-*"

SCRIPT = """
local cursor, gone = ARGV[2], 0
repeat
  local found = redis.call('SCAN', cursor, 'MATCH', ARGV[1], 'COUNT', 100)
  cursor = found[1]
  for _, key in ipairs(found[2]) do
    if redis.call('TTL', key) == -1 then gone = gone + redis.call('UNLINK', key) end
  end
until cursor == '0' or gone >= 100
return cursor
"""


def clean(client: redis.Redis) -> None:
    """A hundred of them at a time."""
    for pattern in PATTERNS:
        cursor = client.eval(SCRIPT, 0, pattern, "0")
        while cursor != "0":
            cursor = client.eval(SCRIPT, 0, pattern, cursor)


def layout() -> dict[str, object]:
    policy = {"first": "noeviction", "second": "allkeys-lru"}
    return {"results": "second", "cache": "second", "policy": policy}
