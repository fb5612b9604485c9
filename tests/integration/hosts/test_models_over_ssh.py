"""Models on a real host over SSH: read by their headers, and every defect found."""

import os

import pytest

from app.core.checks.spec import CheckState
from app.core.events import AuthMethod, HostKind, HostSettings
from app.core.ids import HostId
from app.services.models import ModelService
from tests.unit.core.models.builders import QWEN_7B, TINY_GGUF, TINY_TENSORS, gguf_file
from tests.unit.services.test_models import SHARD, make_cache, make_folder, write

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 4976698672\n"
HUGE = 8 * 1024**3


class Counted:
    """The host's connection, counting what is read of its files."""

    def __init__(self, transport) -> None:
        self._transport = transport
        self.read_bytes = 0

    def __getattr__(self, name):
        return getattr(self._transport, name)

    async def read_file(self, path, **options):
        data = await self._transport.read_file(path, **options)
        self.read_bytes += len(data)
        return data


class One:
    """One host."""

    def __init__(self, transport) -> None:
        self.link = transport

    def transport(self, _host_id):
        return self.link


@pytest.fixture
async def link(application, ssh_host):
    settings = HostSettings(
        id=HostId(""),
        name="models",
        kind=HostKind.SSH,
        address=ssh_host.address,
        port=ssh_host.port,
        user=ssh_host.user,
        auth=AuthMethod.KEY,
        key_file=str(ssh_host.client_key),
    )
    host_id = (await application.hosts.add(settings)).settings.id
    application.folders.known_hosts_file.parent.mkdir(parents=True, exist_ok=True)
    application.folders.known_hosts_file.write_text(ssh_host.known_hosts_line + "\n")
    await application.hosts.connect(host_id)
    return Counted(application.hosts.transport(host_id))


def states(report):
    return {finding.id.value: finding.state for finding in report.findings}


async def test_models_with_defects_are_judged_over_ssh_from_their_headers(link, models_folder):
    service = ModelService(One(link))
    whole = make_folder(models_folder / "whole", shards=2)
    write(whole / "generation_config.json", "{}")
    with (whole / "model-00001-of-00002.safetensors").open("ab") as file:
        os.truncate(file.fileno(), HUGE)  # a hole: takes no room on the disk
    found = states(await service.preflight(HostId("h"), str(whole)))
    looks = ("config", "shards", "whole_files", "pointers", "download", "tokenizer")
    assert {found[name] for name in looks} == {CheckState.PASS}
    assert (await service.read(HostId("h"), str(whole))).architecture.layers == 28
    assert link.read_bytes < 4 * 1024 * 1024

    custom = {**QWEN_7B, "auto_map": {"AutoModel": "x.X"}}
    broken = make_folder(models_folder / "broken", custom,
                         shards=3, tokenizer=False)  # fmt: skip
    (broken / "model-00003-of-00003.safetensors").unlink()
    write(broken / "model-00001-of-00003.safetensors", SHARD[:-5])
    write(broken / "model-00002-of-00003.safetensors", POINTER)
    write(broken / ".cache" / "huggingface" / "download" / "x.incomplete", "x")
    report = await service.preflight(HostId("h"), str(broken))
    failed = {finding.id.value for finding in report.failed()}
    assert failed == {"shards", "whole_files", "pointers", "download", "tokenizer"}
    assert states(report)["custom_code"] is CheckState.WARN
    assert report.stops_loading()


async def test_a_cache_and_a_gguf_are_judged_over_ssh_and_the_disk_is_measured(link, models_folder):
    service = ModelService(One(link))
    entry = make_cache(models_folder, revisions=("abc", "def"), main="def")
    found = await service.revisions(HostId("h"), str(models_folder))
    assert [(one.commit, one.refs) for one in found] == [("def", ("main",)), ("abc", ())]
    assert (await service.preflight(HostId("h"), str(entry))).path.endswith("snapshots/def")
    gguf = write(models_folder / "m.gguf", gguf_file(TINY_GGUF, TINY_TENSORS))
    report = await service.preflight(HostId("h"), str(gguf), measure=True)
    assert states(report)["whole_files"] is CheckState.PASS
    storage = next(finding for finding in report.findings if finding.id == "file_system")
    assert storage.evidence or storage.state is CheckState.UNKNOWN
    time = next(finding for finding in report.findings if finding.id == "load_time")
    assert (time.state is CheckState.PASS) == (report.load_time is not None)
