"""Slow, but nothing failed: the genuine llama-server with more asked than it has places for."""

import asyncio
import contextlib

import pytest

from app.cli.diagnose import look
from app.core.errors import UserInputError
from app.core.slow.explain import SlowVerdict

pytestmark = [pytest.mark.docker, pytest.mark.sshd, pytest.mark.engine]
BUSY = "host-processors-shared"


async def test_full_queue_is_named_and_an_idle_engine_is_not_slow(site, ssh_host):
    host_id = await site.connect(ssh_host)
    service, application = site.service, site.application
    done = await service.deploy(await site.preview(host_id), may_pull=False)

    quiet, alerts = await look(application, f"gpu-a/{site.name}", 2)
    assert alerts == ()
    # The machine that runs the tests may have other work: that is said, and nothing else.
    assert {finding.rule for finding in quiet.findings} <= {BUSY}
    assert quiet.verdict is SlowVerdict.NOTHING_SLOW
    assert quiet.facts["client_ttft_ms"] > 0
    assert quiet.facts["load"] is not None

    # The test's host is this machine, so its published port is a URL that a client here may use.
    url = f"http://127.0.0.1:{done.host_port}/v1"
    direct, _ = await look(application, f"gpu-a/{site.name}", 0.5, url)
    assert direct.facts["client_ttft_ms"] > 0
    with pytest.raises(UserInputError):
        await look(application, f"gpu-a/{site.name}", 0, "https://127.0.0.1")

    crowd = [
        asyncio.ensure_future(service.chat(host_id, site.name, f"Tell {n}", max_tokens=4000))
        for n in range(12)
    ]
    await asyncio.sleep(0.5)
    report = await application.slow.explain(done, window_s=1.5, ask=False)
    for talk in crowd:
        talk.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.gather(*crowd, return_exceptions=True)

    assert report.findings[0].rule == "queue-standing"
    assert {finding.rule for finding in report.findings} <= {"queue-standing", BUSY}
    assert report.facts["waiting_min"] >= 1
    await application.watching.look(host_id)
    assert application.watching.alerts_of(host_id, site.name) == ()
    await service.remove(host_id, site.name)
