"""A look at models on disk before an engine loads them: every defect has its finding."""

import json

import pytest

from app.core.checks.spec import CheckState
from app.core.errors import AppError, ErrorCode, HostError
from app.core.models.preflight import ModelFacts, PreflightId, Storage, shown
from app.core.models.preflight_judges import judge_model
from app.core.models.preflight_texts import WORDS
from app.io.hub_cache import parse_revisions
from app.io.model_checks import parse_measure, parse_surroundings
from app.io.transport.local import LocalTransport
from app.services.models import ModelService
from tests.unit.core.models.builders import (
    LLAMA_8B,
    QWEN_7B,
    TINY_GGUF,
    TINY_TENSORS,
    gguf_file,
)
from tests.unit.services.test_models import HOST, SHARD, Hosts, NoShell, make_cache, make_folder

FAIL, WARN, PASS = CheckState.FAIL, CheckState.WARN, CheckState.PASS
UNKNOWN, NOT_APPLICABLE = CheckState.UNKNOWN, CheckState.NOT_APPLICABLE
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:0000\nsize 4976698672\n"


@pytest.fixture
async def service():
    transport = LocalTransport()
    yield ModelService(Hosts(transport))
    await transport.close()


def states(report):
    return {finding.id.value: finding.state for finding in report.findings}


def of(report, name):
    return next(finding for finding in report.findings if finding.id == name)


@pytest.fixture
def folder(tmp_path):
    made = make_folder(tmp_path / "m", shards=2)
    (made / "generation_config.json").write_text("{}")
    return made


async def test_a_whole_model_passes_everything_but_what_was_not_asked(service, folder):
    report = await service.preflight(HOST, str(folder))
    found = states(report)
    assert found.pop("load_time") is UNKNOWN
    assert found.pop("file_system") in {PASS, WARN, UNKNOWN}
    assert set(found.values()) == {PASS}
    assert not report.failed()


def drop_shard(folder):
    (folder / "model-00002-of-00002.safetensors").unlink()


def cut_shard(folder):
    (folder / "model-00001-of-00002.safetensors").write_bytes(SHARD[:-3])


def point_shard(folder):
    (folder / "model-00001-of-00002.safetensors").write_bytes(POINTER)


def point_tokenizer(folder):
    (folder / "tokenizer.json").write_bytes(POINTER)


def garble_shard(folder):
    (folder / "model-00001-of-00002.safetensors").write_bytes(b"\x20" + b"\0" * 7 + b"x" * 64)


def leave_partial(folder):
    (folder / ".cache").mkdir()
    (folder / ".cache" / "a.incomplete").write_text("x")


def leave_partial_of_a_missing_shard(folder):
    leave_partial(folder)
    drop_shard(folder)


def leave_lock(folder):
    (folder / "a.lock").write_text("")


def break_link(folder):
    (folder / "vocab.json").symlink_to("../nowhere")


def drop_tokenizer(folder):
    (folder / "tokenizer.json").unlink()


def drop_template(folder):
    (folder / "tokenizer_config.json").write_text("{}")


def spoil_template(folder):
    (folder / "tokenizer_config.json").write_text("{")


def file_template(folder):
    drop_template(folder)
    (folder / "chat_template.jinja").write_text("x")


def drop_generation(folder):
    (folder / "generation_config.json").unlink()


def drop_config(folder):
    (folder / "config.json").unlink()


def write_config(folder, **changes):
    (folder / "config.json").write_text(json.dumps({**QWEN_7B, **changes}))


def drop_heads(folder):
    write_config(folder, num_attention_heads=None)


def cut_config(folder):
    (folder / "config.json").write_text('{"model_type":')


def need_code(folder):
    write_config(folder, auto_map={"AutoModel": "modeling_x.X"})


def exl2(folder):
    write_config(folder, quantization_config={"quant_method": "exl2", "bits": 4.0})


def encoder(folder):
    write_config(folder, architectures=["BertModel"], model_type="bert")


def drop_index(folder):
    (folder / "model.safetensors.index.json").unlink()


def spoil_index(folder):
    (folder / "model.safetensors.index.json").write_text("{")


def only_bins(folder):
    for file in folder.glob("*.safetensors*"):
        file.unlink()
    (folder / "pytorch_model.bin").write_bytes(b"PK" * 400)


def pointed_bin(folder):
    only_bins(folder)
    (folder / "pytorch_model.bin").write_bytes(POINTER)


def no_weights(folder):
    for file in folder.glob("*.safetensors*"):
        file.unlink()


