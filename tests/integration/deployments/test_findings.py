"""A genuine engine fails: its cause stands in the snapshot, on the command line, in the bundle."""

import asyncio
import json
import os
import socket
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.documents.operate import deployment_entry
from app.core.errors import AppError
from app.core.events import DeploymentState
from app.services.deployments import DeploymentService

S = DeploymentState

pytestmark = [pytest.mark.docker, pytest.mark.sshd, pytest.mark.engine, pytest.mark.timeout(120)]


async def pitwall(*arguments):
    """Run the command line as a program of its own; return exit code and stdout."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "app", *arguments,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env=os.environ.copy(),
    )  # fmt: skip
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def failed(site, spec):
    with pytest.raises(AppError) as caught:
        await site.service.deploy(spec, may_pull=False)
    return caught.value, next(s for s in site.service.snapshot() if s.name == site.name)


async def test_bad_flag_is_named_everywhere(site, ssh_host, tmp_path):
    host_id = await site.connect(ssh_host)
    spec = await site.preview(host_id)
    command = (*spec.container.command, "--no-such-flag")
    spec = await site.preview(host_id, command=command)

    error, snapshot = await failed(site, spec)

    assert snapshot.state is S.FAILED
    assert snapshot.findings[0].cause == "usage_error"
    assert any("--no-such-flag" in e.text for e in snapshot.findings[0].evidence)
    assert error.params["cause"] == "usage_error"
    assert deployment_entry(snapshot).primary == "usage_error"
    # Another desk, or this one after a restart, finds the dead container and says the same.
    other = DeploymentService(site.service._parts)
    found = next(s for s in await other.refresh(host_id) if s.name == site.name)
    assert (found.state, found.findings[0].cause) == (S.FAILED, "usage_error")
    await other.close()

    ref = f"gpu-a/{site.name}"
    code, out, err = await pitwall("diagnose", ref, "--json")
    assert code == 0, err
    document = json.loads(out)
    assert document["primary"] == "usage_error"
    assert document["findings"][0]["evidence"][0]["line"] >= 1
    code, out, _ = await pitwall("diagnose", ref, "--lang", "zh_CN")
    assert code == 0
    assert "依据" in out
    code, out, _ = await pitwall("ps", "gpu-a")
    assert "usage_error" in out

    file = tmp_path / "bundle.zip"
    code, out, err = await pitwall("report", "bundle", ref, "-o", str(file), "--json")
    assert code == 0, err
    assert json.loads(out)["file"] == str(file)
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        texts = {name: archive.read(name).decode() for name in names}
    assert {"log.txt", "container.json", "plan.json", "findings.json", "manifest.json"} <= {*names}
    everything = "\n".join(texts.values())
    assert json.loads(texts["findings.json"])["primary"] == "usage_error"
    for private in (ssh_host.user, site.model_path, "gpu-a", str(ssh_host.client_key)):
        assert private not in everything, private


def _cut_off(whole: Path) -> Path:
    cut = whole.with_name("cut.gguf")
    cut.write_bytes(whole.read_bytes()[:500_000])
    # Pitwall's user may not read it, so that the engine gets as far as the damage.
    cut.chmod(0o600)
    return cut


async def test_truncated_weights_are_named(site, ssh_host):
    host_id = await site.connect(ssh_host)
    spec = await site.preview(host_id)
    cut = await asyncio.to_thread(_cut_off, Path(site.model_path))
    mount = replace(spec.container.mounts[0], source=str(cut))
    spec = replace(spec, container=replace(spec.container, mounts=(mount,)))

    _, snapshot = await failed(site, spec)

    assert snapshot.findings[0].cause == "corrupt_or_partial_weights"


async def test_port_that_is_taken_is_named_and_its_change_is_planned(site, ssh_host):
    host_id = await site.connect(ssh_host)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        spec = await site.preview(host_id, host_port=taken.getsockname()[1])
        _, snapshot = await failed(site, spec)

    primary = snapshot.findings[0]
    assert primary.cause == "port_in_use"
    plan = await site.application.diagnosis.changed_plan(host_id, site.name, primary.change)
    assert plan.new.container.host_port == 0

    done = await site.application.diagnosis.apply(f"gpu-a/{site.name}", plan)

    assert (done.state, done.diagnosis) == (S.SERVING, None)
    await site.service.remove(host_id, site.name)


async def test_changed_plan_keeps_the_key_and_becomes_a_new_revision(site, ssh_host):
    host_id = await site.connect(ssh_host)
    spec = await site.preview(host_id)
    command = (*spec.container.command, "--no-such-flag")
    await failed(site, await site.preview(host_id, command=command))
    key = await site.service.api_key(host_id, site.name)
    before = next(s for s in site.service.snapshot() if s.name == site.name)
    from app.core.diagnosis.finding import ParameterChange, PlanChange

    change = PlanChange(parameters=(ParameterChange(parameter="no-such-flag", action="remove"),))
    plan = await site.application.diagnosis.changed_plan(host_id, site.name, change)

    # The flag is not in the engine's table: nothing can be changed, and that is said.
    assert plan.values[0].reason == "unknown"
    good = await site.preview(host_id)
    assert good.revision == before.deployment_revision + 1
    done = await site.application.diagnosis.apply(before.ref, replace(plan, new=good))

    assert (done.state, done.deployment_revision) == (S.SERVING, good.revision)
    assert await site.service.api_key(host_id, site.name) == key
    await site.service.remove(host_id, site.name)
