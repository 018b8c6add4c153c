#!/usr/bin/env bash
# A real engine, and local images under the tags that the course names, where no image
# registry can be reached: all of it from Debian packages. As root, on Debian.
#
#   engine.sh up     prints the variables that lead a client to it; done twice it is quick
#   engine.sh down   ends that engine, and leaves nothing of it on this machine
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
  iptables-save >"$work/iptables"
  cat /proc/sys/net/ipv4/ip_forward >"$work/ip_forward"
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

# One file system for all of them, with what the course's own image needs.
make_base() {
  docker image inspect "$base" >/dev/null 2>&1 && return
  mmdebstrap --quiet --mode=root --variant=minbase --skip=check/qemu \
    --include=python3-venv --dpkgopt=force-unsafe-io \
    --aptopt='APT::Install-Recommends "false"' \
    --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    trixie - "$work/sources/trixie.sources" | docker import - "$base" >&2
  say "base"
}

standin() { # tag, base
  docker build -q -t "$1" --build-arg "BASE=$2" "$here/standins/${1%%:*}" >&2
}

# Each image that the course names gets the stand-in that its name begins with.
make_services() {
  local tag
  standin "$base-services" "$base"
  for tag in $(docker compose --project-directory "$course" config --images | sort -u); do
    [[ ! -d $here/standins/${tag%%:*} ]] || standin "$tag" "$base-services"
  done
  say "stand-ins"
}

# The course's own image is built meanwhile: both wait for the network, and for one core.
make_images() {
  local python services
  cp /etc/ssl/certs/ca-certificates.crt "$here/standins/python/"
  python=$(sed -n 's/^FROM \([^ ]*\).*/\1/p' "$course/docker/Dockerfile" | sort -u)
  standin "$python" "$base"
  make_services &
  services=$!
  docker compose --project-directory "$course" build -q >&2
  say "the course's image"
  wait "$services"
}

end_engine() {
  local pid
  pid=$(cat "$work/docker.pid" 2>/dev/null) || return 0
  kill "$pid" && wait_for 60 test ! -d "/proc/$pid"
  say "engine ended"
}

# What the engine changed on this machine: the firewall, a link, cgroups, mounts.
put_back() {
  iptables-restore <"$work/iptables"
  cat "$work/ip_forward" >/proc/sys/net/ipv4/ip_forward
  ip link delete docker0 2>/dev/null || true
  awk -v "below=$work/" 'index($2, below) == 1 { print $2 }' /proc/self/mounts | sort -r |
    xargs -r umount
  rmdir /run/docker/* /run/docker 2>/dev/null || true
  # The folders of another engine's containers are not empty, and stay.
  find /sys/fs/cgroup -depth -path '*/docker*' -type d -exec rmdir {} + 2>/dev/null || true
}

case ${1:-} in
up)
  if [[ ! -x $work/opt/usr/sbin/dockerd ]]; then
    bring_tools
    bring_engine
  fi
  start_engine
  make_base
  make_images
  printf 'export DOCKER_HOST=%s DOCKER_CONFIG=%s PATH=%s/opt/usr/bin:$PATH\n' \
    "$DOCKER_HOST" "$DOCKER_CONFIG" "$work"
  ;;
down)
  end_engine
  if [[ -f $work/iptables ]]; then put_back; fi
  rm -rf "$work"
  ;;
*)
  echo "Try: $0 up" >&2
  exit 2
  ;;
esac
