#!/bin/sh
# Redis writes its configuration beside its data (CONFIG REWRITE), so what a lesson
# sets holds for the next start, too.
set -eu
conf=/data/redis.conf
if [ ! -s "$conf" ]; then cat /etc/lab/redis.conf /run/secrets/redis.conf >"$conf"; fi
# Without persistence nothing comes back that an earlier configuration wrote.
if ! grep -qE '^(appendonly yes|save [0-9])' "$conf"; then
  rm -rf /data/dump.rdb /data/appendonlydir
fi
exec redis-server "$conf"
