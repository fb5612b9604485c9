"""The steps of the tour: what a person would do on the demo host, one picture per page.

Each step acts on the real window and then yields a condition to wait for. Nothing here waits
itself; `app.ui.tour` asks the conditions between turns of the event loop.
"""

import shutil
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from app.core.deployment.spec import DeploymentSpec
from app.core.documents.tour import TourFigures, TourRequest
from app.core.events import DeploymentState, HostSnapshot
from app.core.ids import container_name
from app.core.labels import DEPLOYMENT, REVISION
from app.services.user_files import make_folder
from app.ui.app import MainWindow

if TYPE_CHECKING:
    from app.bootstrap import Application
    from app.services.inspecting import Look
    from app.ui.pages.deployments import DeploymentsPage
    from app.ui.pages.fingerprint import FingerprintPage
    from app.ui.pages.hosts import HostsPage
    from app.ui.pages.inspect import InspectPage
    from app.ui.pages.live import LivePage
    from app.ui.pages.plan import PlanPage
    from app.ui.pages.topology import TopologyPage
    from app.ui.viewmodels.deployments import DeploymentsState
    from app.ui.viewmodels.plan_state import PlanState

RECORDING: Final = "resources/demo/h200-x2/idle"
SENT: Final = "h200-x2"
"""What a customer would have named the folder with that."""
WHAT_IF: Final = "8x H100 80GB SXM, 2 sockets, driver 550.54, Docker 26"
OTHER_HOST: Final = "2x NVIDIA L40S, PCIe"
OTHER_FILE: Final = "other-host.json"
PROFILE_FILE: Final = "profile.toml"
MODELS: Final = "/models"
MODEL: Final = "/models/qwen2.5-7b-instruct"
ADAPTER: Final = "/models/adapters/house-style"
SLIP: Final = "--max-modle-len 8192"
"""A flag with a slip of the pen."""
NAME: Final = "tour-chat"
TROUBLE: Final = "tour-trouble"
TOO_LITTLE: Final = "0.12"
"""Share of a demo GPU's memory that holds the weights and next to nothing else."""
PROMPTS: Final = 6
TOKENS: Final = 48
LIVE_SAMPLES: Final = 12
"""Seconds of samples that the picture of the live page shows."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Go on when ``ready`` says so; ``what`` names it should that never come."""

    what: str
    ready: Callable[[], bool]
    limit_s: float = 60


class Camera(Protocol):
    """Takes a picture of the window as it is."""

    def __call__(self, name: str) -> None:
        """Keep a picture under the next number."""


