"""A window on an application with scripted hosts, in a chosen language and theme."""

import gc
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import ui_fakes
from pytestqt.qtbot import QtBot

from app.bootstrap import Application, build
from app.core.events import HostSettings, HostSnapshot
from app.io.demo.containers import DemoPace
from app.services.runtime import LoopThread
from app.ui.app import MainWindow, create_window
from app.ui.bridge import CoreBridge
from app.ui.collect import GuiCollector
from app.ui.parts import WindowParts, build_parts


@dataclass
class Desk:
    """A window and what is behind it."""

    qtbot: QtBot
    loop: LoopThread
    outside: ui_fakes.Outside
    app: Application
    bridge: CoreBridge
    parts: WindowParts
    window: MainWindow

    def finish(self, work: Any) -> Any:
        """Run a coroutine on the core loop while Qt goes on; return its result."""
        future: Future[Any] = self.loop.submit(work)
        self.qtbot.waitUntil(future.done)
        return future.result()

    def add_host(self, settings: HostSettings, *, connect: bool = True) -> HostSnapshot:
        """Add a host, connect it and take its fingerprint; the window knows it then."""
        snapshot = self.finish(self.app.hosts.add(settings))
        host_id = snapshot.settings.id
        if connect:
            self.finish(self.app.hosts.connect(host_id))
            self.finish(self.app.hosts.take_fingerprint(host_id))
        self.qtbot.waitUntil(
            lambda: any(
                host.settings.id == host_id and (not connect or host.summary is not None)
                for host in self.window.hosts()
            )
        )
        return self.app.hosts.find(host_id)

    def use(self, *, language: str = "en", theme: str = "light") -> None:
        """Put a language and a theme in force."""
        self.parts.translations.choose(language)
        self.parts.theme.choose(theme)


@pytest.fixture(autouse=True, scope="module")
def collector(qapp: object) -> Iterator[GuiCollector]:  # noqa: ARG001 - Qt must be there
    """Collect Qt's cycles on this thread, as the application does.

    One for a module: each start looks at the whole heap once, half a second beside all tests.
    """
    collector = GuiCollector()
    yield collector
    collector.stop()
    collector.deleteLater()
    gc.collect()


@pytest.fixture(autouse=True)
def collected_here(collector: GuiCollector) -> Iterator[None]:  # noqa: ARG001 - it is at work
    """Leave no cycle of a test to the next."""
    yield
    gc.collect()


@pytest.fixture
def outside() -> ui_fakes.Outside:
    """What the hosts of this test answer."""
    return ui_fakes.Outside()


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path, outside: ui_fakes.Outside) -> Iterator[Desk]:
    """A window over real services and scripted hosts."""
    app = ui_fakes.build_application(tmp_path / "home", outside)
    loop = LoopThread().start()
    loop.submit(app.start()).result(30)
    loop.submit(app.settings.update(language="en", theme="light")).result(30)
    bridge = CoreBridge(loop, app.bus)
    parts = build_parts(app)
    window = create_window(app, bridge, parts)
    qtbot.addWidget(window)
    window.resize(1280, 800)
    window.show()
    window.view_model.reload()
    qtbot.waitUntil(lambda: bool(window.current_page))
    yield Desk(
        qtbot=qtbot,
        loop=loop,
        outside=outside,
        app=app,
        bridge=bridge,
        parts=parts,
        window=window,
    )
    window.dispose()
    bridge.detach()
    loop.submit(app.close()).result(30)
    parts.translations.choose("en")
    assert loop.stop(timeout_s=30)


@pytest.fixture
def wait(qtbot: QtBot) -> Callable[[Callable[[], bool]], None]:
    """Wait until something holds."""
    return qtbot.waitUntil


@pytest.fixture
def demo(qtbot: QtBot, tmp_path: Path) -> Iterator[Desk]:
    """A window over the real services with the demo host connected, its engines sped up."""
    app = build(home=tmp_path / "home", demo_pace=DemoPace(speed=200, visitors=False))
    loop = LoopThread().start()
    loop.submit(app.start()).result(30)
    loop.submit(app.settings.update(language="en", theme="light")).result(30)
    bridge = CoreBridge(loop, app.bus)
    parts = build_parts(app)
    window = create_window(app, bridge, parts)
    qtbot.addWidget(window)
    window.resize(1280, 800)
    window.show()
    desk = Desk(
        qtbot=qtbot,
        loop=loop,
        outside=ui_fakes.Outside(),
        app=app,
        bridge=bridge,
        parts=parts,
        window=window,
    )
    host = desk.finish(app.hosts.add_demo())
    desk.finish(app.hosts.connect(host.settings.id))
    desk.finish(app.hosts.take_fingerprint(host.settings.id))
    window.view_model.reload()
    window.select_host(host.settings.id)
    qtbot.waitUntil(lambda: bool(window.current_page))
    yield desk
    window.dispose()
    bridge.detach()
    loop.submit(app.close()).result(30)
    parts.translations.choose("en")
    assert loop.stop(timeout_s=30)
