"""Slow, but nothing failed: the genuine llama-server with more asked than it has places for."""

import asyncio
import json
import os
import shlex
import signal

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

    # Asked by programs of their own: this process would be too busy with their answers to look.
    key = await service.api_key(host_id, site.name)
    body = {"model": done.model_name, "messages": [{"role": "user", "content": "Tell"}]}
    request = shlex.join(
        ["curl", "-s", "-o", "/dev/null", "-H", "Content-Type: application/json"]
        + (["-H", f"Authorization: Bearer {key}"] if key else [])
        + ["-d", json.dumps({**body, "max_tokens": 1500}), f"{url}/chat/completions"]
    )
    crowd = [
        await asyncio.create_subprocess_exec(
            "sh", "-c", f"while :; do {request} || exit; done", start_new_session=True
        )
        for _ in range(12)
    ]
    await asyncio.sleep(0.5)
    # A machine that is this busy may not give the figures in time: that is said, and asked again.
    for _ in range(6):
        report = await application.slow.explain(done, window_s=1.5, ask=False)
        if report.verdict is not SlowVerdict.NOT_KNOWN:
            break
    for asking in crowd:
        os.killpg(asking.pid, signal.SIGKILL)
        await asking.wait()

    assert report.findings[0].rule == "queue-standing"
    assert {finding.rule for finding in report.findings} <= {"queue-standing", BUSY}
    assert report.facts["waiting_min"] >= 1
    await application.watching.look(host_id)
    assert application.watching.alerts_of(host_id, site.name) == ()
    await service.remove(host_id, site.name)
