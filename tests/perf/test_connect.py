"""How long it takes to know a host."""

import subprocess
import time

import pytest

from app.bootstrap import build
from app.core.errors import HostError
from app.core.events import AuthMethod, HostKind, HostSettings
from app.core.ids import HostId

pytestmark = pytest.mark.sshd


def _plain_ssh_s(host) -> float:
    """Seconds of OpenSSH's own client with one nvidia-smi call: the baseline."""
    known = host.folder / "known_hosts"
    known.write_text(host.known_hosts_line + "\n", encoding="utf-8")
    command = [
        "ssh", "-F", "none", "-p", str(host.port), "-i", str(host.client_key), "-o",
        f"UserKnownHostsFile={known}", "-o", "BatchMode=yes", f"{host.user}@{host.address}",
        "nvidia-smi -L",
    ]  # fmt: skip
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


async def test_connect_and_full_fingerprint_over_loopback(ssh_host, figure, tmp_path):
    baseline_s = _plain_ssh_s(ssh_host)
    application = build(home=tmp_path)
    await application.start()
    try:
        added = await application.hosts.add(
            HostSettings(
                id=HostId(""), name="gpu", kind=HostKind.SSH, address=ssh_host.address,
                port=ssh_host.port, user=ssh_host.user, auth=AuthMethod.KEY,
                key_file=str(ssh_host.client_key),
            )
        )  # fmt: skip
        host_id = added.settings.id
        with pytest.raises(HostError) as unknown:
            await application.hosts.connect(host_id)
        await application.hosts.accept_key(host_id, unknown.value.params["sha256"])
        start = time.perf_counter()
        await application.hosts.connect(host_id)
        connected_s = time.perf_counter() - start
        fingerprint = await application.hosts.take_fingerprint(host_id)
        whole_s = time.perf_counter() - start
    finally:
        await application.close()
    assert len(fingerprint.gpus) == 2
    figure("connect over SSH", connected_s, f"plain ssh + nvidia-smi -L {baseline_s * 1000:.0f} ms")
    figure(
        "connect + full fingerprint",
        whole_s,
        f"{whole_s / baseline_s:.1f} × plain ssh",
        budget_s=1.0,
    )
