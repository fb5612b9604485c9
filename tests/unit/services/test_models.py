"""Finding and reading models over a host's connection, headers only."""

import json
from pathlib import Path

import pytest

from app.core.engines.mounts import deployment_slug
from app.core.errors import AppError, ErrorCode, HostError
from app.core.events import HostKind
from app.core.ids import HostId, check_deployment_name
from app.core.models.architecture import ModelFormat
from app.core.models.estimate import Device, EstimateOptions
from app.io.model_files import find_folders, look_at, parse_listings
from app.io.transport.base import CommandResult, FileEntry
from app.io.transport.local import LocalTransport
from app.services.models import ModelService
from tests.unit.core.models.builders import (
    LLAMA_8B,
    QWEN_7B,
    TINY_GGUF,
    TINY_TENSORS,
    gguf_file,
    safetensors_file,
)

HOST = HostId("host")
SHARD = safetensors_file({"a": ("BF16", [4, 8], 64)})


class Hosts:
    """One connected host."""

    def __init__(self, transport) -> None:
        self._transport = transport

    def transport(self, host_id):
        assert host_id == HOST
        return self._transport


class NoShell:
    """A host that has folders but runs nothing, as the demo host does."""

    kind = HostKind.DEMO
    is_alive = True
    latency_s = None

    def __init__(self, root: Path, *, refuse: ErrorCode | None = None) -> None:
        self.root = root
        self.refuse = refuse
        self.read_bytes = 0

    async def run(self, argv, **_options):
        raise HostError(
            self.refuse or ErrorCode.TOOL_MISSING, {"tool": argv[0]}, cause="no shell", remedy=""
        )

    async def list_folder(self, path):
        folder = self.root / path.lstrip("/")
        if not folder.is_dir():
            raise HostError(ErrorCode.NOT_FOUND, {"path": path}, cause="nothing", remedy="")
        return tuple(
            FileEntry(
                name=entry.name,
                is_dir=entry.is_dir(),
                size_bytes=0 if entry.is_dir() else entry.stat().st_size,
            )
            for entry in sorted(folder.iterdir())
        )

    async def read_file(self, path, *, offset=0, length=None):
        data = (self.root / path.lstrip("/")).read_bytes()
        piece = data[offset:] if length is None else data[offset : offset + length]
        self.read_bytes += len(piece)
        return piece


@pytest.fixture
async def local():
    transport = LocalTransport()
    yield transport
    await transport.close()


@pytest.fixture
def service(local):
    return ModelService(Hosts(local))


def write(path: Path, content: bytes | str | dict) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, dict):
        content = json.dumps(content)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def make_folder(folder: Path, config=QWEN_7B, *, shards=1, tokenizer=True) -> Path:
    write(folder / "config.json", config)
    names = [f"model-{n:05d}-of-{shards:05d}.safetensors" for n in range(1, shards + 1)]
    for name in names:
        write(folder / name, SHARD)
    if shards > 1:
        index = {"weight_map": {f"w{n}": name for n, name in enumerate(names)}}
        write(folder / "model.safetensors.index.json", index)
    if tokenizer:
        write(folder / "tokenizer.json", "{}")
        write(folder / "tokenizer_config.json", {"chat_template": "{{ messages }}"})
    return folder


def make_cache(root: Path, *, revisions=("abc",), main="abc") -> Path:
    """Lay out a Hugging Face cache entry: snapshots are links into blobs."""
    entry = root / "hub" / "models--Qwen--Qwen2.5-7B"
    for revision in revisions:
        made = make_folder(entry / "blobs" / revision)
        target = entry / "snapshots" / revision
        target.mkdir(parents=True)
        for file in made.iterdir():
            (target / file.name).symlink_to(file)
    if main:
        write(entry / "refs" / "main", main)
    return entry


async def fails(call):
    with pytest.raises(AppError) as caught:
        await call
    return caught.value


