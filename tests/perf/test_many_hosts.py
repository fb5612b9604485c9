"""Fifty hosts at once, and one among them that hangs."""

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.bootstrap import Application, build
from app.core.errors import AppError, HostError
from app.core.events import AuthMethod, HostKind, HostSettings
from app.core.ids import HostId

pytestmark = [pytest.mark.sshd, pytest.mark.timeout(180)]

HOSTS = 50
BUDGET_S = 15.0


@dataclass
class Desk:
    """An application with hosts that all answer from one server."""

    application: Application

    async def add(self, name: str, host) -> HostId:
        """Add one host over SSH."""
        settings = HostSettings(
            id=HostId(""), name=name, kind=HostKind.SSH, address=host.address, port=host.port,
            user=host.user, auth=AuthMethod.KEY, key_file=str(host.client_key),
        )  # fmt: skip
        return (await self.application.hosts.add(settings)).settings.id

    async def trust(self, host_id: HostId) -> None:
        """Accept the server's key."""
        with pytest.raises(HostError) as unknown:
            await self.application.hosts.connect(host_id)
        await self.application.hosts.accept_key(host_id, unknown.value.params["sha256"])

    async def read(self, host_id: HostId) -> int:
        """Connect and take the fingerprint; return how many GPUs there are."""
        await self.application.hosts.connect(host_id)
        return len((await self.application.hosts.take_fingerprint(host_id)).gpus)


@pytest.fixture
async def desk(tmp_path):
    application = build(home=tmp_path)
    await application.start()
    yield Desk(application)
    await application.close()


async def plain_ssh_s(host, folder: Path) -> float:
    """Seconds for as many of OpenSSH's own clients with one nvidia-smi call each: the baseline."""
    known = folder / "known"
    known.write_text(host.known_hosts_line + "\n", encoding="utf-8")
    command = (
        "ssh", "-F", "none", "-p", str(host.port), "-i", str(host.client_key), "-o",
        f"UserKnownHostsFile={known}", "-o", "BatchMode=yes", f"{host.user}@{host.address}",
        "nvidia-smi -L >/dev/null",
    )  # fmt: skip
    start = time.perf_counter()
    clients = [await asyncio.create_subprocess_exec(*command) for _ in range(HOSTS)]
    codes = await asyncio.gather(*(client.wait() for client in clients))
    assert set(codes) == {0}
    return time.perf_counter() - start


async def test_fifty_hosts_in_parallel(desk, ssh_host, figure, tmp_path):
    baseline_s = await plain_ssh_s(ssh_host, tmp_path)
    ids = [await desk.add(f"gpu-{number}", ssh_host) for number in range(HOSTS)]
    await desk.trust(ids[0])
    start = time.perf_counter()
    counts = await asyncio.gather(*map(desk.read, ids))
    took_s = time.perf_counter() - start
    assert counts == [2] * HOSTS
    figure(
        f"connect + fingerprint, {HOSTS} hosts",
        took_s,
        f"{HOSTS} plain ssh + nvidia-smi -L {baseline_s * 1000:.0f} ms",
        budget_s=BUDGET_S,
    )


async def test_a_host_that_hangs_slows_nobody(desk, ssh_host, ssh_host_factory, figure):
    hung = ssh_host_factory()
    ids = [await desk.add(f"gpu-{number}", ssh_host) for number in range(9)]
    bad = await desk.add("hung", hung)
    await desk.trust(ids[0])
    await desk.trust(bad)
    start = time.perf_counter()
    await asyncio.gather(*map(desk.read, ids))
    alone_s = time.perf_counter() - start
    for host_id in ids:
        await desk.application.hosts.disconnect(host_id)
    with hung.frozen():
        stuck = asyncio.create_task(desk.application.hosts.connect(bad))
        start = time.perf_counter()
        await asyncio.gather(*map(desk.read, ids))
        beside_s = time.perf_counter() - start
        assert not stuck.done()
        stuck.cancel()
        with pytest.raises((asyncio.CancelledError, AppError)):
            await stuck
    figure("9 hosts beside one that hangs", beside_s, f"without it {alone_s * 1000:.0f} ms")
    assert beside_s < 3 * alone_s + 2
