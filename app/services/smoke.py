"""The smoke run: one short-lived container of the engine's own image measures CUDA, then goes.

Opt-in, shown with its exact command first. It uses an image that the host already has, publishes
no port, has no network, mounts at most one folder read-only, and is removed whatever happens.
"""

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from app.core.deployment.spec import ContainerSpec, Mount
from app.core.engines.docker_run import docker_run_text
from app.core.engines.images import ImageRefusal, choose_image
from app.core.engines.spec import Device, EngineData
from app.core.errors import AppError, DockerError, ErrorCode, PlanError, UserInputError
from app.core.events import HostKind
from app.core.hardware.catalogue import GpuCatalogue
from app.core.hardware.cdi import cdi_names
from app.core.hardware.fingerprint import Fingerprint, Gpu, GpuAccess
from app.core.ids import HostId
from app.core.labels import PREFIX
from app.core.planning.host_view import view_host
from app.core.smoke.judge import SmokeFrame, judge_smoke
from app.core.smoke.read import SmokeReading
from app.core.smoke.report import SmokeReport
from app.core.smoke.spec import SmokeData, SmokeKind, SmokeProgram
from app.io.containers import ENDED, ContainerEngine
from app.services.activities import Activities, Activity
from app.services.clock import Clock, utc_text
from app.services.hosts import HostService
from app.services.streams import ended

LIMIT_S: Final = 150.0
"""What the program in the container may take."""
_GRACE_S: Final = 60.0
"""On top of it: the container's start, a cold image, the engine's own clean-up."""
_LABEL: Final = PREFIX + "smoke"
_FOLDER: Final = "/measured"
_SHM_BYTES: Final = 2**30
"""NCCL's ranks talk through shared memory; Docker's default of 64 MiB is too small for them."""
_LAST_WORDS: Final = 12
_STEPS_PER_GPU: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeWish:
    """What a person asked for; everything may be left out but the engine."""

    engine: str
    image: str = ""
    """Empty: the image that Pitwall would deploy here."""
    gpu_uuids: tuple[str, ...] = ()
    """Empty: every GPU that can be used."""
    folder: str = ""
    """A folder on the host whose largest file is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokePlan:
    """A run, ready to be shown and started."""

    host_id: HostId
    host_name: str
    engine: str
    program: SmokeProgram
    container: ContainerSpec
    command: str
    """The exact ``docker run`` line, for reading and copying."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeParts:
    """The outside of the service."""

    hosts: HostService
    engines: Mapping[str, EngineData]
    data: Callable[[], SmokeData]
    catalogue: Callable[[], GpuCatalogue]
    program_file: Path
    clock: Clock
    activities: Activities


