"""A bundle's files and its manifest."""

import hashlib
import json

from app.core.bundle.content import MANIFEST, Missing, Source, compose
from app.core.bundle.redact import Redactor
from app.core.bundle.secrets import KnownValue
from app.core.texts import Text

TITLE = Text(en="A file", zh_CN="一个文件")
MADE = {"made_at": "2026-11-29T10:00:00Z", "version": "1.2.3"}


def source(path, **content):
    return Source(path=path, title=TITLE, **content)


def test_manifest_lists_every_file_with_its_checksum():
    bundle = compose(
        [source("a.json", document={"b": [1, "x"]}), source("log.txt", text="hello\n")],
        redactor=None,
        missing=[Missing(path="metrics.csv", reason=TITLE)],
        **MADE,
    )

    assert [file.path for file in bundle.files] == ["a.json", "log.txt", MANIFEST]
    manifest = json.loads(bundle.files[-1].content)
    assert manifest["schema"] == "pitwall.bundle/1"
    assert manifest["redacted"] is False
    assert manifest["missing"] == [{"path": "metrics.csv", "reason": "A file"}]
    for entry, file in zip(manifest["files"], bundle.files, strict=False):
        assert entry["sha256"] == hashlib.sha256(file.content).hexdigest()
        assert entry["bytes"] == len(file.content)


def test_same_content_gives_same_bytes():
    def make():
        return compose([source("log.txt", text="x 10.0.0.1")], redactor=Redactor(), **MADE)

    assert make() == make()


def test_what_one_file_tells_is_taken_out_of_all():
    bundle = compose(
        [
            source("log.txt", text="peer gpu-node-07 died"),
            source("container.json", document={"Hostname": "gpu-node-07"}),
        ],
        redactor=Redactor(),
        missing=[Missing(path="x", reason=Text(en="gpu-node-07 is away", zh_CN="离线"))],
        **MADE,
    )

    assert b"gpu-node-07" not in b"".join(file.content for file in bundle.files)
    assert bundle.replaced == {"host": 3}
    assert json.loads(bundle.files[-1].content)["different"] == {"host": 1}


def test_file_in_which_a_secret_would_be_left_is_left_out(monkeypatch):
    redactor = Redactor([KnownValue(value="topsecret", kind="secret")])
    monkeypatch.setattr(redactor, "text", lambda text: text)

    bundle = compose([source("log.txt", text="topsecret")], redactor=redactor, **MADE)

    assert b"topsecret" not in bundle.files[0].content
    assert b"left out" in bundle.files[0].content