class TourSteps:
    """The main job as a generator of waits; figures and the log are there at the end."""

    def __init__(
        self,
        window: MainWindow,
        application: "Application",
        submit: Callable[[Coroutine[Any, Any, Any]], Future[Any]],
        camera: Camera,
        request: TourRequest,
    ) -> None:
        self._window = window
        self._app = application
        self._submit = submit
        self._picture = camera
        self._request = request
        self.log: tuple[str, ...] = ()
        self.figures = TourFigures(ttft_s=None, output_tokens_per_s=None, requests=0, start_s=None)

    def run(self) -> Iterator[Wait]:
        """Walk through all pages in the order of the main job."""
        yield from self._begin()
        yield from self._add_host()
        yield from self._look_at_host()
        yield from self._plan()
        yield from self._deploy()
        yield from self._watch()
        yield from self._stop()
        yield from self._fail()
        yield from self._inspect()
        yield from self._other_pages()

    def _begin(self) -> Iterator[Wait]:
        folder = self._submit(make_folder(Path(self._request.folder)))
        yield Wait("the folder", folder.done)
        folder.result()
        started = self._submit(self._app.start())
        yield Wait("the services", started.done)
        started.result()
        wanted = {"language": self._request.language, "theme": self._request.theme}
        chosen = self._submit(self._app.settings.update(**wanted))
        yield Wait("language and theme", chosen.done)
        chosen.result()
        self._window.started()

    def _add_host(self) -> Iterator[Wait]:
        self._window.open_page("hosts")
        yield Wait("the hosts page", lambda: self._window.current_page == "hosts")
        self._picture("hosts-empty")
        added = self._submit(self._app.hosts.add_demo())
        yield Wait("the demo host", lambda: added.done() and len(self._window.hosts()) == 1)
        host: HostSnapshot = added.result()
        self._window.select_host(host.settings.id)
        self._window.connect_host(host.settings.id)
        yield Wait("its fingerprint", lambda: self._host().summary is not None)
        hosts = cast("HostsPage", self._window.page("hosts"))
        hosts.refresh()
        self._picture("hosts")

    def _look_at_host(self) -> Iterator[Wait]:
        self._window.open_page("fingerprint")
        yield Wait("the fingerprint", lambda: self._window.current_page == "fingerprint")
        self._picture("fingerprint")
        facts = cast("FingerprintPage", self._window.page("fingerprint"))
        facts.open_tab(facts.checks)
        yield Wait("the checks", lambda: facts.checks.view_model.report is not None)
        self._picture("fingerprint-checks")
        yield from self._compare(facts)
        self._window.open_page("topology")
        page = cast("TopologyPage", self._window.page("topology"))
        yield Wait("the topology", lambda: page.view_model.fingerprint is not None)
        page.view_model.select((0, 1))
        yield Wait("the selected GPUs", lambda: len(page.view_model.selected) == 2)
        self._picture("topology")
        page.view_model.select(())
        self._window.hide_inspector()

    def _compare(self, page: "FingerprintPage") -> Iterator[Wait]:
        """Hold the demo host against one that is only thought of."""
        file = Path(self._request.folder) / OTHER_FILE
        other = self._app.imports.what_if(OTHER_HOST)
        written = self._submit(self._app.imports.write(file, other))
        yield Wait("another host's file", written.done)
        written.result()
        page.open_tab(page.compare)
        model = page.compare.view_model
        model.open_file(file)
        yield Wait("the comparison", lambda: model.state.comparison is not None)
        self._picture("fingerprint-compare")

    def _plan(self) -> Iterator[Wait]:
        self._window.open_page("plan")
        page = cast("PlanPage", self._window.page("plan"))
        model = page.view_model
        model.find_models(MODELS)
        yield Wait("models on the host", lambda: bool(model.state.candidates))
        model.choose_model(MODEL)
        yield Wait("its plan", lambda: model.state.plan is not None and not model.state.is_planning)
        self._picture("plan-model")
        model.choose_goal("throughput")
        model.set_input("concurrency", "64")
        model.set_input("context", "16k")
        model.go_to_step(1)
        yield Wait("a plan", lambda: model.state.plan is not None and not model.state.is_planning)
        self._picture("plan-goal")
        model.set_name(NAME)
        for step, name in ((2, "plan-limits"), (3, "plan-engine"), (4, "plan-container")):
            model.go_to_step(step)
            yield Wait(name, lambda step=step: model.state.step == step)  # type: ignore[misc]  # a default argument binds the loop's value
            self._picture(name)
            if step == 2:
                yield from self._look_beside(page)
        model.save_profile(Path(self._request.folder).absolute() / PROFILE_FILE)
        yield Wait("the saved profile", lambda: model.state.saved_path is not None)

    def _look_beside(self, page: "PlanPage") -> Iterator[Wait]:
        """Add an adapter, slip in a flag, see how far it goes and how the memory adds up."""
        model = page.view_model
        model.add_adapter(ADAPTER)
        yield Wait("the adapter", lambda: bool(model.state.inputs.adapters))
        flags = page.questions.limits.flags
        flags.field.editor.setFocus()  # what is said below it is scrolled to
        model.set_input("own_flags", SLIP)
        yield Wait("what is wrong with the flag", lambda: _is_told(model.state))
        self._picture("plan-flags")
        model.set_input("own_flags", "")
        model.remove_adapter(model.state.inputs.adapters[0].name)
        yield Wait("the plan", lambda: model.state.plan is not None and not model.state.is_planning)
        page.aside.open_reach()
        yield Wait("how far it goes", lambda: bool(page.aside.reach.reaches))
        self._picture("plan-reach")
        page.aside.open_hardware()
        yield Wait("the hardware", lambda: bool(page.aside.hardware.model.rows))
        self._picture("plan-hardware")
        page.aside.setCurrentIndex(0)
        page.memory.explained.emit("kv_cache_bytes_per_gpu")
        yield Wait("the arithmetic", lambda: _shows_arithmetic(page))
        self._picture("plan-arithmetic")
        self._window.hide_inspector()

    def _deploy(self) -> Iterator[Wait]:
        plan = cast("PlanPage", self._window.page("plan")).view_model
        plan.deploy(NAME)
        yield Wait("the start", lambda: self._state() is DeploymentState.STARTING)
        self._window.open_page("deployments")
        page = cast("DeploymentsPage", self._window.page("deployments"))
        model = page.view_model
        ref = f"{self._host().settings.name}/{NAME}"
        yield Wait("the deployment's card", lambda: bool(model.state.cards))
        model.select(ref)
        yield Wait("a phase", lambda: model.log.rowCount() > 3 or self._is_serving())
        self._picture("deployments-starting")
        yield Wait("the verified engine", self._is_serving, limit_s=120)
        model.open_tunnel()
        model.say("What does a pit wall do?", max_tokens=TOKENS)
        yield Wait("an answer", lambda: _has_answer(model.state.chat))
        self._picture("deployments-serving")
        page.detail.log.enlarge.setChecked(True)
        page.detail.log.open_find()
        page.detail.log.finder.is_regex.setChecked(True)
        page.detail.log.finder.search.setText(r"Application \w+ complete|Loading")
        yield Wait("the search in the log", lambda: not model.log.search.is_behind)
        self._picture("deployments-log")
        page.detail.log.close_find()
        page.detail.log.enlarge.setChecked(False)
        self.log = tuple(model.log.text(row) for row in range(model.log.rowCount()))

    def _watch(self) -> Iterator[Wait]:
        self._window.open_page("live")
        page = cast("LivePage", self._window.page("live"))
        yield Wait("the plots", lambda: page.is_ready)
        model = page.view_model
        model.choose_deployment(NAME)
        host_id = self._host().settings.id
        load = self._submit(self._talk())
        yield Wait("the load", load.done, limit_s=120)
        self._take_figures(load.result())

        def enough() -> bool:
            keys = self._app.metrics.keys(host_id, NAME)
            return any(len(self._app.metrics.series(key).times_s) >= LIVE_SAMPLES for key in keys)

        yield Wait("samples", enough)
        self._picture("live")

    async def _talk(self) -> tuple[tuple[float | None, float, int], ...]:
        host_id = self._host().settings.id
        answers = []
        for number in range(PROMPTS):
            prompt = f"Question {number + 1}: why measure before you decide?"
            answer = await self._app.deployments.chat(host_id, NAME, prompt, max_tokens=TOKENS)
            answers.append((answer.ttft_s, answer.total_s, answer.tokens or 0))
        return tuple(answers)

    def _take_figures(self, answers: tuple[tuple[float | None, float, int], ...]) -> None:
        firsts = sorted(first for first, _, _ in answers if first is not None)
        seconds = sum(total for _, total, _ in answers)
        tokens = sum(count for _, _, count in answers)
        phases = self._deployment_phases()
        self.figures = TourFigures(
            ttft_s=firsts[len(firsts) // 2] if firsts else None,
            output_tokens_per_s=tokens / seconds if seconds and tokens else None,
            requests=len(answers) + 1,
            start_s=max(phases) if phases else None,
        )

    def _deployment_phases(self) -> list[float]:
        found = self._app.deployments.find(f"{self._host().settings.name}/{NAME}")
        return [
            phase.started_s + (phase.duration_s or 0)
            for phase in found.phases
            if phase.started_s is not None
        ]

    def _stop(self) -> Iterator[Wait]:
        self._window.open_page("deployments")
        model = cast("DeploymentsPage", self._window.page("deployments")).view_model
        model.stop()
        yield Wait("the stop", lambda: self._state() is DeploymentState.STOPPED)
        self._picture("deployments-stopped")

    def _fail(self) -> Iterator[Wait]:
        """Ask the simulated engine for more than it has room for, and see the cause named."""
        host_id = self._host().settings.id
        plan = self._app.deployments.records.spec(host_id, NAME)
        if plan is None:
            return
        failing = self._submit(self._app.deployments.deploy(_too_little_memory(plan)))
        yield Wait("the failure", failing.done, limit_s=120)
        failing.exception()  # it is what this step is about
        page = cast("DeploymentsPage", self._window.page("deployments"))
        model = page.view_model
        model.select(f"{self._host().settings.name}/{TROUBLE}")
        yield Wait("its cause", lambda: _is_explained(model.state))
        yield Wait("its log", lambda: model.log.rowCount() > 0)
        self._picture("deployments-finding")

    def _inspect(self) -> Iterator[Wait]:
        self._window.open_page("inspect")
        page = cast("InspectPage", self._window.page("inspect"))
        self._picture("inspect-empty")
        sent = Path(self._request.folder) / SENT
        shutil.copytree(self._app.data_root / RECORDING, sent, dirs_exist_ok=True)
        page.view_model.open_path(sent)
        yield Wait("what was sent", lambda: page.view_model.state.look is not None)
        self._picture("inspect")
        page.view_model.think_of(WHAT_IF)
        yield Wait("the host thought of", lambda: _is_thought_of(page.view_model.state.look))
        self._picture("inspect-what-if")

    def _other_pages(self) -> Iterator[Wait]:
        for page_id in ("settings", "help", "about"):
            self._window.open_page(page_id)
            yield Wait(page_id, lambda page_id=page_id: self._window.current_page == page_id)  # type: ignore[misc]  # as above
            self._picture(page_id)

    def _host(self) -> HostSnapshot:
        return self._window.hosts()[0]

    def _state(self) -> DeploymentState | None:
        found = [
            snapshot.state
            for snapshot in self._app.deployments.snapshot(self._host().settings.id)
            if snapshot.name == NAME
        ]
        return found[0] if found else None

    def _is_serving(self) -> bool:
        return self._state() is DeploymentState.SERVING


def _is_thought_of(look: "Look | None") -> bool:
    return look is not None and look.name == WHAT_IF


def _is_told(state: "PlanState") -> bool:
    return not state.is_planning and state.flag_report is not None


def _shows_arithmetic(page: "PlanPage") -> bool:
    panel = page.arithmetic
    return panel is not None and not panel.visibleRegion().isEmpty()


def _has_answer(chat: object) -> bool:
    return bool(getattr(chat, "answer", "")) and not getattr(chat, "is_waiting", True)


def _is_explained(state: "DeploymentsState") -> bool:
    detail = state.detail
    return detail is not None and detail.card.name == TROUBLE and detail.findings is not None


def _too_little_memory(plan: DeploymentSpec) -> DeploymentSpec:
    """Return a plan under another name whose engine has no room for its KV cache."""
    words = list(plan.container.command)
    values = {"--gpu-memory-utilization": TOO_LITTLE, "--max-model-len": "32768"}
    for flag, value in values.items():
        if flag in words:
            words[words.index(flag) + 1] = value
        else:
            words += [flag, value]
    labels = {**plan.container.labels, DEPLOYMENT: TROUBLE, REVISION: "1"}
    container = replace(
        plan.container,
        name=container_name(TROUBLE, 1),
        command=tuple(words),
        labels=labels,
        host_port=0,
    )
    return replace(plan, name=TROUBLE, revision=1, container=container)