class SmokeService:
    """Plans and runs smoke runs."""

    def __init__(self, parts: SmokeParts) -> None:
        self._parts = parts
        self._found: dict[HostId, SmokeReport] = {}
        self._program_text = cache(lambda: parts.program_file.read_text("utf-8"))

    async def plan(self, host_id: HostId, wish: SmokeWish) -> SmokePlan:
        """Say exactly what would be run; nothing is started.

        Raises:
            UserInputError: NOT_FOUND for an unknown engine or GPU.
            PlanError: UNSUPPORTED_COMBINATION when its image cannot be asked or none runs here.
            DockerError: DOCKER_REFUSED on the demo host, which has no CUDA to ask.
        """
        snapshot = self._parts.hosts.find(host_id)
        if snapshot.settings.kind is HostKind.DEMO:
            raise _no_cuda_on_the_demo_host()
        program = self._program(wish.engine)
        fingerprint = await self._parts.hosts.fingerprint(host_id)
        handover = _handover(fingerprint, wish.gpu_uuids)
        image = wish.image or self._image(wish.engine, fingerprint, has_gpus=bool(handover.gpus))
        text = await asyncio.to_thread(self._program_text)
        container = _container(wish, program, image=image, handover=handover, text=text)
        return SmokePlan(
            host_id=host_id,
            host_name=snapshot.settings.name,
            engine=wish.engine,
            program=program,
            container=container,
            command=docker_run_text(container),
        )

    async def run(self, plan: SmokePlan) -> SmokeReport:
        """Run it and say what was found; the container is removed, also when this is cancelled.

        Raises:
            HostError: NOT_CONNECTED, CONNECTION_LOST.
            DockerError: IMAGE_MISSING, GPU_RUNTIME_MISSING, DOCKER_REFUSED and what Docker says.
        """
        fingerprint = await self._parts.hosts.fingerprint(plan.host_id)
        containers = await self._parts.hosts.container_engine(plan.host_id)
        start_s = self._parts.clock.monotonic_s()
        async with self._parts.activities.run("smoke", plan.host_name) as activity:
            reading, trouble = await self._measure(plan, containers, activity)
        frame = SmokeFrame(
            host_name=plan.host_name,
            taken_at=utc_text(self._parts.clock.now_s()),
            engine=plan.engine,
            image=plan.container.image,
            kind=plan.program.kind,
            command=plan.command,
            gpu_uuids=plan.container.gpu_uuids,
            duration_s=self._parts.clock.monotonic_s() - start_s,
        )
        report = judge_smoke(
            reading,
            frame,
            data=self._parts.data(),
            fingerprint=fingerprint,
            catalogue=self._parts.catalogue(),
            trouble=trouble,
        )
        self._found[plan.host_id] = report
        return report

    def found(self, host_id: HostId) -> SmokeReport | None:
        """Return what the last run of this session found on a host."""
        return self._found.get(host_id)

    # Inside

    def _program(self, engine: str) -> SmokeProgram:
        if engine not in self._parts.engines:
            known = ", ".join(sorted(self._parts.engines))
            raise UserInputError(
                ErrorCode.NOT_FOUND,
                {"field": "engine", "value": engine},
                cause=f"There is no engine named “{engine}”.",
                remedy=f"Known engines: {known}.",
            )
        program = self._parts.data().program_of(engine)
        if program is None:
            raise PlanError(
                ErrorCode.UNSUPPORTED_COMBINATION,
                {"engine": engine},
                cause=f"The image of {engine} has no program that could ask CUDA.",
                remedy="Choose another engine for the smoke run, for example vllm or llamacpp.",
            )
        return program

    def _image(self, engine: str, fingerprint: Fingerprint | None, *, has_gpus: bool) -> str:
        file = self._parts.engines[engine].engine
        if fingerprint is None:
            raise _take_a_fingerprint_first()
        view = view_host(fingerprint, catalogue=self._parts.catalogue())
        choice = choose_image(file, view.traits(view.device if has_gpus else Device.CPU))
        if isinstance(choice, ImageRefusal):
            raise PlanError(
                ErrorCode.UNSUPPORTED_COMBINATION,
                {"engine": engine},
                cause=f"No image of {engine} runs on this host"
                + (
                    f": it wants {choice.wanted}, here is {choice.found}." if choice.wanted else "."
                ),
                remedy="Name an image that the host has with --image.",
            )
        return choice.reference

    async def _measure(
        self, plan: SmokePlan, containers: ContainerEngine, activity: Activity
    ) -> tuple[SmokeReading, tuple[str, ...]]:
        image = await containers.image(plan.container.image)
        if image is None:
            raise _image_missing(plan)
        await self._sweep(containers)
        reading = SmokeReading()
        container = await containers.create(plan.container, image_id=image.id, secrets={})
        try:
            await containers.start(container)
            return reading, await self._follow(plan, containers, container, reading, activity)
        finally:
            # Also after a cancel: nothing of ours stays on the host.
            removing = asyncio.ensure_future(containers.remove(container, force=True))
            with contextlib.suppress(AppError):
                await asyncio.shield(removing)

    async def _sweep(self, containers: ContainerEngine) -> None:
        """Remove what a lost connection left of earlier runs; one that still runs is left alone."""
        for info in await containers.containers(ours_only=False):
            if _LABEL in info.labels and info.status in {*ENDED, "created"}:
                await containers.remove(info.id, force=True)

    async def _follow(
        self,
        plan: SmokePlan,
        containers: ContainerEngine,
        container: str,
        reading: SmokeReading,
        activity: Activity,
    ) -> tuple[str, ...]:
        """Read until the container ends; return what went wrong besides."""
        other: list[str] = []
        steps = 3 + _STEPS_PER_GPU * len(plan.container.gpu_uuids)
        try:
            async with asyncio.timeout(LIMIT_S + _GRACE_S):
                async with ended(containers.logs(container, follow=True)) as lines:
                    async for chunk in lines:
                        if reading.feed(chunk.text):
                            activity.report(min(reading.steps / steps, 0.99))
                        elif chunk.text.strip():
                            other = [*other, chunk.text.rstrip()][-_LAST_WORDS:]
                info = await containers.inspect(container)
                while info.status not in ENDED:
                    await self._parts.clock.sleep(0.2)
                    info = await containers.inspect(container)
        except TimeoutError:
            limit = round(LIMIT_S + _GRACE_S)
            return (f"It was stopped after {limit} s without an end.", *other)
        if info.exit_code == 0 and (reading.done or plan.program.kind is SmokeKind.LIST_DEVICES):
            return ()
        said = [f"The container ended with exit code {info.exit_code}."]
        if info.oom_killed:
            said.append("The kernel killed it: out of memory.")
        return (*said, *filter(None, [info.error]), *other)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Handover:
    """GPUs for the container and the way to them."""

    gpus: tuple[Gpu, ...] = ()
    access: GpuAccess = GpuAccess.NONE
    cdi_names: tuple[str, ...] = ()

    @property
    def uuids(self) -> tuple[str, ...]:
        return tuple(gpu.uuid for gpu in self.gpus if gpu.uuid is not None)