@pytest.mark.parametrize(
    ("defect", "name", "state", "evidence"),
    [
        (drop_shard, "shards", FAIL, "model-00002"),
        (no_weights, "shards", FAIL, ""),
        (drop_index, "shards", WARN, ""),
        (spoil_index, "shards", WARN, ""),
        (cut_shard, "whole_files", FAIL, "cut off"),
        (garble_shard, "whole_files", FAIL, "no JSON"),
        (only_bins, "whole_files", UNKNOWN, ""),
        (point_shard, "pointers", FAIL, "model-00001"),
        (point_tokenizer, "pointers", FAIL, "tokenizer.json"),
        (pointed_bin, "pointers", FAIL, "pytorch_model.bin"),
        (leave_partial, "download", WARN, "a.incomplete"),
        (leave_partial_of_a_missing_shard, "download", FAIL, "a.incomplete"),
        (leave_lock, "download", PASS, ""),
        (break_link, "download", FAIL, "vocab.json"),
        (drop_tokenizer, "tokenizer", FAIL, ""),
        (drop_template, "chat_template", WARN, ""),
        (spoil_template, "chat_template", WARN, ""),
        (file_template, "chat_template", PASS, ""),
        (encoder, "chat_template", NOT_APPLICABLE, ""),
        (drop_generation, "generation_config", WARN, ""),
        (drop_config, "config", FAIL, ""),
        (drop_heads, "config", FAIL, ""),
        (cut_config, "config", FAIL, ""),
        (need_code, "custom_code", WARN, "modeling_x.X"),
        (exl2, "quantization", FAIL, ""),
    ],
)
async def test_a_defect_is_found_with_its_evidence(
    service, folder, *, defect, name, state, evidence
):
    defect(folder)
    finding = of(await service.preflight(HOST, str(folder)), name)
    assert finding.state is state
    assert evidence in " ".join(finding.evidence)
    assert bool(finding.remedy.en) == (state in {FAIL, WARN})


async def test_a_broken_field_of_the_config_is_named(service, folder):
    drop_heads(folder)
    finding = of(await service.preflight(HOST, str(folder)), "config")
    assert "num_attention_heads" in finding.said.en
    assert "num_attention_heads" in finding.said.zh_CN


async def test_the_disk_is_measured_only_when_asked_and_gives_a_range(service, folder):
    report = await service.preflight(HOST, str(folder), measure=True)
    finding = of(report, "load_time")
    if report.load_time is None:  # memory file systems cannot be read past the page cache
        assert finding.state is UNKNOWN
        assert finding.said.en.startswith("Not known: ")
    else:
        assert 0 < report.load_time.least_s <= report.load_time.most_s
        assert finding.state is PASS


async def test_a_gguf_file_carries_what_it_needs(service, tmp_path):
    (tmp_path / "m.gguf").write_bytes(gguf_file(TINY_GGUF, TINY_TENSORS))
    for path in (tmp_path, tmp_path / "m.gguf"):
        found = states(await service.preflight(HOST, str(path)))
        assert found["generation_config"] is NOT_APPLICABLE
        assert {found[name] for name in ("config", "shards", "whole_files", "tokenizer")} == {PASS}


async def test_a_gguf_with_a_missing_part_or_a_cut_end_fails(service, tmp_path):
    split = {**TINY_GGUF, "split.count": 2}
    (tmp_path / "m-00001-of-00002.gguf").write_bytes(gguf_file(split, TINY_TENSORS))
    report = await service.preflight(HOST, str(tmp_path / "m-00001-of-00002.gguf"))
    assert of(report, "shards").evidence == ("m-00002-of-00002.gguf",)
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(gguf_file(TINY_GGUF, TINY_TENSORS)[:-900])
    assert states(await service.preflight(HOST, str(cut)))["whole_files"] is FAIL
    bare = tmp_path / "bare.gguf"
    bare.write_bytes(gguf_file({"general.architecture": "llama"}, TINY_TENSORS))
    assert "block_count" in of(await service.preflight(HOST, str(bare)), "config").said.en


async def test_an_unfinished_download_in_a_cache_is_seen_from_its_snapshot(service, tmp_path):
    entry = make_cache(tmp_path)
    entry = next(tmp_path.glob("hub/models--*"))
    (entry / "blobs" / "f00.incomplete").write_text("x")
    report = await service.preflight(HOST, str(entry))
    assert report.name == "Qwen/Qwen2.5-7B"
    assert "f00.incomplete" in of(report, "download").evidence[0]


