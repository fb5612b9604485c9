"""Getting both sides of a comparison: stored dates, files, running deployments."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from fakes.diff_pairs import catalogue, h200, record, rules

from app.core.errors import DockerError, ErrorCode, HostError, UserInputError
from app.core.events import DeploymentSnapshot, DeploymentState
from app.core.hardware.fingerprint import Fingerprint
from app.core.hardware.summary import summarize
from app.core.ids import HostId
from app.io.containers import ImageInfo, LogChunk
from app.io.datafiles import data_root, load_engines
from app.io.documents import to_json
from app.io.store.hosts import FingerprintEntry
from app.io.transport.local import LocalTransport
from app.services.deployment_records import Mounted, model_places
from app.services.diff import DiffParts, DiffService
from app.services.imports import ImportService

HOST = HostId("h")


def entry(number: int, at: str) -> FingerprintEntry:
    return FingerprintEntry(id=number, taken_at=at, summary=summarize(h200()))


class Containers:
    """One container as Docker would describe it."""

    def __init__(self, document, lines=()):
        self.document = document
        self.lines = lines

    async def raw_inspect(self, _container):
        return self.document

    async def image(self, reference):
        return ImageInfo(
            id=reference, tags=(), repo_digests=("r@sha256:1",), size_bytes=1, entrypoint=("run",)
        )

    async def logs(self, _container, **_options):
        for line in self.lines:
            if isinstance(line, Exception):
                raise line
            yield LogChunk(at="", stream="stdout", text=line)


class Hosts:
    """A host with a history, over this machine's own shell."""

    def __init__(self, containers=None):
        self.containers = containers
        self.entries = (entry(3, "2026-03-01T08:00:00Z"), entry(2, "2026-02-01T08:00:00Z"))
        self.newest: Fingerprint | None = h200()
        self.local = LocalTransport()

    def transport(self, _host_id):
        return self.local

    async def container_engine(self, _host_id):
        return self.containers

    async def fingerprint(self, _host_id):
        return self.newest

    async def fingerprint_history(self, _host_id):
        return self.entries

    async def stored_fingerprint(self, entry_id):
        known = {e.id: e for e in self.entries}
        return replace(h200(), taken_at=known[entry_id].taken_at) if entry_id in known else None


class Data:
    diff_rules = rules()
    catalogue = catalogue()
    engines = load_engines(data_root())


class Quiet:
    @asynccontextmanager
    async def run(self, _code, _subject):
        yield None


@pytest.fixture
def service_of(fake_clock):
    def make(hosts):
        imports = ImportService(fake_clock, catalogue)
        return DiffService(
            DiffParts(
                hosts=hosts,
                imports=lambda: imports,
                data=Data(),
                clock=fake_clock,
                activities=Quiet(),
            )
        )

    return make


@pytest.mark.parametrize(
    ("when", "at"),
    [
        ("latest", "2026-03-01T08:00:00Z"),
        ("previous", "2026-02-01T08:00:00Z"),
        ("2026-02-01", "2026-02-01T08:00:00Z"),
        ("2026-02-20", "2026-02-01T08:00:00Z"),
        ("2026-02-01 08:00", "2026-02-01T08:00:00Z"),
        ("2026-12-31", "2026-03-01T08:00:00Z"),
    ],
)
async def test_a_stored_fingerprint_is_found_by_word_or_date(service_of, when, at):
    assert (await service_of(Hosts()).fingerprint_at(HOST, when)).taken_at == at


async def test_a_date_without_a_fingerprint_names_what_is_stored(service_of):
    with pytest.raises(UserInputError) as caught:
        await service_of(Hosts()).fingerprint_at(HOST, "2025-01-01")
    assert "2026-03-01T08:00:00Z" in caught.value.remedy
    with pytest.raises(UserInputError):
        await service_of(Hosts()).stored(99)
    assert (await service_of(Hosts()).stored(2)).taken_at == "2026-02-01T08:00:00Z"


async def test_what_a_full_store_could_not_keep_is_still_the_latest(service_of):
    hosts = Hosts()
    hosts.entries = ()
    service = service_of(hosts)
    assert await service.fingerprint_at(HOST) is hosts.newest
    hosts.newest = None
    with pytest.raises(UserInputError) as caught:
        await service.fingerprint_at(HOST)
    assert "Take a fingerprint" in caught.value.remedy


async def test_a_record_and_a_fingerprint_are_told_apart(service_of, tmp_path):
    service = service_of(Hosts())
    file = await service.save_record(tmp_path / "r.json", record())
    assert await service.from_text(file.read_text(encoding="utf-8"), "r.json") == record()
    assert isinstance(await service.from_text(to_json(h200()), "f.json"), Fingerprint)
    with pytest.raises(UserInputError):
        await service.from_text("pitwall.deployment-record/1 but no JSON", "x")


async def test_a_host_is_not_compared_with_a_deployment(service_of):
    with pytest.raises(UserInputError) as caught:
        await service_of(Hosts()).compare(h200(), record())
    assert "cannot be compared with a deployment" in caught.value.cause
    comparison = await service_of(Hosts()).compare(record(), record())
    assert comparison.differences == ()


