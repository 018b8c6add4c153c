#!/usr/bin/env bash
# A real engine, and local images under the tags that the course names, where no image
# registry can be reached: all of it from Debian packages. As root, on Debian.
#
#   engine.sh up     prints the variables that lead a client to it; done twice it is quick
#   engine.sh down   ends the engine that it started, and removes its images
#
# The packages are those of trixie, whose majors are the official images': Redis 8,
# Postgres 17, RabbitMQ 4. Nothing of them is installed on this machine.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd) course=$(cd "$(dirname "$0")/../.." && pwd)
work=${ATLEASTONCE_ENGINE:-/var/tmp/atleastonce-engine}
export DEBIAN_FRONTEND=noninteractive DOCKER_HOST=unix://$work/docker.sock
export DOCKER_CONFIG=$work/config PATH=$work/opt/usr/bin:$work/opt/usr/sbin:$PATH
base=atleastonce-standin-base

say() { printf '[%3d s] %s\n' "$SECONDS" "$*" >&2; }
wait_for() { # seconds, command…
  local until=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < until)) || return 1
    read -rt 0.2 <> <(:) || true # a pause without a process
  done
}

# Of trixie, with lists of its own, so that this machine's apt does not notice.
trixie() {
  apt-get -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$work/sources" \
    -o Dir::State::Lists="$work/lists" -o APT::Sandbox::User=root \
    -o DPkg::Lock::Timeout=300 -qq "$@" </dev/null >&2
}

bring_tools() {
  local missing=() tool
  for tool in mmdebstrap runc iptables; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  if ((${#missing[@]})); then
    apt-get -o DPkg::Lock::Timeout=300 -qq update </dev/null >&2
    apt-get -o DPkg::Lock::Timeout=300 -qq install -y --no-install-recommends \
      "${missing[@]}" </dev/null >&2
  fi
  say "tools"
}

bring_engine() {
  local packages=(docker.io docker-cli containerd tini docker-compose docker-buildx) deb
  mkdir -p "$work"/{sources,lists/partial,debs,config/cli-plugins}
  sed -E '/^#/d; s/bookworm/trixie/g' /etc/apt/sources.list.d/debian.sources \
    >"$work/sources/trixie.sources"
  trixie update
  (cd "$work/debs" && trixie download "${packages[@]}")
  for deb in "$work"/debs/*.deb; do dpkg-deb -x "$deb" "$work/opt"; done
  for deb in compose buildx; do
    ln -sf "$work/opt/usr/libexec/docker/cli-plugins/docker-$deb" \
      "$DOCKER_CONFIG/cli-plugins/"
  done
  say "engine unpacked"
}

start_engine() {
  docker info >/dev/null 2>&1 && return
  setsid dockerd --host "$DOCKER_HOST" --data-root "$work/data" \
    --exec-root "$work/run" --pidfile "$work/docker.pid" \
    --init-path "$work/opt/usr/bin/tini-static" \
    >"$work/dockerd.log" 2>&1 </dev/null &
  if ! wait_for 60 docker info; then
    tail -n 20 "$work/dockerd.log" >&2
    echo "Docker's engine did not start within 60 s; its log is above." >&2
    exit 1
  fi
  say "engine $(docker version --format '{{.Server.Version}}')"
}

# One file system for all of them: it is made once, and its layer is shared.
make_base() {
  docker image inspect "$base" >/dev/null 2>&1 && return
  local include=redis-server,postgresql-17,rabbitmq-server,python3-venv
  local own=/etc/postgresql-common/createcluster.conf
  mmdebstrap --quiet --mode=root --variant=minbase --skip=check/qemu \
    --include="$include" --dpkgopt=force-unsafe-io \
    --aptopt='APT::Install-Recommends "false"' \
    --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    --essential-hook="mkdir -p \"\$1\"${own%/*} && echo create_main_cluster=false >\"\$1\"$own" \
    trixie - "$work/sources/trixie.sources" | docker import - "$base" >&2
  say "base"
}

# Each image that the course names gets the stand-in that its name begins with.
make_standins() {
  local tags tag
  cp /etc/ssl/certs/ca-certificates.crt "$here/standins/python/"
  tags=$(docker compose --project-directory "$course" config --images | sort -u)
  tags+=$'\n'$(sed -n 's/^FROM \([^ ]*\).*/\1/p' "$course/docker/Dockerfile" | sort -u)
  for tag in $tags; do
    [[ -d $here/standins/${tag%%:*} ]] || continue
    docker build -q -t "$tag" --build-arg "BASE=$base" "$here/standins/${tag%%:*}" >&2
  done
  say "stand-ins"
}

case ${1:-} in
up)
  command -v "$work/opt/usr/sbin/dockerd" >/dev/null || { bring_tools && bring_engine; }
  start_engine
  make_base
  make_standins
  printf 'export DOCKER_HOST=%s DOCKER_CONFIG=%s PATH=%s/opt/usr/bin:$PATH\n' \
    "$DOCKER_HOST" "$DOCKER_CONFIG" "$work"
  ;;
down)
  if [[ -f $work/docker.pid ]]; then
    pid=$(cat "$work/docker.pid")
    kill "$pid" && wait_for 60 test ! -d "/proc/$pid"
  fi
  rm -rf "$work/data" "$work/run"
  ip link delete docker0 2>/dev/null || true
  ;;
*)
  echo "Try: $0 up" >&2
  exit 2
  ;;
esac
