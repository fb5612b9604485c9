"""Ask a host what it is: one script over one channel, framed sections back.

Nothing is stored on the host. What a tool printed travels unchanged; reading it is the core's job.
"""

import secrets
from typing import Final

from app.core.errors import ErrorCode, HostError
from app.core.events import HostKind
from app.core.hardware.collector import collector_script
from app.core.hardware.frame import decode_frames, probe_input
from app.core.hardware.sections import RawSection
from app.io.datafiles import data_root
from app.io.nvml import read_local_nvml
from app.io.transport.base import Transport

SCRIPT_PATH: Final = "resources/probe/probe.sh"
COLLECTOR_PATH: Final = "resources/probe/collector.sh"
_OUTPUT_LIMIT: Final = 16 * 1024 * 1024
_NVML_LIMIT_S: Final = 10.0


def probe_script() -> bytes:
    """Return the probe's text."""
    return (data_root() / SCRIPT_PATH).read_bytes()


def collector() -> str:
    """Return the script for hosts that Pitwall may not enter: the probe, writing to one file."""
    wrapper = (data_root() / COLLECTOR_PATH).read_text(encoding="utf-8")
    return collector_script(wrapper, probe_script().decode())


async def probe(transport: Transport, *, timeout_s: float = 45) -> tuple[RawSection, ...]:
    """Run the probe and return its sections; on this machine NVML's answers as well.

    Raises:
        HostError: as of `Transport.run`, or COMMAND_FAILED when nothing readable came back.
    """
    boundary = secrets.token_hex(16)
    result = await transport.run(
        ["sh", "-s"],
        stdin=probe_input(probe_script(), boundary),
        timeout_s=timeout_s,
        output_limit_bytes=_OUTPUT_LIMIT,
    )
    sections = decode_frames(result.stdout, boundary)
    if not sections:
        raise HostError(
            ErrorCode.COMMAND_FAILED,
            {"command": "sh -s", "exit_code": result.exit_code},
            cause="The host ran the probe but sent nothing that can be read.",
            remedy="Check that this account may run “sh” and that no login script replaces it.",
            details=_tail(result.stdout) + _tail(result.stderr),
        )
    if transport.kind is HostKind.LOCAL:
        nvml = await transport.blocking(read_local_nvml, timeout_s=_NVML_LIMIT_S)
        sections = (*sections, nvml)
    return sections


def _tail(output: bytes) -> str:
    return output[-2000:].decode("utf-8", errors="replace")
