"""Running the probe over a transport."""

import pytest

from app.core.errors import ErrorCode, HostError
from app.core.events import HostKind
from app.core.hardware.frame import encode_frames, read_boundary
from app.core.hardware.sections import RawSection
from app.io.probes import probe, probe_script
from app.io.transport.base import CommandResult

SECTIONS = (RawSection(name="uname", command="uname -a", exit_code=0, stdout="Linux h 6.1"),)


class ScriptedTransport:
    """Answers the probe in a host's place and notes what was asked."""

    def __init__(self, kind: HostKind, answer: bytes | None = None) -> None:
        self.kind = kind
        self._answer = answer
        self.calls: list[tuple[list[str], bytes, float]] = []

    async def run(self, argv, *, stdin=b"", timeout_s, output_limit_bytes=0):
        self.calls.append((list(argv), stdin, timeout_s))
        boundary = read_boundary(stdin)
        assert boundary is not None
        output = encode_frames(SECTIONS, boundary) if self._answer is None else self._answer
        assert output_limit_bytes > len(output)
        return CommandResult(exit_code=0, stdout=output, stderr=b"sh: not here")

    async def blocking(self, work, *, timeout_s):
        assert timeout_s > 0
        return work()


async def test_one_channel_carries_the_script_and_brings_the_sections():
    transport = ScriptedTransport(HostKind.SSH)
    assert await probe(transport) == SECTIONS
    ((argv, stdin, timeout_s),) = transport.calls
    assert argv == ["sh", "-s"]
    assert stdin.endswith(probe_script())
    assert timeout_s == 45


async def test_every_run_has_a_boundary_of_its_own():
    transport = ScriptedTransport(HostKind.SSH)
    await probe(transport)
    await probe(transport)
    first, second = (read_boundary(stdin) for _, stdin, _ in transport.calls)
    assert first != second


async def test_this_machine_is_asked_through_nvml_as_well():
    sections = await probe(ScriptedTransport(HostKind.LOCAL))
    assert [section.name for section in sections] == ["uname", "nvml"]


async def test_a_host_that_answers_nonsense_is_an_error_with_what_it_said():
    transport = ScriptedTransport(HostKind.SSH, answer=b"This account is closed.\n")
    with pytest.raises(HostError) as caught:
        await probe(transport)
    assert caught.value.code is ErrorCode.COMMAND_FAILED
    assert "account is closed" in caught.value.details
    assert "not here" in caught.value.details
