"""The steps of a deployment: preflight → image → create → start → ready → verified.

Each step answers with the event that it led to, or raises; what follows is the state machine's
business. A step that is cancelled undoes nothing by itself: the machine asks for that.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Iterator
from dataclasses import replace
from typing import Final, TypeVar

from app.core.actuals.record import StartRecord
from app.core.deployment import happenings as h
from app.core.deployment.spec import DeploymentSpec
from app.core.engines.spec import EngineData
from app.core.errors import AppError, DockerError, EngineError, ErrorCode
from app.core.events import PhaseProgress
from app.core.labels import read_labels
from app.core.logs.phases import typical_durations
from app.core.mirrors import mirrored
from app.io.containers import ENDED, ContainerEngine, ContainerInfo
from app.services.clock import utc_text
from app.services.deploying import errors
from app.services.deploying.book import Deployment, DeploymentBook
from app.services.deploying.checks import PreflightChecks, find_image, pull_refused
from app.services.deploying.inquest import Inquest
from app.services.deploying.keys import fill_secrets, keep_key
from app.services.deploying.known import learning_keys, unknown_engine
from app.services.deploying.measuring import measure_start
from app.services.deploying.parts import DeployParts
from app.services.deploying.requests import (
    ANSWER_S,
    EngineRequests,
    judge_answer,
    keeps_serving,
)
from app.services.deploying.revisions import KEEP_POLICY
from app.services.deploying.start import StartWatch
from app.services.streams import ended

T = TypeVar("T")

DEFAULT_GRACE_S: Final = 10.0
DEFAULT_PORT: Final = 8000


class DeploySteps:
    """Performs single steps for any deployment."""

    def __init__(self, parts: DeployParts, book: DeploymentBook) -> None:
        self._parts = parts
        self._book = book
        self.inquest = Inquest(parts)

    def data(self, deployment: Deployment) -> EngineData:
        """Return what is known of its engine; an unknown one is watched without phases."""
        return self._parts.engines.get(deployment.engine) or unknown_engine(deployment.engine)

    async def containers(self, deployment: Deployment) -> ContainerEngine:
        """Return the host's container engine."""
        return await self._parts.hosts.container_engine(deployment.host_id)

    def requests(self, deployment: Deployment, info: ContainerInfo | None = None) -> EngineRequests:
        """Return a client for the engine's port on the host's loopback.

        Raises:
            HostError: NOT_CONNECTED.
        """
        if info is not None:
            self.note_container(deployment, info)
        transport = self._parts.hosts.transport(deployment.host_id)
        http = self._parts.http(
            transport, deployment.host_port or 0, api_key=deployment.api_key or None
        )
        server = self.data(deployment).engine.server
        return EngineRequests(
            http,
            engine=deployment.engine,
            model=deployment.model_name,
            clock=self._parts.clock,
            answer_s=server.first_answer_s if server else ANSWER_S,
        )

    def note_container(self, deployment: Deployment, info: ContainerInfo) -> None:
        """Take over what the container engine says about port, key, start and restarts."""
        labels = read_labels(info.labels)
        if info.host_ports:
            deployment.host_port = next(iter(info.host_ports.values()))
        elif deployment.host_port is None and labels is not None:
            deployment.host_port = labels.port or None
        deployment.started_at = info.started_at or deployment.started_at
        server = self.data(deployment).engine.server
        if server is not None and server.api_key_env:
            prefix = f"{server.api_key_env}="
            for entry in info.environment:
                if entry.startswith(prefix):
                    deployment.api_key = entry.removeprefix(prefix) or None

    # Before the start

    async def preflight(self, deployment: Deployment) -> h.PreflightPassed:
        """Check everything; keep the port and the leftover that were found."""
        spec = _spec_of(deployment)
        with self._own_phase(deployment, "preflight"):
            server = self.data(deployment).engine.server
            checks = PreflightChecks(
                host=deployment.host_name,
                transport=self._parts.hosts.transport(deployment.host_id),
                engine=await self.containers(deployment),
                default_port=server.container_port if server else DEFAULT_PORT,
            )
            found = await checks.run(spec, await self._parts.hosts.fingerprint(deployment.host_id))
            await fill_secrets(deployment, spec, server, self._parts)
        deployment.spec = found.spec
        deployment.host_port = found.spec.container.host_port
        deployment.leftover = found.leftover
        deployment.image_id = found.image.id if found.image else ""
        return h.PreflightPassed(image_present=found.image is not None)

    async def fetch(self, deployment: Deployment) -> h.ImageFetched:
        """Pull the image with progress; a host without a way out is told so."""
        spec, containers = _spec_of(deployment), await self.containers(deployment)
        if not deployment.may_pull:
            raise errors.image_missing(spec.image, deployment.host_name)
        source = mirrored(spec.image, self._parts.mirrors()) or spec.image
        with self._own_phase(deployment, "fetch"):
            try:
                async with ended(containers.pull(source)) as news:
                    async for item in news:
                        total = item.total_bytes
                        share = min(item.done_bytes / total, 1.0) if total else None
                        self._progress(deployment, "fetch", share, item.status)
            except DockerError as exc:
                refusal = pull_refused(exc, spec, deployment.host_name)
                if refusal is exc:
                    raise
                raise refusal from exc
            if source != spec.image:
                await containers.tag(source, spec.image)
            image = await find_image(containers, spec) or await containers.image(source)
        if image is None:
            raise errors.image_missing(spec.image, deployment.host_name)
        deployment.image_id = image.id
        return h.ImageFetched()

    async def create(self, deployment: Deployment) -> h.ContainerCreated:
        """Create the container from the pinned image."""
        # Reading the rules takes a moment, in which a container that is made, but not started,
        # could be cut off.
        await self.inquest.prepare()
        containers = await self.containers(deployment)
        with self._own_phase(deployment, "create"):
            spec = await self._pinned(deployment, containers)
            if deployment.leftover:
                await containers.remove(deployment.leftover, force=True)
                deployment.leftover = None

            async def make() -> None:
                # The id is kept even when the caller was cancelled while the engine was at it.
                deployment.may_be_unseen = True
                try:
                    deployment.container_id = await containers.create(
                        spec.container, image_id=spec.image_id, secrets=dict(deployment.secrets)
                    )
                except DockerError as exc:
                    # Refused: a container of that name is somebody else's, perhaps another
                    # Pitwall's that deploys the same at this moment.
                    deployment.may_be_unseen = exc.code == ErrorCode.DOCKER_NOT_REACHABLE
                    raise

            await _settled(make())
        await keep_key(deployment, self.data(deployment).engine.server, self._parts.keys)
        return h.ContainerCreated()

    async def _pinned(self, deployment: Deployment, containers: ContainerEngine) -> DeploymentSpec:
        spec = _spec_of(deployment)
        image = await containers.image(deployment.image_id or spec.image)
        if image is None:
            raise errors.image_missing(spec.image, deployment.host_name)
        pinned_by = "digest" if image.repo_digests else "image-id"
        deployment.spec = replace(spec, image_id=image.id, image_pinned_by=pinned_by)
        return deployment.spec

    # The start

    async def start(self, deployment: Deployment) -> None:
        """Start the container."""
        deployment.diagnosis = None
        await self.inquest.prepare()
        containers = await self.containers(deployment)
        container = _container_of(deployment)
        await containers.start(container)
        # Starting by hand sets the engine's count of restarts back.
        deployment.restart_count = (await containers.inspect(container)).restart_count

    async def watch_start(self, deployment: Deployment) -> h.DeploymentEvent:
        """Follow the start until it is ready or has ended."""
        for phase in ("verify", "serving"):  # those of the start before this one
            deployment.own_phases.pop(phase, None)
        data, keys = self.data(deployment), learning_keys(deployment)
        on_cpu = deployment.spec is not None and not deployment.spec.container.gpu_uuids
        learned = await self._parts.journal.durations(keys) or typical_durations(
            data.startup, on_cpu=on_cpu, simulated=deployment.simulated
        )
        log_diagnosis = await self.inquest.begin(deployment)

        def changed(watch: StartWatch) -> None:
            deployment.engine_phases = watch.phases()
            deployment.remaining_s = watch.remaining_s()
            if watch.info is not None:
                self.note_container(deployment, watch.info)
            self._book.publish(deployment)

        watch = StartWatch(
            name=deployment.name,
            container=_container_of(deployment),
            containers=await self.containers(deployment),
            requests=lambda info: self.requests(deployment, info),
            data=data,
            clock=self._parts.clock,
            learned=learned,
            began_s=deployment.began_s,
            known_restarts=deployment.restart_count,
            changed=changed,
            log_diagnosis=log_diagnosis,
            conclude=lambda info: self.inquest.conclude(deployment, log_diagnosis, info),
        )
        try:
            event = await watch.run()
        finally:
            deployment.diagnosis = watch.diagnosis or deployment.diagnosis
        if isinstance(event, h.EngineReady):
            deployment.actuals = watch.actuals()
            await self._parts.journal.learn(keys, watch.durations())
            await self._parts.starts.record(self._record(deployment, watch))
        else:
            deployment.failure = watch.failure
            deployment.restart_count = watch.info.restart_count if watch.info else 0
        return event

    def _record(self, deployment: Deployment, watch: StartWatch) -> StartRecord:
        spec = deployment.spec
        return StartRecord(
            host_id=deployment.host_id,
            name=deployment.name,
            revision=deployment.revision,
            at=utc_text(self._parts.clock.now_s()),
            prediction=spec.prediction if spec is not None else None,
            actuals=watch.actuals(),
            chosen=watch.chosen(),
            durations=watch.durations(),
            simulated=deployment.simulated,
        )

    async def verify(self, deployment: Deployment) -> h.Verified | h.VerifyFailed:
        """Ask for one real completion and read it."""
        with self._own_phase(deployment, "verify"):
            try:
                answer = await self.requests(deployment).verify()
            except EngineError as exc:
                failure = await self._died(deployment) or exc
                deployment.failure = failure
                return h.VerifyFailed(error=failure.info)
            deployment.verified_text = answer.text
            bad = judge_answer(deployment.engine, answer)
            if bad is None:
                await measure_start(
                    deployment, self.requests(deployment), self._parts.runs, self._parts.clock
                )
        if bad is None or keeps_serving(bad):
            self._begin_serving(deployment)
        if bad is None:
            if not deployment.restart_count:
                deployment.diagnosis = None
            return h.Verified()
        deployment.failure = bad
        return h.VerifyFailed(error=bad.info, keeps_serving=keeps_serving(bad))

    async def _died(self, deployment: Deployment) -> EngineError | None:
        """Return why the first request ended the engine; ``None`` when it still runs."""
        containers = await self.containers(deployment)
        info = await containers.inspect(_container_of(deployment))
        telling, deployment.diagnosis = await self.inquest.of_container(
            deployment, containers, info
        )
        if info.status not in ENDED:
            return None
        name = self.data(deployment).engine.name
        return errors.exited(name, info, telling, diagnosis=deployment.diagnosis)

    async def keep_running(self, deployment: Deployment) -> None:
        """From now on the container engine starts it again whenever it ends."""
        containers = await self.containers(deployment)
        await containers.set_restart_policy(_container_of(deployment), KEEP_POLICY)

    # The end

    async def stop(self, deployment: Deployment) -> h.Stopped:
        """Stop the container with the engine's own grace time."""
        containers, container = await self.containers(deployment), _container_of(deployment)
        server = self.data(deployment).engine.server
        await containers.stop(
            container, grace_s=server.stop_timeout_s if server else DEFAULT_GRACE_S
        )
        info = await containers.inspect(container)
        return h.Stopped(exit_code=info.exit_code)

    async def remove(self, deployment: Deployment) -> None:
        """Remove the container that this deployment made, and nothing else."""
        containers = await self.containers(deployment)
        container = deployment.container_id
        if container is None and deployment.may_be_unseen:
            container = await self._made_unseen(deployment, containers)
        deployment.container_id, deployment.may_be_unseen = None, False
        if container is not None:
            await containers.remove(container, force=True)

    async def _made_unseen(self, deployment: Deployment, containers: ContainerEngine) -> str | None:
        """Return a container that was created without our hearing of it."""
        spec = _spec_of(deployment)
        try:
            info = await containers.inspect(spec.container.name)
        except DockerError as exc:
            if exc.code != ErrorCode.CONTAINER_NOT_FOUND:
                raise
            return None
        labels = read_labels(info.labels)
        ours = (
            labels is not None
            and labels.deployment == spec.name
            and labels.plan_digest == spec.plan_digest
            and info.status == "created"
        )
        return info.id if ours else None

    # Phases of our own

    @contextlib.contextmanager
    def _own_phase(self, deployment: Deployment, phase: str) -> Iterator[None]:
        clock = self._parts.clock
        started_s = clock.monotonic_s() - deployment.began_s
        deployment.own_phases[phase] = PhaseProgress(
            phase=phase, started_s=started_s, duration_s=None
        )
        self._book.publish(deployment)
        try:
            yield
        finally:
            deployment.own_phases[phase] = replace(
                deployment.own_phases[phase],
                duration_s=clock.monotonic_s() - deployment.began_s - started_s,
            )

    def _begin_serving(self, deployment: Deployment) -> None:
        """The last step has no end: what comes after it is no start any more."""
        deployment.own_phases["serving"] = PhaseProgress(
            phase="serving",
            started_s=self._parts.clock.monotonic_s() - deployment.began_s,
            duration_s=None,
        )

    def _progress(
        self, deployment: Deployment, phase: str, share: float | None, detail: str
    ) -> None:
        before = deployment.own_phases[phase]
        after = replace(before, progress=share, detail=detail)
        if after != before:
            deployment.own_phases[phase] = after
            self._book.publish(deployment)


async def _settled(work: Awaitable[T]) -> T:
    """Wait for ``work`` to its own end even when cancelled, then let the cancelling go on."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        with contextlib.suppress(AppError, asyncio.CancelledError):
            await task
        raise


def _spec_of(deployment: Deployment) -> DeploymentSpec:
    assert deployment.spec is not None  # noqa: S101 - a deployment being made always has one
    return deployment.spec


def _container_of(deployment: Deployment) -> str:
    if deployment.container_id is None:
        raise errors.gone(deployment.name, deployment.host_name)
    return deployment.container_id
