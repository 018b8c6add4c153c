#!/bin/sh
# The part of the official entrypoint that the course relies on, for a user who is not
# root: a cluster with one superuser, one database, and passwords asked for over TCP.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  chmod 700 "$PGDATA" 2>/dev/null || true
  # shellcheck disable=SC2086 # several words
  initdb -D "$PGDATA" -U "$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" \
    ${POSTGRES_INITDB_ARGS:-}
  printf '\nhost all all all scram-sha-256\n' >>"$PGDATA/pg_hba.conf"
  # On its socket only, as the official one: who asks there is told too early.
  pg_ctl -D "$PGDATA" -o "-c listen_addresses=''" -w start
  PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE") \
    psql -U "$POSTGRES_USER" -d postgres -c "CREATE DATABASE \"$POSTGRES_DB\""
  pg_ctl -D "$PGDATA" -m fast -w stop
fi
exec "$@"
