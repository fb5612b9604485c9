"""Support bundles: gathered from a deployment, canaries in every source, none in the archive."""

import asyncio
import base64
import json
import zipfile
from dataclasses import replace
from urllib.parse import quote

import pytest
from fakes.containers import Script
from fakes.deploy_host import HOST, LINES, Desk, spec
from fakes.diagnosis import small_diagnoser

from app.core.deployment.spec import Mount
from app.core.errors import EngineError, ErrorCode, StoreError
from app.core.hardware.fingerprint import Fingerprint, HostSource, Machine
from app.core.hardware.sections import RawSection
from app.core.metrics.rings import Ring
from app.core.metrics.vocabulary import Metric, SeriesKey
from app.services import bundles
from app.services.bundles import BundleParts, BundleService, metrics_csv
from app.services.diagnosis import DiagnosisService

KEY = "CANARY-key/Aa1+Bb2=Cc3"
PASSWORD = "CANARY pass'word\"9"
CANARIES = {
    "ipv4": "10.77.66.55",
    "ipv6": "2001:db8:77:66::55",
    "mac": "02:42:77:66:55:44",
    "uuid": "7a6b5c4d-3e2f-4a1b-8c7d-665544332211",
    "serial": "CANARYSER1654321",
    "mail": "canary.person@canary-mail.de",
    "fqdn": "canary-node-07.rack.canary-corp.net",
    "short": "canary-node-07",
    "user": "canaryuser",
    "token": "hf_CANARYtoken0123456789",
    "path": "/data/canary-customer/models",
    "url": "CANARYurlpw",
    "jwt": "eyJhbGciCANARY.eyJzdWIiOiIxCANARY.c2ln",
}


class FakeMetrics:
    def __init__(self, series):
        self._series = series

    def keys(self, host_id, deployment=None):
        del host_id, deployment
        return tuple(self._series)

    def series(self, key):
        return self._series[key]


def planted() -> tuple[tuple[float, str], ...]:
    c = CANARIES
    lines = [
        f"peer {c['ipv4']}:29500 [{c['ipv6']}]:8000 link/ether {c['mac']}",
        f"GPU-{c['uuid']} serial number: {c['serial']}",
        f"mail {c['mail']} host {c['fqdn']} HOSTNAME={c['short']} user={c['user']}",
        f"HF_TOKEN={c['token']} model={c['path']}/x.gguf http://{c['user']}:{c['url']}@proxy:1/",
        f"Authorization: Bearer {c['jwt']}",
        f"key {KEY} json {json.dumps(KEY)} url {quote(KEY, safe='')}",
        f"b64 {base64.b64encode(f'user:{KEY}'.encode()).decode()} hex {KEY.encode().hex()}",
        f"argv ['--api-key', {KEY!r}] pw {PASSWORD} {json.dumps(PASSWORD)}",
        f"percent {quote(c['mail'])} {quote(c['path'], safe='')}",
        f"escaped {json.dumps(c['path']).replace('/', chr(92) + '/')} jo\\u0040canary-corp.net",
        f"cut {KEY[:9]}",
        f"{KEY[9:]} end of the cut",
        f"cut {c['token'][:12]}",
        f"{c['token'][12:]} goes on",
        "error: invalid argument: --no-such",
    ]
    return (*LINES[:2], *((0.3 + at / 100, line) for at, line in enumerate(lines)))


def facts() -> Fingerprint:
    c = CANARIES
    return Fingerprint(
        host_name="canary-box",
        source=HostSource.SSH,
        taken_at="2026-11-29T10:00:00Z",
        parser_version="1",
        machine=Machine(hostname=c["short"], user=c["user"]),
        sections=(
            RawSection(
                name="dmi",
                command="dmidecode",
                exit_code=0,
                stdout=f"Serial Number: {c['serial']}\nUUID: {c['uuid']}\n{c['fqdn']}\n{KEY}",
                stderr="",
            ),
        ),
    )


def service(desk, *, metrics=None, secrets=(PASSWORD,)) -> BundleService:
    diagnosis = DiagnosisService(
        diagnoser=small_diagnoser(),
        deployments=lambda: desk.service,
        planner=lambda: None,
        activities=desk.activities,
    )
    desk.hosts.snapshot = lambda: (desk.hosts.find(HOST),)
    return BundleService(
        BundleParts(
            hosts=desk.hosts,
            deployments=desk.service,
            diagnosis=diagnosis,
            metrics=lambda: metrics,
            journal=desk.journal,
            secrets=lambda: secrets,
            clock=desk.clock,
            activities=desk.activities,
        )
    )


@pytest.fixture
async def failed():
    """A deployment that failed, with canaries in its log, plan, container and host."""
    desk = Desk(script=Script(lines=planted(), ready_after_s=None, exits_after_s=1.0))
    desk.hosts.facts = facts()
    desk.hosts.link.folders["/data/canary-customer"] = ("models",)
    desk.hosts.link.folders[CANARIES["path"]] = ("x.gguf",)
    made = spec()
    container = replace(
        made.container,
        environment={"CANARY_API_KEY": "CANARYenv77x", "NCCL_DEBUG": "INFO"},
        command=(*made.container.command, "--hf-token", "CANARYargv88"),
        mounts=(*made.container.mounts, Mount(source=CANARIES["path"], target="/models/more")),
    )
    desk.engine.raw_inspect = _inspect
    with pytest.raises(EngineError):
        await desk.run(
            desk.service.deploy(replace(made, container=container), secrets={"LLAMA_API_KEY": KEY})
        )
    yield desk
    await desk.service.close()


