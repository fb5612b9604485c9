"""Which model lies in a folder: sizes and hashes, over a shell or without one."""

import hashlib
import json

import pytest

from app.core.errors import ErrorCode, HostError
from app.core.events import HostKind
from app.io.model_identity import HEAD_BYTES, SMALL_BYTES, hash_whole, parse_identity, read_identity
from app.io.transport.base import CommandResult, FileEntry
from app.io.transport.local import LocalTransport

REVISION = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
async def transport():
    transport = LocalTransport()
    yield transport
    await transport.close()


@pytest.fixture
def folder(tmp_path):
    """A small model folder with a large, sparse weight file."""
    model = tmp_path / "a model"
    model.mkdir()
    (model / "config.json").write_text("{}", encoding="utf-8")
    (model / "generation_config.json").write_text(
        json.dumps({"temperature": 0.5, "eos_token_id": [1, 2], "do_sample": True, "n": "x"}),
        encoding="utf-8",
    )
    with (model / "model.safetensors").open("wb") as file:
        file.write(b"head")
        file.truncate(SMALL_BYTES + 1)
    return model


def by_name(identity):
    return {file.name: file for file in identity.files}


async def test_small_files_are_hashed_and_large_ones_by_their_beginning(transport, folder):
    identity = await read_identity(transport, str(folder))
    files = by_name(identity)
    assert files["config.json"].sha256 == hashlib.sha256(b"{}").hexdigest()
    weights = files["model.safetensors"]
    assert weights.size_bytes == SMALL_BYTES + 1
    assert weights.sha256 is None
    head = b"head" + bytes(HEAD_BYTES - 4)
    assert weights.head_sha256 == hashlib.sha256(head).hexdigest()
    assert identity.generation == {
        "temperature": "0.5",
        "eos_token_id": "[1, 2]",
        "do_sample": "true",
        "n": "x",
    }


async def test_whole_weights_are_hashed_when_asked_for(transport, folder):
    told = []
    identity = await read_identity(transport, str(folder))
    whole = await hash_whole(transport, identity, lambda *step: told.append(step))
    expected = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    assert by_name(whole)["model.safetensors"].sha256 == expected
    size = SMALL_BYTES + 1
    assert told == [("model.safetensors", 0, size), ("", size, size)]
    again = await hash_whole(transport, whole, lambda *step: told.append(step))
    assert again == whole


async def test_a_cache_names_the_hash_of_its_blobs_and_the_revision(transport, tmp_path):
    entry = tmp_path / "models--a--b"
    snapshot, blobs = entry / "snapshots" / REVISION, entry / "blobs"
    snapshot.mkdir(parents=True)
    blobs.mkdir()
    digest = "5" * 64
    with (blobs / digest).open("wb") as file:
        file.truncate(SMALL_BYTES + 1)
    (snapshot / "model.safetensors").symlink_to(f"../../blobs/{digest}")
    identity = await read_identity(transport, str(snapshot))
    assert identity.revision == REVISION
    assert by_name(identity)["model.safetensors"].sha256 == digest


async def test_one_file_is_a_model_too(transport, folder):
    identity = await read_identity(transport, str(folder / "model.safetensors"))
    assert [file.name for file in identity.files] == ["model.safetensors"]
    whole = await hash_whole(transport, identity)
    assert whole.files[0].sha256


async def test_a_missing_folder_is_said(transport, tmp_path):
    with pytest.raises(HostError) as caught:
        await read_identity(transport, str(tmp_path / "gone"))
    assert caught.value.code is ErrorCode.NOT_FOUND


def test_lines_of_another_form_are_passed_over():
    text = f"noise\nH {'1' * 64}\nF x y\nF 3 a b\nL elsewhere\nH short\nB {'2' * 64}\nF 4 \n"
    (file,) = parse_identity(text)
    assert (file.name, file.size_bytes, file.sha256) == ("a b", 3, None)
    assert file.head_sha256 == "2" * 64


class NoShell:
    """A host that gives files but runs nothing."""

    kind = HostKind.DEMO

    def __init__(self, root):
        self.root = root

    async def run(self, argv, **_options):
        raise HostError(ErrorCode.TOOL_MISSING, cause=f"no {argv[0]}", remedy="")

    async def list_folder(self, path, *, timeout_s=10):
        del timeout_s
        place = self.root / path.lstrip("/")
        if not place.is_dir():
            raise HostError(ErrorCode.NOT_FOUND, cause=f"no {path}", remedy="")
        return tuple(
            FileEntry(name=f.name, is_dir=f.is_dir(), size_bytes=f.stat().st_size)
            for f in sorted(place.iterdir())
        )

    async def read_file(self, path, *, offset=0, length=None, timeout_s=20):
        del timeout_s
        data = (self.root / path.lstrip("/")).read_bytes()[offset:]
        return data if length is None else data[:length]


async def test_without_a_shell_the_same_is_found_out(transport, folder):
    shell = await read_identity(transport, str(folder))
    bare = NoShell(folder.parent)
    plain = await read_identity(bare, f"/{folder.name}")
    assert plain.files == shell.files
    assert plain.generation == shell.generation
    one = await read_identity(bare, f"/{folder.name}/config.json")
    assert [file.name for file in one.files] == ["config.json"]
    whole = await hash_whole(bare, plain)
    assert by_name(whole)["model.safetensors"].sha256 is None
    with pytest.raises(HostError):
        await read_identity(bare, "/nothing/here")


class Refusing:
    """A host whose shell ends with a code of its own."""

    def __init__(self, code):
        self.code = code

    async def run(self, _argv, **_options):
        return CommandResult(exit_code=self.code, stdout=b"", stderr=b"")


async def test_a_folder_that_may_not_be_read_is_said():
    with pytest.raises(HostError) as caught:
        await read_identity(Refusing(45), "/root/model")
    assert caught.value.code is ErrorCode.PERMISSION_DENIED


@pytest.mark.parametrize("text", ["not json", "[1]"])
async def test_generation_defaults_that_are_no_object_are_no_defaults(transport, folder, text):
    (folder / "generation_config.json").write_text(text, encoding="utf-8")
    assert (await read_identity(transport, str(folder))).generation is None
