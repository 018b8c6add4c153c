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
# Postgres' compiler of queries (the course has it off), and Debian's Perl around it.
unused='^(libllvm|libz3|perl|libperl|locales$|postgresql-common)'

say() { printf '[%3d s] %s\n' "$SECONDS" "$*" >&2; }
wait_for() { # seconds, command…
  local until=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < until)) || return 1
    read -rt 0.2 <> <(:) || true # a pause without a process
  done
}

# Of trixie, with all of apt's files in a folder of its own, so that this machine's apt
# does not notice: nothing is installed there, so each package comes with all it needs.
trixie() {
  apt-get -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$work/sources" \
    -o Dir::State::Lists="$work/lists" -o Dir::State::Status="$work/status" \
    -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root \
    -o Acquire::Languages=none -o APT::Install-Recommends=false -qq "$@" </dev/null
}

bring_lists() {
  mkdir -p "$work"/{sources,lists/partial,cache/archives/partial,config/cli-plugins}
  sed -E '/^#/d; s/bookworm/trixie/g' /etc/apt/sources.list.d/debian.sources \
    >"$work/sources/trixie.sources"
  : >"$work/status"
  trixie update >&2
  say "lists"
}

# Unpacked only: their maintainers' scripts would take most of the time, and start what
# they install.
unpack() { # folder, package…
  local debs=$work/debs/$1 to=$work/$1
  mkdir -p "$debs" "$to"
  (cd "$debs" && trixie download "${@:2}" >&2)
  printf '%s\0' "$debs"/*.deb | xargs -0 -n 1 -P 2 sh -c 'dpkg-deb -x "$1" "$0"' "$to"
  rm -r "$debs"
}

bring_tools() {
  local missing=() tool
  for tool in runc iptables; do # trixie's need a newer libc than bookworm's
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  if ((${#missing[@]})); then
    apt-get -o DPkg::Lock::Timeout=300 -qq update </dev/null >&2
    apt-get -o DPkg::Lock::Timeout=300 -qq install -y --no-install-recommends \
      "${missing[@]}" </dev/null >&2
  fi
}

bring_engine() {
  local plugin
  unpack opt docker.io docker-cli containerd tini docker-compose docker-buildx
  for plugin in compose buildx; do
    ln -sf "$work/opt/usr/libexec/docker/cli-plugins/docker-$plugin" \
      "$DOCKER_CONFIG/cli-plugins/"
  done
  say "engine unpacked"
}

# One file system for all images, with what the course's own needs, too.
bring_base() {
  local packages
  packages=$(trixie --simulate install base-files dash coreutils sed grep mawk hostname passwd \
    python3-venv redis-server postgresql-17 rabbitmq-server |
    awk -v "unused=$unused" '$1 == "Inst" && $2 !~ unused { print $2 }')
  # shellcheck disable=SC2086 # several words
  unpack base $packages
  # What their scripts would have done, as far as somebody here needs it.
  cp "$work"/base/usr/share/base-passwd/passwd.master "$work/base/etc/passwd"
  cp "$work"/base/usr/share/base-passwd/group.master "$work/base/etc/group"
  ln -sf mawk "$work/base/usr/bin/awk"
  cp /etc/ssl/certs/ca-certificates.crt "$work/base/etc/ssl/certs/"
  say "base unpacked"
}

# In cgroup v1 all containers together would get the time of one other process.
share_cores() {
  local cpu=/sys/fs/cgroup/cpu
  [[ -e $cpu/cpu.shares ]] || return 0
  mkdir -p "$cpu/docker"
  echo $((16 * 1024)) >"$cpu/docker/cpu.shares"
}

start_engine() {
  docker info >/dev/null 2>&1 && return
  share_cores
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

import_base() {
  docker image inspect "$base" >/dev/null 2>&1 && return
  tar -C "$work/base" -c . | docker import - "$base" >&2
  say "base"
}

standin() { # tag, base
  docker build -q -t "$1" --build-arg "BASE=$2" "$here/standins/${1%%:*}" >&2
}

# Each image that the course names gets the stand-in that its name begins with.
make_services() {
  local tag
  for tag in $(docker compose --project-directory "$course" config --images | sort -u); do
    [[ ! -d $here/standins/${tag%%:*} ]] || standin "$tag" "$base"
  done
  say "stand-ins"
}

# The course's own image is built meanwhile: both wait for the network, and for one core.
make_images() {
  local python services
  python=$(sed -n 's/^FROM \([^ ]*\).*/\1/p' "$course/docker/Dockerfile" | sort -u)
  standin "$python" "$base"
  make_services &
  services=$!
  docker compose --project-directory "$course" build -q >&2
  say "the course's image"
  wait "$services"
}

# Two at a time: what one fetches the other unpacks.
bring() {
  local other
  bring_tools &
  other=$!
  bring_lists
  wait "$other"
  bring_base &
  other=$!
  bring_engine
  start_engine
  wait "$other"
  touch "$work/unpacked"
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
  if [[ ! -e $work/unpacked ]]; then bring; fi
  start_engine
  import_base
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