async def _inspect(container):
    return {
        "Id": container,
        "Config": {
            "Hostname": CANARIES["short"],
            "Env": [f"LLAMA_API_KEY={KEY}", "CANARY_API_KEY=CANARYenv77x"],
            "Cmd": ["--hf-token", "CANARYargv88"],
        },
        "Mounts": [{"Source": CANARIES["path"]}],
        "NetworkSettings": {
            "MacAddress": CANARIES["mac"],
            "IPAddress": CANARIES["ipv4"],
            "GlobalIPv6Address": CANARIES["ipv6"],
        },
    }


async def made(desk, **options):
    # Composing runs in a thread, which a fake clock does not wait for.
    return await asyncio.wait_for(service(desk).make("box/chat", **options), 30)


async def test_bundle_holds_everything_and_says_what_is_missing(failed):
    bundle = await made(failed)

    assert [file.path for file in bundle.files] == [
        "deployment.json", "plan.json", "container.json", "findings.json", "findings.txt",
        "log.txt", "fingerprint.json", "journal.json", "versions.json", "manifest.json",
    ]  # fmt: skip
    assert [gap.path for gap in bundle.missing] == ["metrics.csv"]
    findings = json.loads(bundle.files[3].content)
    assert findings["primary"] == "usage_error"


async def test_planted_canaries_never_survive(failed, tmp_path):
    bundle = await made(failed)
    file = await service(failed).save(bundle, tmp_path / "bundle.zip")

    with zipfile.ZipFile(file) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    everything = "\n".join(texts.values())
    squeezed = "".join(everything.split())
    values = {**CANARIES, "key": KEY, "password": PASSWORD}
    values |= {"env": "CANARYenv77x", "argv": "CANARYargv88", "customer": "canary-customer"}
    for name, value in values.items():
        assert value not in everything, name
        assert "".join(value.split()) not in squeezed, name
        assert json.dumps(value)[1:-1] not in everything, name
        assert quote(value, safe="") not in everything, name
    for start in range(3):
        encoded = base64.b64encode(bytes(start) + KEY.encode()).decode()[4:-4]
        assert encoded not in everything
    assert KEY.encode().hex() not in everything
    assert "canary" not in everything.lower().replace("canary_api_key", "")


async def test_archive_is_the_same_for_the_same_bundle(failed, tmp_path):
    writer, bundle = service(failed), await made(failed)

    one = await writer.save(bundle, tmp_path / "one.zip")
    two = await writer.save(bundle, tmp_path / "two.zip")

    assert one.read_bytes() == two.read_bytes()


async def test_unredacted_bundle_says_so_and_keeps_everything(failed):
    bundle = await made(failed, redact=False)

    assert not bundle.redacted
    assert CANARIES["ipv4"].encode() in b"".join(file.content for file in bundle.files)
    assert json.loads(bundle.files[-1].content)["redacted"] is False


async def test_host_that_is_away_leaves_gaps_that_are_named(failed):
    failed.hosts.connected = False

    bundle = await made(failed)

    assert {"container.json", "log.txt", "metrics.csv"} <= {gap.path for gap in bundle.missing}
    assert "findings.json" in {file.path for file in bundle.files}


async def test_metrics_of_the_window_are_in_it(failed):
    now_s = failed.clock.now_s()
    key = SeriesKey(metric=Metric.GPU_POWER_W, host_id=HOST, gpu_index=1)
    ring = Ring()
    ring.append(now_s - 5000, 1.0)
    ring.append(now_s - 1, 412.5)
    ring.append(now_s, None)
    maker = service(failed, metrics=FakeMetrics({key: ring.copy()}))

    bundle = await maker.make("box/chat")

    text = next(f for f in bundle.files if f.path == "metrics.csv").content.decode()
    assert text.splitlines()[0] == "at,gpu.power_w GPU1"
    assert [line.rpartition(",")[2] for line in text.splitlines()[1:]] == ["412.5"]


def test_series_stand_side_by_side():
    one, two = Ring(), Ring()
    one.append(100.0, 1.0)
    two.append(100.2, 2.0)
    two.append(101.0, 3.0)

    text = metrics_csv({"a": one.copy(), "b": two.copy()}, since_s=0)

    assert [line.split(",")[1:] for line in text.splitlines()] == [
        ["a", "b"], ["1", "2"], ["", "3"],
    ]  # fmt: skip


async def test_bundle_that_cannot_be_written_says_why(failed, tmp_path):
    bundle = await made(failed)

    with pytest.raises(StoreError) as caught:
        await service(failed).save(bundle, tmp_path / "no" / "folder" / "b.zip")

    assert caught.value.code is ErrorCode.FILE_UNWRITABLE


async def test_long_log_keeps_its_beginning_and_its_end(failed, monkeypatch):
    monkeypatch.setattr(bundles, "HEAD_LINES", 20)
    monkeypatch.setattr(bundles, "TAIL_LINES", 100)
    box = failed.engine.only()
    box.script = Script()
    box.printed[:] = [failed.engine._chunk(f"line {n}") for n in range(125)]

    bundle = await made(failed)

    log = next(f for f in bundle.files if f.path == "log.txt").content.decode().splitlines()
    assert log[0].endswith("line 0")
    assert log[20] == "[… 5 lines left out …]"
    assert log[-1].endswith("line 124")