async def test_plain_folders_caches_and_gguf_files_are_found_by_one_look(service, tmp_path):
    make_folder(tmp_path / "plain model", shards=2)
    make_cache(tmp_path)
    gguf = gguf_file(TINY_GGUF, TINY_TENSORS)
    write(tmp_path / "gguf" / "one-Q4_K_M.gguf", gguf)
    write(tmp_path / "gguf" / "two-00001-of-00002.gguf", gguf)
    write(tmp_path / "gguf" / "two-00002-of-00002.gguf", gguf)
    write(tmp_path / "gguf" / "mmproj-one.gguf", gguf)
    write(tmp_path / "node" / "config.json", {"port": 80})
    found = {model.name: model for model in await service.find(HOST, str(tmp_path))}
    assert set(found) == {"plain model", "Qwen/Qwen2.5-7B", "one-Q4_K_M", "two"}
    assert found["plain model"].size_bytes == 2 * len(SHARD)
    assert found["Qwen/Qwen2.5-7B"].size_bytes == len(SHARD)
    assert found["Qwen/Qwen2.5-7B"].path.endswith("snapshots/abc")
    assert found["two"].size_bytes == 2 * len(gguf)
    assert found["two"].format is ModelFormat.GGUF


async def test_a_config_with_tokenizer_but_no_weights_is_found_without_a_size(service, tmp_path):
    make_folder(tmp_path / "m", shards=0)
    (found,) = await service.find(HOST, str(tmp_path))
    assert (found.size_bytes, found.format) == (None, ModelFormat.UNKNOWN)


async def test_a_copy_in_another_layout_is_not_counted_twice(service, tmp_path):
    make_folder(tmp_path / "m")
    write(tmp_path / "m" / "consolidated.safetensors", SHARD)
    write(tmp_path / "m" / "pytorch_model.bin", b"123")
    (found,) = await service.find(HOST, str(tmp_path))
    assert found.size_bytes == len(SHARD)


async def test_a_folder_that_is_missing_or_empty(service, tmp_path):
    assert await service.find(HOST, str(tmp_path)) == ()
    error = await fails(service.find(HOST, str(tmp_path / "no")))
    assert error.code is ErrorCode.NOT_FOUND


