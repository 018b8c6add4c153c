# rejected by: ex3-bounded
import redis

PATTERNS = "celery-task-meta-*", "celery-taskset-meta-*"

SCRIPT = """
local cursor = '0'
repeat
  local found = redis.call('SCAN', cursor, 'MATCH', ARGV[1], 'COUNT', 500)
  cursor = found[1]
  for _, key in ipairs(found[2]) do
    if redis.call('TTL', key) == -1 then redis.call('UNLINK', key) end
  end
until cursor == '0'
"""


def clean(client: redis.Redis) -> None:
    for pattern in PATTERNS:
        client.eval(SCRIPT, 0, pattern)


def layout() -> dict[str, object]:
    policy = {"first": "noeviction", "second": "allkeys-lru"}
    return {"results": "second", "cache": "second", "policy": policy}