async def test_a_host_without_a_shell_leaves_the_rest_unknown(tmp_path):
    make_folder(tmp_path / "m")
    service = ModelService(Hosts(NoShell(tmp_path)))
    found = states(await service.preflight(HOST, "/m"))
    assert (found["download"], found["file_system"]) == (UNKNOWN, UNKNOWN)
    assert found["whole_files"] is PASS


@pytest.mark.usefixtures("folder")
async def test_a_lost_connection_is_an_error_not_a_finding(tmp_path):
    class Lost(NoShell):
        async def read_file(self, path, **options):
            if path.endswith("1-of-00002.safetensors"):
                raise HostError(ErrorCode.CONNECTION_LOST, {}, cause="gone", remedy="")
            return await super().read_file(path, **options)

    service = ModelService(Hosts(Lost(tmp_path)))
    with pytest.raises(AppError) as caught:
        await service.preflight(HOST, "/m")
    assert caught.value.code is ErrorCode.CONNECTION_LOST


async def test_what_is_not_there_and_what_is_no_model_are_errors(service, tmp_path):
    with pytest.raises(AppError) as caught:
        await service.preflight(HOST, str(tmp_path / "none"))
    assert caught.value.code is ErrorCode.MODEL_NOT_FOUND
    with pytest.raises(AppError) as caught:
        await service.preflight(HOST, str(tmp_path))
    assert caught.value.code is ErrorCode.MODEL_CONFIG_MISSING


async def test_only_headers_are_read_of_weights(tmp_path):
    make_folder(tmp_path / "m", shards=3)
    with (tmp_path / "m" / "model-00001-of-00003.safetensors").open("ab") as file:
        file.truncate(64 * 1024 * 1024)
    host = NoShell(tmp_path)
    await ModelService(Hosts(host)).preflight(HOST, "/m")
    assert host.read_bytes < 1024 * 1024


@pytest.mark.parametrize(
    ("kind", "state"),
    [("ext4", PASS), ("nfs4", WARN), ("fuse.juicefs", WARN), ("tmpfs", WARN), ("weird", UNKNOWN),
     (None, UNKNOWN)],
)  # fmt: skip
def test_where_a_model_lies_is_judged_by_its_file_system(kind, state):
    facts = ModelFacts(path="/m", name="m", storage=Storage(kind=kind, reason="nobody said"))
    assert of(judge_model(facts), "file_system").state is state


def test_the_load_time_follows_the_measured_speed():
    storage = Storage(kind="ext4", read_bytes_per_s=1e9, measured_bytes=2**28)
    report = judge_model(ModelFacts(path="/m", name="m", weights_bytes=30 * 10**9, storage=storage))
    assert (report.load_time.least_s, report.load_time.most_s) == (30, 60)
    assert "30 s to 1 min 00 s" in of(report, "load_time").said.en
    assert report.worst is FAIL
    assert report.counts[PASS] + sum(
        n for state, n in report.counts.items() if state is not PASS
    ) == len(PreflightId)


def test_every_look_has_words_in_both_languages():
    for words in WORDS.values():
        for text in (words.title, words.why, words.remedy, *words.said.values()):
            assert text.en
            assert text.zh_CN


def test_much_evidence_is_cut_with_a_count():
    assert shown(str(n) for n in range(20))[-1] == "+ 12"


def test_what_the_host_says_of_a_folder_is_read():
    text = "K ext2/ext3\nM /dev/sda1 /\nT ext4\nL a b.json\nU x.incomplete\nU x.lock\nE\n"
    found = parse_surroundings(text)
    assert (found.storage.kind, found.storage.device, found.storage.mount_point) == (
        "ext4",
        "/dev/sda1",
        "/",
    )
    assert found.broken_links == ("a b.json",)
    assert found.unfinished == ("x.incomplete", "x.lock")
    assert parse_surroundings("U x.lock\nE\n").unfinished == ()
    assert parse_surroundings("K nfs\n").unfinished is None
    assert parse_surroundings("K UNKNOWN (0x1)\nE\n").storage.kind is None


@pytest.mark.parametrize(
    ("text", "code"),
    [("dd: failed to open: Invalid argument\n", 1), ("", 0), ("0 bytes copied, 0.1 s", 0)],
)
def test_a_disk_that_cannot_be_measured_has_a_reason(text, code):
    speed, size, reason = parse_measure(text, code)
    assert (speed, size) == (None, 0)
    assert reason


