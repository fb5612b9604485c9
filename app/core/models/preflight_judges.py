"""The pre-flight's judgements: one small function for each look at a model."""

from collections.abc import Callable
from typing import Final

from app.core.checks.spec import CheckState
from app.core.models.preflight import (
    Damage,
    LoadTime,
    ModelFacts,
    ModelPreflight,
    PreflightFinding,
    PreflightId,
    shown,
)
from app.core.models.preflight_texts import NOTHING, WORDS
from app.core.units import format_seconds, format_size

NETWORK: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "ceph", "lustre", "glusterfs",
     "fuse.glusterfs", "fuse.sshfs", "fuse.s3fs",
     "fuse.juicefs", "fuse.rclone", "fuse.mountpoint-s3",
     "fuse.gcsfuse", "gpfs", "beegfs", "beegfs_nodev", "9p", "virtiofs", "afs", "wekafs", "pvfs2",
     "orangefs", "ocfs2", "gfs2", "fuse.ceph-fuse", "fuse.goofys", "fuse.blobfuse2"}
)  # fmt: skip
"""As the kernel and ``stat -f`` name them. Source: mount(8) and coreutils stat.c."""
MEMORY: Final = frozenset({"tmpfs", "ramfs", "devtmpfs"})
_LOCAL: Final = frozenset(
    {"ext2", "ext3", "ext4", "ext2/ext3", "xfs", "btrfs", "zfs", "f2fs", "overlay", "overlayfs",
     "bcachefs", "apfs", "ntfs", "ntfs3", "fuseblk", "exfat", "vfat", "msdos", "reiserfs", "jfs"}
)  # fmt: skip
_MAPPED_SLOWER: Final = 2.0
"""Engines map the files and fault pages in: up to this much slower than reading in one go.
field opinion until starts here say more."""

_Said = tuple[CheckState, str, tuple[str, ...], str]
"""State, key of the sentence, evidence and what fills ``{detail}``."""


def judge_model(facts: ModelFacts) -> ModelPreflight:
    """Return everything that can be said about a model before an engine loads it."""
    findings = [_finding(id_, judge(facts), facts) for id_, judge in _JUDGES.items()]
    return ModelPreflight(
        path=facts.path, name=facts.name, findings=tuple(findings), load_time=load_time(facts)
    )


def load_time(facts: ModelFacts) -> LoadTime | None:
    """Return how long the weights take to read; ``None`` where nobody measured the disk."""
    speed, size = facts.storage.read_bytes_per_s, facts.weights_bytes
    if not speed or not size:
        return None
    return LoadTime(
        least_s=size / speed,
        most_s=size / speed * _MAPPED_SLOWER,
        weights_bytes=size,
        read_bytes_per_s=speed,
    )


def _finding(id_: PreflightId, said: _Said, facts: ModelFacts) -> PreflightFinding:
    state, key, evidence, detail = said
    words = WORDS[id_]
    values = {"count": len(evidence), "detail": detail, **_times(facts)}
    if id_ is PreflightId.SHARDS and key in {"pass", "uncounted"}:
        values["count"] = len(facts.weight_files)
    return PreflightFinding(
        id=id_,
        state=state,
        title=words.title,
        said=words.said[key].filled(values),
        why=words.why,
        remedy=words.remedy if state in {CheckState.FAIL, CheckState.WARN} else NOTHING,
        evidence=shown(evidence),
    )


def _times(facts: ModelFacts) -> dict[str, object]:
    found = load_time(facts)
    if found is None:
        return {}
    return {
        "least": format_seconds(found.least_s),
        "most": format_seconds(found.most_s),
        "rate": f"{format_size(int(found.read_bytes_per_s))}/s",
    }


def _config(facts: ModelFacts) -> _Said:
    if facts.is_gguf and not facts.config_problem:
        return CheckState.PASS, "pass", (), ""
    if not facts.has_config:
        return CheckState.FAIL, "missing", (), ""
    if facts.config_problem:
        return CheckState.FAIL, "broken", (), facts.config_problem
    return CheckState.PASS, "pass", (), ""


def _shards(facts: ModelFacts) -> _Said:
    if facts.missing_files:
        return CheckState.FAIL, "missing", facts.missing_files, ""
    if not facts.weight_files:
        return CheckState.FAIL, "none", (), ""
    if len(facts.weight_files) > 1 and not facts.has_index and not facts.is_gguf:
        return CheckState.WARN, "uncounted", (), ""
    return CheckState.PASS, "pass", (), ""


