#!/bin/sh
# Make the secrets of the containers, once; a second run changes nothing.
# They stay in ATLEASTONCE_COMPOSE, below a folder that nobody else may enter.
set -eu
umask 077
here=$(cd "$(dirname "$0")" && pwd)
state=${ATLEASTONCE_COMPOSE:-$here/../.atleastonce/compose}
if [ -d "$state/secrets" ]; then exit 0; fi

random() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

mkdir -p "$state/lab"
# Containers run as users of their own; what they share lies in here.
chmod 777 "$state/lab"
for file in events.jsonl lock; do
  : >"$state/lab/$file"
  chmod 666 "$state/lab/$file"
done
new=$(mktemp -d "$state/new.XXXXXX")
redis=$(random) postgres=$(random) rabbitmq=$(random) secret=$(random)
printf 'requirepass %s\n' "$redis" >"$new/redis.conf"
printf '%s' "$postgres" >"$new/postgres"
printf 'default_user = atleastonce\ndefault_pass = %s\n' "$rabbitmq" >"$new/rabbitmq.conf"
random >"$new/jupyter"
# Where the services are for each other; fields of atleastonce.addresses.Addresses.
cat >"$new/lab.json" <<END
{"folder": "/data", "events": "/compose/lab/events.jsonl", "secret": "$secret",
 "redis_host": "redis", "redis_port": 6379, "redis_password": "$redis",
 "postgres_host": "postgres", "postgres_port": 5432, "postgres_user": "atleastonce",
 "postgres_password": "$postgres", "postgres_db": "shop",
 "smtp_host": "mail", "smtp_port": 2525, "mail_url": "http://mail:8025",
 "gateway_url": "http://gateway:8001", "rabbitmq_host": "rabbitmq",
 "rabbitmq_port": 5672, "rabbitmq_user": "atleastonce",
 "rabbitmq_password": "$rabbitmq", "broker": "redis"}
END
chmod 444 "$new"/*
# All or nothing: an interrupted run leaves no half of them.
mv "$new" "$state/secrets"
echo "Made the containers' secrets in $state/secrets."
