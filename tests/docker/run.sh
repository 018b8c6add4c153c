#!/usr/bin/env bash
# `make test-docker`: bring an engine, run the tests on it, and end it, come what may.
#   run.sh PYTHON [OPTIONS AND TESTS…]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python=$1
shift
trap 'bash "$here/engine.sh" down' EXIT
variables=$(bash "$here/engine.sh" up) # alone: inside `eval` its failure would not end this
eval "$variables"
"$python" -m pytest -n 2 --dist loadgroup --durations=12 "$@"