def deployed(**changes):
    base = DeploymentSnapshot(
        revision=1, host_id=HOST, host_name="here", name="chat", state=DeploymentState.SERVING,
        container_id="c1", engine="vllm", engine_version="0.26.0", image="vllm:x",
    )  # fmt: skip
    return replace(base, **changes)


def document(folder, *more, requests=()):
    return {
        "Image": "sha256:abc",
        "Config": {
            "Image": "vllm:x",
            "Cmd": ["--model", "/models/m", "--api-key", "sk-planted", *more],
            "Env": ["HF_TOKEN=hf_planted", "A=1"],
            "Entrypoint": None,
        },
        "HostConfig": {"ShmSize": 1024, "DeviceRequests": list(requests)},
        "Mounts": [{"Source": str(folder), "Destination": "/models"}],
    }


@pytest.fixture
def models(tmp_path):
    folder = tmp_path / "models"
    (folder / "m").mkdir(parents=True)
    (folder / "m" / "config.json").write_text("{}", encoding="utf-8")
    return folder


async def test_a_record_holds_what_decides_and_no_secret(service_of, models):
    line = "INFO 01-02 03:04:05 [cuda.py:1] Using FLASH_ATTN attention backend out of x"
    request = {"DeviceIDs": ["GPU-1", "GPU-2"]}
    hosts = Hosts(Containers(document(models, requests=[request]), [line]))
    told = await service_of(hosts).record(deployed(), hash_weights=True)
    assert told.model.path == str(models / "m")
    assert told.model.files[0].sha256
    assert told.said == {"attention_backend": "FLASH_ATTN"}
    assert told.gpu_count == 2
    assert told.image_digests == ("r@sha256:1",)
    assert told.entrypoint == ("run",)
    assert told.fingerprint is not None
    assert "planted" not in to_json(told)


@pytest.mark.parametrize(
    ("request_", "count"),
    [({"Count": -1}, 2), ({"Count": 1}, 1), ({"DeviceIDs": ["nvidia.com/gpu=all"]}, 2)],
)
async def test_gpus_are_counted_however_they_were_asked_for(service_of, models, request_, count):
    hosts = Hosts(Containers(document(models, requests=[request_])))
    assert (await service_of(hosts).record(deployed())).gpu_count == count


async def test_all_gpus_of_an_unknown_host_are_unknown(service_of, models):
    hosts = Hosts(Containers(document(models, requests=[{"Count": -1}])))
    hosts.newest = None
    told = await service_of(hosts).record(deployed())
    assert (told.gpu_count, told.fingerprint) == (None, None)


async def test_a_model_that_cannot_be_found_is_said_with_its_reason(service_of, tmp_path):
    hosts = Hosts(Containers(document(tmp_path / "gone")))
    told = await service_of(hosts).record(deployed())
    assert "There is nothing at" in told.model.unreadable
    bare = document(tmp_path)
    bare["Mounts"] = []
    told = await service_of(Hosts(Containers(bare))).record(deployed())
    assert "None of the arguments" in told.model.unreadable


async def test_a_log_that_cannot_be_read_says_nothing(service_of, models):
    broken = DockerError(ErrorCode.DOCKER_REFUSED, cause="no log", remedy="")
    hosts = Hosts(Containers(document(models), [broken]))
    assert (await service_of(hosts).record(deployed())).said == {}


async def test_a_lost_host_is_not_taken_for_a_missing_model(service_of, models):
    class Lost(LocalTransport):
        async def run(self, *_args, **_options):
            raise HostError(ErrorCode.CONNECTION_LOST, cause="lost", remedy="")

    hosts = Hosts(Containers(document(models)))
    hosts.local = Lost()
    with pytest.raises(HostError):
        await service_of(hosts).record(deployed())


async def test_a_deployment_without_container_cannot_be_read(service_of):
    with pytest.raises(DockerError) as caught:
        await service_of(Hosts()).record(deployed(container_id=None))
    assert caught.value.code is ErrorCode.CONTAINER_NOT_FOUND


async def test_a_hub_name_is_looked_for_in_a_mounted_cache(service_of, tmp_path):
    entry_folder = tmp_path / "hub" / "models--org--name"
    revision = "a" * 40
    (entry_folder / "refs").mkdir(parents=True)
    (entry_folder / "refs" / "main").write_text(revision, encoding="ascii")
    snapshot = entry_folder / "snapshots" / revision
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("{}", encoding="utf-8")
    described = document(tmp_path)
    described["Config"]["Cmd"] = ["--model", "org/name"]
    described["Mounts"][0]["Destination"] = "/root/.cache/huggingface"
    told = await service_of(Hosts(Containers(described))).record(deployed())
    assert told.model.revision == revision
    assert told.model.files[0].name == "config.json"


def test_the_deepest_mount_wins_and_names_only_look_like_paths():
    mounts = (
        Mounted(source="/srv", target="/data"),
        Mounted(source="/fast", target="/data/models"),
    )
    found = list(model_places(("--model", "/data/models/m", "--x", "/database/y"), mounts))
    assert found == ["/fast/m"]


async def test_hashing_can_be_cancelled(service_of, models):
    hosts = Hosts(Containers(document(models)))
    work = asyncio.ensure_future(service_of(hosts).record(deployed(), hash_weights=True))
    await asyncio.sleep(0)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
