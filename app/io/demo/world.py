"""The demo host behind its connection: recorded facts, live GPUs, models, simulated containers.

One world lives as long as its host is in the list; connections to it come and go.
"""

import json
from pathlib import Path
from typing import Final

from app.core.hardware.recording import COMMANDS
from app.core.hardware.sections import RawSection
from app.io.demo.containers import VERSION, DemoContainerEngine
from app.io.demo.files import VirtualTree
from app.io.demo.gpus import DemoGpus
from app.io.demo.memory import DemoMemory
from app.io.demo.models import load_demo_models, model_tree
from app.io.demo.pace import Pace
from app.io.demo.playing import DemoPace
from app.io.demo.recordings import Recorded, Recordings

FOLDER: Final = "resources/demo/h200-x2"

_REPLACED: Final = frozenset({"docker", "nvml", "smi", "smi-q", "smi-csv-nounits", "torch"})
"""Recordings that would contradict the simulated parts (no Docker, no memory in use)."""


class DemoWorld:
    """Everything that a demo host consists of."""

    def __init__(
        self,
        root: Path,
        *,
        clock: Pace,
        pace: DemoPace | None = None,
        memory: DemoMemory | None = None,
    ) -> None:
        self.clock = clock
        self._memory = memory or DemoMemory()
        self._idle = Recordings(root / FOLDER / "idle")
        models = load_demo_models(root)
        self.files: VirtualTree = model_tree(models)
        self.gpus = DemoGpus(self._idle, Recordings(root / FOLDER / "busy"), clock)
        self.containers = DemoContainerEngine(
            models=models,
            gpus=self.gpus,
            clock=clock,
            pace=pace or DemoPace(),
            memory=self._memory,
        )

    def recorded(self, name: str) -> Recorded | None:
        """Return one recording of the idle host."""
        return self._idle.read(name)

    def sections(self) -> tuple[RawSection, ...]:
        """Return what a probe finds now: recordings, with the simulated parts laid over."""
        recorded = [
            RawSection(
                name=section.name,
                command=COMMANDS.get(section.name, section.name),
                exit_code=section.exit_code,
                stdout=section.stdout,
                stderr=section.stderr,
            )
            for section in self._idle.sections()
            if section.name not in _REPLACED
        ]
        live = {
            "smi-csv": "\n".join(self.gpus.query(self.gpus.columns, header=True, units=True)),
            "smi-apps": "\n".join(self.applications()),
            "docker-version": json.dumps(_docker_version()),
            "docker-info": json.dumps(_docker_info()),
        }
        laid_over = [
            RawSection(
                name=name,
                command=f"{COMMANDS.get(name, name)}  # simulated",
                exit_code=0,
                stdout=text + "\n",
            )
            for name, text in live.items()
        ]
        return (*(section for section in recorded if section.name not in live), *laid_over)

    def applications(self) -> list[str]:
        """Return what ``--query-compute-apps`` prints: one line per GPU in use."""
        lines = ["pid, process_name, used_gpu_memory [MiB], gpu_uuid"]
        for uuid in self.gpus.uuids:
            used = self.gpus.used_mib(uuid)
            if used:
                lines.append(f"64, VLLM::EngineCore (simulated), {used} MiB, {uuid}")
        return lines

    async def close(self) -> None:
        """End all simulated engines; they are taken up again the next time."""
        await self.containers.shut_down()

    async def forget(self) -> None:
        """End everything for good: the host was taken off the list."""
        await self.containers.shut_down()
        self._memory.forget()


def _docker_version() -> dict[str, object]:
    server = {"Version": VERSION, "ApiVersion": "1.45", "MinAPIVersion": "1.24", "Simulated": True}
    return {"Client": {"Version": VERSION, "ApiVersion": "1.45"}, "Server": server}


def _docker_info() -> dict[str, object]:
    return {
        "ServerVersion": VERSION,
        "DockerRootDir": "/var/lib/docker",
        "Runtimes": {"nvidia": {"path": "nvidia-container-runtime"}, "runc": {"path": "runc"}},
        "SecurityOptions": ["name=seccomp,profile=builtin"],
        "Simulated": True,
    }
