#!/bin/sh
# Healthy: it answers a query over TCP. While it is being initialised it listens on its
# socket only.
PGPASSWORD=$(cat /run/secrets/postgres) PGCONNECT_TIMEOUT=2
export PGPASSWORD PGCONNECT_TIMEOUT
psql -h 127.0.0.1 -U atleastonce -d shop -qAtc 'SELECT 1' | grep -q 1
