"""Neither the probe nor the collector leaves anything on a host but the collector's own file.

Everything an account without rights can write is looked at: what it owns anywhere, and every file
and folder that is open to all.
"""

import subprocess
from pathlib import Path

import pytest

from app.bootstrap import build
from app.core.errors import HostError
from app.core.events import AuthMethod, HostKind, HostSettings
from app.core.ids import HostId
from app.io.probes import collector

pytestmark = [pytest.mark.sshd, pytest.mark.timeout(120)]

_PLACES = (
    "/home",
    "/tmp",
    "/var/tmp",
    "/dev/shm",
    "/run",
    "/var/spool",
    "/var/lib",
    "/etc",
    "/opt",
)


def state_of(host) -> dict[str, str]:
    """Return path → type, size, owner and times of all that the host's user could have written."""
    listing = subprocess.run(
        ["find", *_PLACES, "-xdev", "(", "-path", "/var/lib/docker", "-prune", ")", "-o",
         "(", "-user", host.user, "-o", "-type", "f", "-perm", "-0002", ")",
         "-printf", "%p\t%y %s %u %T@ %C@\n"],
        capture_output=True, text=True, check=False, errors="replace",
    ).stdout  # fmt: skip
    lines = (line.partition("\t") for line in listing.splitlines())
    own = "/pitwall-ssh-"  # folders of test servers: their nvidia-smi notes its calls there
    return {path: facts for path, _, facts in lines if own not in path}


async def take_fingerprint(host, home: Path) -> int:
    application = build(home=home)
    await application.start()
    try:
        added = await application.hosts.add(
            HostSettings(
                id=HostId(""), name="gpu", kind=HostKind.SSH, address=host.address,
                port=host.port, user=host.user, auth=AuthMethod.KEY,
                key_file=str(host.client_key),
            )
        )  # fmt: skip
        host_id = added.settings.id
        with pytest.raises(HostError) as unknown:
            await application.hosts.connect(host_id)
        await application.hosts.accept_key(host_id, unknown.value.params["sha256"])
        await application.hosts.connect(host_id)
        return len((await application.hosts.take_fingerprint(host_id)).gpus)
    finally:
        await application.close()


def over_ssh(host, command: str, stdin: str, folder: Path) -> str:
    known = folder / "known_hosts"
    known.write_text(host.known_hosts_line + "\n", encoding="utf-8")
    done = subprocess.run(
        ["ssh", "-F", "none", "-p", str(host.port), "-i", str(host.client_key), "-o",
         f"UserKnownHostsFile={known}", "-o", "BatchMode=yes", f"{host.user}@{host.address}",
         command],
        input=stdin, capture_output=True, text=True, check=True, timeout=70,
    )  # fmt: skip
    return done.stdout + done.stderr


async def test_a_fingerprint_over_ssh_changes_nothing(ssh_host, tmp_path):
    before = state_of(ssh_host)
    assert await take_fingerprint(ssh_host, tmp_path) == 2
    assert state_of(ssh_host) == before


def test_the_collector_writes_its_one_file(ssh_host, tmp_path):
    folder = over_ssh(ssh_host, "mktemp -d", "", tmp_path).strip()
    before = state_of(ssh_host)
    said = over_ssh(
        ssh_host, f"cd {folder} && sh -s -- --redact -o answers.txt", collector(), tmp_path
    )
    after = state_of(ssh_host)
    assert "wrote answers.txt" in said
    assert set(after) - set(before) == {f"{folder}/answers.txt"}
    changed = {path for path in before if after.get(path) != before[path]}
    assert changed <= {folder}
    over_ssh(ssh_host, f"rm -r {folder}", "", tmp_path)


def test_the_collector_can_write_nothing_at_all(ssh_host, tmp_path):
    before = state_of(ssh_host)
    said = over_ssh(ssh_host, "sh -s -- -o -", collector(), tmp_path)
    assert "#pitwall-probe 1" in said
    assert state_of(ssh_host) == before