def _handover(fingerprint: Fingerprint | None, wanted: Sequence[str]) -> _Handover:
    """Return the GPUs to hand over and how: those that are wanted, else all that have a UUID."""
    if fingerprint is None:
        if wanted:
            raise _take_a_fingerprint_first()
        return _Handover()
    known = {gpu.uuid: gpu for gpu in fingerprint.gpus if gpu.uuid is not None}
    unknown = [uuid for uuid in wanted if uuid not in known]
    if unknown:
        raise UserInputError(
            ErrorCode.NOT_FOUND,
            {"field": "gpu", "value": unknown[0]},
            cause=f"The host has no GPU {unknown[0]}.",
            remedy="Take the fingerprint again; a UUID names a card, an index may change.",
        )
    access = fingerprint.containers.gpu_access
    if access in {GpuAccess.NONE, GpuAccess.UNKNOWN} and not wanted:
        return _Handover()
    chosen = tuple(
        gpu
        for uuid, gpu in known.items()
        if (uuid in wanted if wanted else gpu.mig_mode is not True)
    )
    if access is not GpuAccess.CDI:
        return _Handover(gpus=chosen, access=access)
    names = cdi_names(chosen, fingerprint.containers.cdi_devices)
    return _Handover(gpus=chosen, access=access, cdi_names=names)


def _container(
    wish: SmokeWish,
    program: SmokeProgram,
    *,
    image: str,
    handover: _Handover,
    text: str,
) -> ContainerSpec:
    mounts = (Mount(source=wish.folder, target=_FOLDER),) if wish.folder else ()
    command = program.command
    if program.kind is SmokeKind.TORCH:
        # The text leads the command: an entry point of docker run is one word.
        command = (text, f"{LIMIT_S:.0f}", *((_FOLDER,) if wish.folder else ()))
    return ContainerSpec(
        name=f"pitwall-smoke-{secrets.token_hex(4)}",
        image=image,
        command=command,
        entrypoint=program.entrypoint,
        environment={"CUDA_DEVICE_ORDER": "PCI_BUS_ID"},
        mounts=mounts,
        container_port=0,
        host_port=0,
        gpu_uuids=handover.uuids,
        gpu_access=handover.access.value,
        cdi_names=handover.cdi_names,
        shm_size_bytes=_SHM_BYTES,
        labels={_LABEL: wish.engine},
    )


def _take_a_fingerprint_first() -> UserInputError:
    return UserInputError(
        ErrorCode.NOT_FOUND,
        {"field": "fingerprint", "value": ""},
        cause="There is no fingerprint of this host yet, so its GPUs are not known.",
        remedy="Take the fingerprint first.",
    )


def _image_missing(plan: SmokePlan) -> DockerError:
    return DockerError(
        ErrorCode.IMAGE_MISSING,
        {"image": plan.container.image, "host": plan.host_name},
        cause=f"{plan.host_name} does not have the image {plan.container.image}; a smoke run "
        "fetches nothing.",
        remedy="Deploy with this engine first, load the image, or name one that is there "
        "(--image).",
    )


def _no_cuda_on_the_demo_host() -> DockerError:
    return DockerError(
        ErrorCode.DOCKER_REFUSED,
        {"host": "demo", "reason": "simulated"},
        cause="The demo host is simulated: there is no CUDA that could be asked.",
        remedy="Use a real host for the smoke run.",
    )
