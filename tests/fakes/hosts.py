"""Scripted outside of the hosts service: connections that come, go and refuse as told."""

import asyncio

from app.core.errors import ErrorCode, HostError
from app.core.events import HostKind
from app.core.hardware.fingerprint import Fingerprint, FingerprintSummary
from app.core.hardware.sections import RawSection
from app.io.credentials import Credentials, KeyringState
from app.services.host_parts import HostParts


def refusal(code: ErrorCode, **params: str) -> HostError:
    """Return an error as a connector raises it."""
    return HostError(code, params, cause=f"{code} happened.", remedy="Do something.")


class ScriptedTransport:
    """A transport that lives until it is told otherwise."""

    kind = HostKind.SSH

    def __init__(self) -> None:
        self.is_alive = True
        self.latency_s: float | None = 0.003
        self.closings = 0

    async def close(self) -> None:
        self.is_alive = False
        self.closings += 1


class ScriptedContainers:
    def __init__(self) -> None:
        self.closings = 0

    async def close(self) -> None:
        self.closings += 1


class ScriptedOutside:
    """Everything `HostParts` asks for; lists say what happens next."""

    def __init__(self) -> None:
        self.answers: list[ScriptedTransport | HostError] = []
        self.secrets_seen: list[tuple[str | None, str | None]] = []
        self.transports: list[ScriptedTransport] = []
        self.containers: list[ScriptedContainers] = []
        self.accepted: list[tuple[str, str]] = []
        self.sections: tuple[RawSection, ...] | HostError = ()
        self.at_gate = asyncio.Event()
        self.gate = None
        """An event that a connection waits for, when set."""
        self.parts = HostParts(
            connect=self.connect,
            accept_key=lambda settings, sha256: self.accepted.append((settings.name, sha256)),
            connect_containers=self.connect_containers,
            probe=self.probe,
            assemble=self.assemble,
            summarize=self.summarize,
            secrets=Credentials(find=lambda: KeyringState(is_usable=False)),
        )

    async def connect(self, _settings, *, password, passphrase):
        self.secrets_seen.append((password, passphrase))
        if self.gate is not None:
            self.at_gate.set()
            await self.gate.wait()
        answer = self.answers.pop(0) if self.answers else ScriptedTransport()
        if isinstance(answer, HostError):
            raise answer
        self.transports.append(answer)
        return answer

    async def connect_containers(self, _transport, _settings):
        self.containers.append(ScriptedContainers())
        return self.containers[-1]

    async def probe(self, _transport):
        if self.gate is not None:
            await self.gate.wait()
        if isinstance(self.sections, HostError):
            raise self.sections
        return self.sections

    @staticmethod
    def assemble(sections, *, source, taken_at, host_id, host_name, simulated):
        return Fingerprint(
            source=source,
            taken_at=taken_at,
            parser_version="1",
            host_id=host_id,
            host_name=host_name,
            simulated=simulated,
            sections=tuple(sections),
        )

    @staticmethod
    def summarize(fingerprint):
        return FingerprintSummary(
            gpu_text="",
            gpu_count=0,
            driver_version=None,
            container_text="",
            memory_total_mib=None,
            memory_used_mib=None,
            taken_at=fingerprint.taken_at,
        )