async def test_revisions_of_a_cache_are_listed_with_their_names(service, tmp_path):
    make_cache(tmp_path, revisions=("abc", "def"), main="def")
    repository = next(tmp_path.glob("hub/models--*"))
    (repository / "blobs" / "x.incomplete").write_text("")
    for root in (tmp_path, tmp_path / "hub", repository):
        found = await service.revisions(HOST, str(root))
        assert [(one.commit, one.refs) for one in found] == [("def", ("main",)), ("abc", ())]
        assert found[0].has_config
        assert found[0].weights_bytes == len(SHARD)
        assert found[0].unfinished == 1
        assert found[0].name == "Qwen/Qwen2.5-7B"
    assert await service.revisions(HOST, str(tmp_path / "none")) == ()


async def test_several_revisions_without_a_main_are_named(service, tmp_path):
    make_cache(tmp_path, revisions=("abc", "def"), main="gone")
    with pytest.raises(AppError) as caught:
        await service.read(HOST, str(next(tmp_path.glob("hub/models--*"))))
    assert caught.value.code is ErrorCode.AMBIGUOUS
    assert "snapshots/abc" in caught.value.remedy


async def test_a_cache_on_a_host_without_a_shell_is_not_listed(tmp_path):
    assert await ModelService(Hosts(NoShell(tmp_path))).revisions(HOST, "/m") == ()
    assert parse_revisions("") == ()


async def test_candidates_of_a_cache_carry_their_revision(service, tmp_path):
    make_cache(tmp_path)
    (found,) = await service.find(HOST, str(tmp_path))
    assert found.revision == "abc"


async def test_a_model_without_a_config_of_llama_kind_is_read_locally(service, tmp_path):
    made = make_folder(tmp_path / "l", config=LLAMA_8B)
    assert states(await service.preflight_local(made))["config"] is PASS


async def test_files_the_user_may_not_read_are_unknown_not_damaged(tmp_path):
    class Denied(NoShell):
        async def read_file(self, path, **options):
            if path.endswith((".safetensors", ".gguf")):
                raise HostError(ErrorCode.PERMISSION_DENIED, {}, cause="may not", remedy="")
            return await super().read_file(path, **options)

    make_folder(tmp_path / "m")
    (tmp_path / "g.gguf").write_bytes(b"x")
    service = ModelService(Hosts(Denied(tmp_path)))
    for path in ("/m", "/g.gguf"):
        report = await service.preflight(HOST, path)
        assert of(report, "whole_files").state is UNKNOWN
        assert "may not" in of(report, "whole_files").evidence[0]
        assert not report.stops_loading()
    assert (of(report, "tokenizer").state, of(report, "chat_template").state) == (UNKNOWN, UNKNOWN)


def make_adapter(folder, *, config=None, weights=True):
    folder.mkdir(parents=True)
    (folder / "adapter_config.json").write_text(
        json.dumps(config or {"peft_type": "LORA", "r": 16, "target_modules": ["q_proj"]})
    )
    if weights:
        (folder / "adapter_model.safetensors").write_bytes(b"x" * 40)
    return folder


async def test_an_adapter_is_read_from_its_folder_or_gguf(service, tmp_path):
    folder = make_adapter(tmp_path / "law")
    found = await service.read_adapter(HOST, str(folder))
    assert (found.name, found.rank, found.size_bytes) == ("law", 16, 40)
    assert (await service.read_adapter_local(str(folder), "mine")).name == "mine"
    metadata = {"general.architecture": "llama", "general.type": "adapter",
                "adapter.type": "lora", "adapter.lora.alpha": 32.0}  # fmt: skip
    (tmp_path / "law.gguf").write_bytes(gguf_file(metadata, TINY_TENSORS))
    found = await service.read_adapter(HOST, str(tmp_path / "law.gguf"))
    assert (found.name, found.is_gguf, found.alpha) == ("law", True, 32.0)


async def test_what_is_no_adapter_is_refused_with_its_reason(service, tmp_path):
    (tmp_path / "m.gguf").write_bytes(gguf_file(TINY_GGUF, TINY_TENSORS))
    (tmp_path / "empty").mkdir()
    make_adapter(tmp_path / "bare", weights=False)
    make_adapter(tmp_path / "other", config={"peft_type": "IA3"})
    for name, code in {
        "m.gguf": ErrorCode.MODEL_CONFIG_BROKEN,
        "empty": ErrorCode.MODEL_CONFIG_MISSING,
        "bare": ErrorCode.MODEL_CONFIG_BROKEN,
        "other": ErrorCode.MODEL_CONFIG_BROKEN,
    }.items():
        with pytest.raises(AppError) as caught:
            await service.read_adapter(HOST, str(tmp_path / name))
        assert caught.value.code is code, name
    with pytest.raises(AppError) as caught:
        await service.read_adapter(HOST, str(tmp_path / "other"), "a b")
    assert caught.value.code is ErrorCode.INVALID_INPUT
