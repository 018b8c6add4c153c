#!/bin/sh
# Healthy: it knows the password, and it has loaded its data.
REDISCLI_AUTH=$(sed -n 's/^requirepass //p' /run/secrets/redis.conf)
export REDISCLI_AUTH
redis-cli ping | grep -q PONG