async def test_the_home_folder_may_be_written_as_a_tilde(service, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    make_folder(tmp_path / "models" / "m")
    (found,) = await service.find(HOST, "~/models")
    assert found.path == str(tmp_path / "models" / "m")
    assert (await service.read(HOST, "~/models/m")).path == found.path
    assert len(await service.find(HOST, "~")) == 1


async def test_a_folder_is_read_by_its_headers_alone(service, tmp_path):
    make_folder(tmp_path / "m", shards=3)
    info = await service.read(HOST, str(tmp_path / "m"))
    assert (info.name, info.format) == ("m", ModelFormat.SAFETENSORS)
    assert info.weights_bytes == 3 * 64
    assert len(info.files) == 3
    assert info.has_tokenizer
    assert info.has_chat_template
    assert info.warnings == ()


async def test_only_the_beginnings_of_weights_cross_the_wire(tmp_path):
    big = safetensors_file({"a": ("BF16", [2**22], 2**23)})
    make_folder(tmp_path / "m", shards=0)
    write(tmp_path / "m" / "model.safetensors", big)
    host = NoShell(tmp_path)
    info = await ModelService(Hosts(host)).read(HOST, "/m")
    assert info.weights_bytes == 2**23
    assert host.read_bytes < 400_000


async def test_a_config_file_may_be_named_itself(service, tmp_path):
    make_folder(tmp_path / "m")
    assert (await service.read(HOST, str(tmp_path / "m" / "config.json"))).name == "m"


async def test_old_weights_are_sized_by_their_files_with_a_warning(service, tmp_path):
    make_folder(tmp_path / "m", shards=0, tokenizer=False)
    write(tmp_path / "m" / "pytorch_model.bin", bytes(1000))
    info = await service.read(HOST, str(tmp_path / "m"))
    assert info.weights_bytes == 1000
    assert len(info.warnings) == 2
    assert info.has_chat_template is False


@pytest.mark.parametrize("content", ["{}", "broken"])
async def test_a_chat_template_in_its_own_file_counts_and_a_broken_one_does_not(
    service, tmp_path, content
):
    make_folder(tmp_path / "m")
    write(tmp_path / "m" / "tokenizer_config.json", content)
    assert (await service.read(HOST, str(tmp_path / "m"))).has_chat_template is False
    write(tmp_path / "m" / "chat_template.jinja", "{{ messages }}")
    assert (await service.read(HOST, str(tmp_path / "m"))).has_chat_template is True


async def test_a_missing_shard_is_named(service, tmp_path):
    make_folder(tmp_path / "m", shards=3)
    (tmp_path / "m" / "model-00002-of-00003.safetensors").unlink()
    error = await fails(service.read(HOST, str(tmp_path / "m")))
    assert error.code is ErrorCode.MODEL_CONFIG_BROKEN
    assert error.params["file"] == "model-00002-of-00003.safetensors"


async def test_a_cut_off_shard_is_named(service, tmp_path):
    make_folder(tmp_path / "m", shards=3)
    write(tmp_path / "m" / "model-00003-of-00003.safetensors", SHARD[:-8])
    error = await fails(service.read(HOST, str(tmp_path / "m")))
    assert error.params["file"] == "model-00003-of-00003.safetensors"
    assert "cut off" in error.params["reason"]


async def test_pointers_instead_of_weights_are_recognised(service, tmp_path):
    make_folder(tmp_path / "m", shards=0)
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
    write(tmp_path / "m" / "model.safetensors", pointer)
    error = await fails(service.read(HOST, str(tmp_path / "m")))
    assert "git lfs pull" in error.remedy


async def test_broken_and_oversized_configs_are_refused(service, tmp_path):
    make_folder(tmp_path / "m", {**LLAMA_8B, "num_hidden_layers": "many"})
    error = await fails(service.read(HOST, str(tmp_path / "m")))
    assert error.params["field"] == "num_hidden_layers"
    write(tmp_path / "m" / "config.json", " " * (8 * 1024 * 1024 + 1))
    error = await fails(service.read(HOST, str(tmp_path / "m")))
    assert "larger than" in error.params["reason"]


async def test_gguf_files_and_splits_are_read(service, tmp_path):
    write(tmp_path / "one.gguf", gguf_file(TINY_GGUF, TINY_TENSORS))
    info = await service.read(HOST, str(tmp_path / "one.gguf"))
    assert (info.name, info.format) == ("one", ModelFormat.GGUF)
    assert info.path == str(tmp_path / "one.gguf")
    split = tmp_path / "split"
    first = gguf_file({**TINY_GGUF, "split.count": 2}, TINY_TENSORS[:3])
    write(split / "m-00001-of-00002.gguf", first)
    error = await fails(service.read(HOST, str(split / "m-00001-of-00002.gguf")))
    assert error.params["file"] == "m-00002-of-00002.gguf"
    write(split / "m-00002-of-00002.gguf", gguf_file({"split.count": 2}, TINY_TENSORS[3:]))
    info = await service.read(HOST, str(split))
    assert info.weights_bytes == 2 * 840 + 2 * 36864 + 1024 + 128


async def test_a_folder_with_several_gguf_models_asks_which(service, tmp_path):
    for name in ("a.gguf", "b.gguf"):
        write(tmp_path / name, gguf_file(TINY_GGUF, TINY_TENSORS))
    error = await fails(service.read(HOST, str(tmp_path)))
    assert error.code is ErrorCode.AMBIGUOUS
    assert error.remedy == f"Name one of them: {tmp_path}/a.gguf, {tmp_path}/b.gguf."


async def test_a_folder_of_models_answers_with_their_names(service, tmp_path):
    names = [f"m{n}" for n in range(7)]
    for name in names:
        make_folder(tmp_path / "models" / name)
    error = await fails(service.read(HOST, str(tmp_path / "models")))
    assert error.code is ErrorCode.AMBIGUOUS
    assert error.params["candidates"].splitlines() == [f"{tmp_path}/models/{n}" for n in names]
    assert error.params["count"] == "7"
    assert f"{tmp_path}/models/m5 and 1 more" in error.remedy
    assert f"{tmp_path}/models/m6" in error.details


async def test_a_wrong_name_answers_with_the_models_beside_it(service, tmp_path):
    made = make_folder(tmp_path / "models" / "qwen")
    error = await fails(service.read(HOST, f"{tmp_path}/models/qwen.gguf"))
    assert error.code is ErrorCode.MODEL_NOT_FOUND
    assert error.cause.endswith(f"{tmp_path}/models holds 1 model.")
    assert error.remedy == f"Name it: {made}."
    root = await fails(service.read(HOST, "/nothing-of-that-name"))
    assert "candidates" not in root.params


async def test_a_host_lost_while_looking_around_is_told(tmp_path):
    for code, told in (
        (ErrorCode.COMMAND_TIMEOUT, ErrorCode.MODEL_NOT_FOUND),
        (ErrorCode.CONNECTION_LOST, ErrorCode.CONNECTION_LOST),
    ):
        host = NoShell(tmp_path)
        make_folder(tmp_path / "models" / "a")

        async def run(argv, code=code, **_options):
            mode = argv[3]
            raise HostError(
                ErrorCode.TOOL_MISSING if mode == "one" else code, cause="no", remedy=""
            )

        host.run = run
        error = await fails(ModelService(Hosts(host)).read(HOST, "/models/b"))
        assert error.code is told


async def test_a_cache_entry_is_read_at_its_main_revision(service, tmp_path):
    entry = make_cache(tmp_path, revisions=("abc", "def"), main="def")
    info = await service.read(HOST, str(entry))
    assert info.name == "Qwen/Qwen2.5-7B"
    assert info.path == str(entry / "snapshots" / "def")
    only = make_cache(tmp_path / "other", main="")
    assert (await service.read(HOST, str(only))).name == "Qwen/Qwen2.5-7B"
    unclear = make_cache(tmp_path / "third", revisions=("abc", "def"), main="")
    error = await fails(service.read(HOST, str(unclear)))
    assert error.code is ErrorCode.AMBIGUOUS


async def test_what_is_no_model_is_said_so(service, tmp_path):
    write(tmp_path / "notes.txt", "hello")
    missing = await fails(service.read(HOST, str(tmp_path / "none")))
    assert missing.code is ErrorCode.MODEL_NOT_FOUND
    for path in (tmp_path, tmp_path / "notes.txt"):
        error = await fails(service.read(HOST, str(path)))
        assert error.code is ErrorCode.MODEL_CONFIG_MISSING
        assert str(tmp_path) in error.cause


async def test_local_folders_are_read_without_a_host(service, tmp_path):
    make_folder(tmp_path / "m")
    assert (await service.read_local(tmp_path / "m")).weights_bytes == 64


def test_a_pasted_config_is_read(service):
    info = service.read_config_text(json.dumps(QWEN_7B), "pasted")
    assert (info.name, info.path) == ("pasted", None)


async def test_a_host_without_a_shell_is_walked(tmp_path):
    make_folder(tmp_path / "models" / "a")
    write(tmp_path / "models" / "b.gguf", gguf_file(TINY_GGUF, TINY_TENSORS))
    write(tmp_path / "models" / ".git" / "config.json", "{}")
    deep = tmp_path / "models" / "1" / "2" / "3" / "4" / "5" / "6" / "m"
    make_folder(deep)
    service = ModelService(Hosts(NoShell(tmp_path)))
    found = await service.find(HOST, "/models")
    assert [model.path for model in found] == ["/models/a", "/models/b.gguf"]
    assert (await service.read(HOST, "/models/a")).weights_bytes == 64
    assert (await service.read(HOST, "/models/b.gguf")).format is ModelFormat.GGUF
    for path in ("/models/none.gguf", "/nowhere/none"):
        assert (await fails(service.read(HOST, path))).code is ErrorCode.MODEL_NOT_FOUND


async def test_other_errors_of_a_host_pass_through(tmp_path):
    host = NoShell(tmp_path, refuse=ErrorCode.COMMAND_TIMEOUT)
    assert (await fails(find_folders(host, "/"))).code is ErrorCode.COMMAND_TIMEOUT
    assert (await fails(ModelService(Hosts(host)).read(HOST, "/"))).code is (
        ErrorCode.COMMAND_TIMEOUT
    )


class Printing(NoShell):
    """A host whose shell prints what it is told to."""

    def __init__(self, output: bytes) -> None:
        super().__init__(Path("/"))
        self.output = output

    async def run(self, *_argv, **_options):
        return CommandResult(exit_code=0, stdout=self.output, stderr=b"")


async def test_a_folder_one_may_not_enter_is_said():
    error = await fails(look_at(Printing(b"X denied\n"), "/root"))
    assert error.code is ErrorCode.PERMISSION_DENIED


async def test_an_answer_without_a_listing_is_nothing():
    error = await fails(look_at(Printing(b"R /x\n"), "/x"))
    assert error.code is ErrorCode.NOT_FOUND


def test_listings_pass_over_what_is_no_file_or_folder():
    text = (
        "noise\nD /m\ntotal 8\n"
        "-rw-r--r-- 1 0 0 42 Nov 29 22:04 config.json\n"
        "-rw-r--r--. 1 1000 1000 4294967296 Jan  1  2026 model with blanks.safetensors\n"
        "drwxr-xr-x 2 0 0 4096 Nov 29 22:04 onnx\n"
        "prw-r--r-- 1 0 0 0 Nov 29 22:04 pipe\n"
        "crw-rw-rw- 1 0 0 1, 3 Nov 29 22:04 null\n"
        "E\nD /cut\n-rw-r--r-- 1 0 0 1 Nov 29 22:04 config.json\n"
    )
    (folder,) = parse_listings(text)
    assert folder.path == "/m"
    assert {file.name: file.size_bytes for file in folder.files} == {
        "config.json": 42,
        "model with blanks.safetensors": 4294967296,
    }
    assert folder.folders == ("onnx",)


def test_the_device_and_options_are_where_planning_looks_for_them():
    assert Device(name="g").count == 1
    assert EstimateOptions().tensor_parallel_size == 1


ODD_NAMES = {
    "long": "n" * 255,
    "long in Chinese": "模" * 85,
    "emoji": "\N{ROBOT FACE}\u200d\N{ROCKET}",
    "right to left": "نموذج",
    "turned round": "\u202eledom",
    "blanks": " a  b ",
    "quotes": 'it\'s "$(x)" `y` \\',
    "hyphen first": "-rf",
}


@pytest.mark.parametrize("name", ODD_NAMES.values(), ids=ODD_NAMES)
async def test_models_with_odd_names_are_found_read_and_looked_at(service, tmp_path, name):
    make_folder(tmp_path / "models" / name)

    (found,) = await service.find(HOST, str(tmp_path / "models"))
    info = await service.read(HOST, found.path)
    report = await service.preflight(HOST, found.path)

    assert found.path == str(tmp_path / "models" / name)
    assert info.architecture.layers
    assert not report.stops_loading()
    assert check_deployment_name(deployment_slug(info))


async def test_a_name_of_two_lines_hides_no_other_model(service, tmp_path):
    """Listings of a host are lines: such a folder is refused, and nothing is taken for it."""
    for name in ("a\nb", "good"):
        make_folder(tmp_path / "models" / name)

    found = await service.find(HOST, str(tmp_path / "models"))

    assert [candidate.path for candidate in found] == [str(tmp_path / "models" / "good")]
    error = await fails(service.read(HOST, str(tmp_path / "models" / "a\nb")))
    assert error.code is ErrorCode.NOT_FOUND