def _whole_files(facts: ModelFacts) -> _Said:
    found = [f"{f.name}: {f.detail}" for f in facts.damaged if f.damage is not Damage.POINTER]
    if found:
        return CheckState.FAIL, "damaged", tuple(found), ""
    if facts.unread:
        return CheckState.UNKNOWN, "unreadable", facts.unread, ""
    if not facts.headers_read or not facts.weight_files:
        return CheckState.UNKNOWN, "unread", (), ""
    return CheckState.PASS, "pass", (), ""


def _pointers(facts: ModelFacts) -> _Said:
    found = tuple(f.name for f in facts.damaged if f.damage is Damage.POINTER)
    return (CheckState.FAIL, "found", found, "") if found else (CheckState.PASS, "pass", (), "")


def _download(facts: ModelFacts) -> _Said:
    if facts.broken_links:
        return CheckState.FAIL, "links", facts.broken_links, ""
    if facts.unfinished:
        whole = facts.weight_files and not facts.missing_files and not facts.damaged
        if whole:
            return CheckState.WARN, "leftover", facts.unfinished, ""
        return CheckState.FAIL, "unfinished", facts.unfinished, ""
    if facts.unfinished is None:
        return CheckState.UNKNOWN, "unknown", (), facts.storage.reason
    return CheckState.PASS, "pass", (), ""


def _tokenizer(facts: ModelFacts) -> _Said:
    if facts.has_tokenizer is None:
        return CheckState.UNKNOWN, "unknown", (), ""
    there = facts.has_tokenizer
    return (CheckState.PASS, "pass", (), "") if there else (CheckState.FAIL, "missing", (), "")


def _chat_template(facts: ModelFacts) -> _Said:
    if facts.is_encoder:
        return CheckState.NOT_APPLICABLE, "encoder", (), ""
    if facts.has_chat_template is None:
        return CheckState.UNKNOWN, "unknown", (), ""
    if facts.has_chat_template:
        return CheckState.PASS, "pass", (), ""
    return CheckState.WARN, "missing", (), ""


def _generation_config(facts: ModelFacts) -> _Said:
    if facts.is_gguf:
        return CheckState.NOT_APPLICABLE, "gguf", (), ""
    there = facts.has_generation_config or facts.is_encoder
    return (CheckState.PASS, "pass", (), "") if there else (CheckState.WARN, "missing", (), "")


def _custom_code(facts: ModelFacts) -> _Said:
    if facts.custom_classes:
        return CheckState.WARN, "needed", facts.custom_classes, ""
    return CheckState.PASS, "pass", (), ""


def _quantization(facts: ModelFacts) -> _Said:
    if facts.unsupported_format:
        return CheckState.FAIL, "unsupported", (), facts.unsupported_format
    return CheckState.PASS, "pass", (), ""


def _file_system(facts: ModelFacts) -> _Said:
    storage = facts.storage
    if storage.kind is None:
        return CheckState.UNKNOWN, "unknown", (), storage.reason
    evidence = (f"{storage.device or '?'} on {storage.mount_point or '?'} type {storage.kind}",)
    kind = storage.kind.lower()
    if kind in NETWORK:
        return CheckState.WARN, "network", evidence, storage.kind
    if kind in MEMORY:
        return CheckState.WARN, "memory", evidence, storage.kind
    if kind in _LOCAL:
        return CheckState.PASS, "pass", evidence, storage.kind
    return CheckState.UNKNOWN, "unknown", evidence, storage.kind


def _load_time(facts: ModelFacts) -> _Said:
    if load_time(facts) is None:
        return CheckState.UNKNOWN, "unknown", (), facts.storage.speed_reason
    size, read = facts.weights_bytes or 0, facts.storage.measured_bytes or 0
    evidence = f"weights {format_size(size)}, {format_size(read)} read past the page cache"
    return CheckState.PASS, "measured", (evidence,), ""


_JUDGES: Final[dict[PreflightId, Callable[[ModelFacts], _Said]]] = {
    PreflightId.CONFIG: _config,
    PreflightId.SHARDS: _shards,
    PreflightId.WHOLE_FILES: _whole_files,
    PreflightId.POINTERS: _pointers,
    PreflightId.DOWNLOAD: _download,
    PreflightId.TOKENIZER: _tokenizer,
    PreflightId.CHAT_TEMPLATE: _chat_template,
    PreflightId.GENERATION_CONFIG: _generation_config,
    PreflightId.CUSTOM_CODE: _custom_code,
    PreflightId.QUANTIZATION: _quantization,
    PreflightId.FILE_SYSTEM: _file_system,
    PreflightId.LOAD_TIME: _load_time,
}
