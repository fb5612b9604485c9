"""Which hardware would do, and the inverse questions: one call for the window and the command.

Hosts are answered for from their stored fingerprints: nothing is connected.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from app.core.deployment.profile_flag import ProfileFlag
from app.core.events import HostSnapshot
from app.core.hardware.fingerprint import Fingerprint
from app.core.ids import HostId
from app.core.models.architecture import ModelInfo
from app.core.models.inverse import Wanted
from app.core.planning.flag_estimate import options_of_flags
from app.core.planning.host_view import view_host
from app.core.planning.plan import Plan
from app.core.planning.product_hardware import product_candidates
from app.services.estimating import Asked, EstimatingData, EstimatingService, engine_named
from app.services.owned_hosts import OwnedHosts, owned_hosts
from app.services.sizing_answer import SizingAnswer, sizing_answer

if TYPE_CHECKING:
    from app.core.planning.sizing import Estimator


class KnownHosts(Protocol):
    """The hosts of this desk with what was last read of them (the hosts service)."""

    def snapshot(self) -> tuple[HostSnapshot, ...]:
        """Return all hosts as they are now."""

    async def fingerprint(self, host_id: HostId) -> Fingerprint | None:
        """Return the newest stored one."""


class SizingService:
    """Answers which hardware would do."""

    def __init__(
        self,
        *,
        hosts: KnownHosts,
        data: EstimatingData,
        estimator: Callable[[], Awaitable["Estimator"]],
    ) -> None:
        self._hosts = hosts
        self._data = data
        self._estimator = estimator

    def asked_of_plan(self, plan: Plan, *, model: ModelInfo, fingerprint: Fingerprint) -> Asked:
        """Return a plan as a question: its engine, flags and goal on the GPUs it chose.

        Raises:
            PlanError: NOT_FOUND for a chosen GPU that the fingerprint does not list.
        """
        chosen = plan.parameters.gpu_uuids
        view = view_host(fingerprint, chosen, self._data.catalogue, cpu_only=plan.estimate.on_cpu)
        device = view.memory_device(view.choose(len(chosen)) if chosen else None)
        options = options_of_flags(
            [ProfileFlag(name=flag.name, value=flag.value) for flag in plan.flags],
            engine=engine_named(self._data.engines, plan.engine),
            version=plan.version,
            device=device,
        )
        return Asked(
            model=model,
            engine=plan.engine,
            version=plan.version,
            device=device,
            options=replace(
                options,
                context_tokens=plan.parameters.context_tokens,
                concurrency=plan.parameters.concurrency,
            ),
        )

    async def answer(
        self,
        asked: Asked,
        *,
        wanted: Sequence[Wanted] = (),
        table: bool = True,
        products: bool = True,
    ) -> SizingAnswer:
        """Answer inverse questions and say which hardware would do.

        Args:
            asked: Model, engine, version, device, and options that hold the goal
                (``context_tokens``, ``concurrency``).
            wanted: Inverse questions about the device of ``asked``.
            table: Whether hardware is looked at.
            products: Whether the catalogue's products follow the owned hosts.

        Raises:
            UserInputError: INVALID_INPUT for options outside their range.
            PlanError: UNSUPPORTED_COMBINATION for an engine or KV dtype that is not known.
        """
        estimator = await self._estimator()
        owned = await self.owned() if table else OwnedHosts()
        catalogue = self._data.catalogue

        def answered() -> SizingAnswer:
            candidates = list(owned.candidates(catalogue))
            if table and products:
                candidates.extend(product_candidates(catalogue))
            judge = EstimatingService(self._data).judge(asked)
            found = sizing_answer(asked, estimator, candidates, wanted, judge)
            return replace(found, unread=owned.unread)

        return await asyncio.to_thread(answered)

    async def owned(self) -> OwnedHosts:
        """Return the hosts whose facts are stored; nothing is connected."""
        settings = [snapshot.settings for snapshot in self._hosts.snapshot()]
        return await owned_hosts(settings, self._hosts.fingerprint)
