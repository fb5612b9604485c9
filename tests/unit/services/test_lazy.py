"""Services that are made when they are first asked for."""

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.bootstrap import build
from app.bootstrap.lazy import Lazy

PLANNING = ("app.services.planning", "app.services.deployments", "app.services.metrics")


def test_one_object_is_made_however_many_threads_ask_at_once():
    gate = threading.Barrier(4)
    made = []

    def make():
        made.append(object())
        return made[-1]

    lazy = Lazy(make)
    assert lazy.made is None

    def ask(_number):
        gate.wait(timeout=30)
        return lazy()

    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(ask, range(4))) == set(made)
    assert made == [lazy.made]


def test_maker_that_fails_is_asked_again():
    answers = iter([ValueError("not yet"), "made"])

    def make():
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    lazy = Lazy(make)
    with pytest.raises(ValueError, match="not yet"):
        lazy()
    assert lazy() == "made"


async def test_command_makes_only_what_it_uses_and_closes_that(tmp_path):
    application = build(home=tmp_path, only_what_is_used=True)
    await application.start()
    assert application.lazy.planning.made is None

    assert application.deployments is application.deployments
    assert application.lazy.planning.made is not None
    assert application.lazy.metrics.made is None
    await application.close()


async def test_window_has_all_services_from_the_start(tmp_path):
    application = build(home=tmp_path)
    await application.start()
    assert application.lazy.metrics.made is application.metrics
    await application.close()


def test_listing_hosts_loads_no_planning():
    script = (
        "import sys, json\n"
        "from app.__main__ import main\n"
        "main(['hosts', 'list'])\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    loaded = json.loads(done.stdout.splitlines()[-1])
    assert not set(PLANNING) & set(loaded)
