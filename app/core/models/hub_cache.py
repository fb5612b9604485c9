"""What a Hugging Face cache holds: repositories, their revisions and what refs call them.

``models--ORG--NAME/`` has ``refs/`` (a name and a commit each), ``snapshots/COMMIT/`` (links) and
``blobs/`` (the files themselves, unfinished ones ending in ``.incomplete``).
Source: huggingface_hub, "Understand caching" (checked 2026-11-30).
"""

from dataclasses import dataclass

from app.core.models.folders import CONFIG, Folder, model_name, weight_files


@dataclass(frozen=True, slots=True, kw_only=True)
class HubRevision:
    """One revision of one model in a cache."""

    name: str
    """``ORG/NAME``."""
    commit: str
    refs: tuple[str, ...]
    """What points at it: ``main``, a tag, ``refs/pr/1``."""
    path: str
    has_config: bool
    weights_bytes: int | None
    unfinished: int
    """Files of the repository whose download was not finished."""


def read_revisions(
    snapshots: tuple[Folder, ...],
    refs: dict[str, dict[str, str]],
    unfinished: dict[str, int],
) -> tuple[HubRevision, ...]:
    """Return the revisions, named ones first.

    Args:
        snapshots: One folder for each revision.
        refs: Commit by name of the ref, for each repository's folder.
        unfinished: Number of unfinished files, for each repository's folder.
    """
    found = [_revision(snapshot, refs, unfinished) for snapshot in snapshots]
    return tuple(sorted(found, key=lambda one: (one.name.lower(), not one.refs, one.commit)))


def _revision(
    snapshot: Folder, refs: dict[str, dict[str, str]], unfinished: dict[str, int]
) -> HubRevision:
    repository, _, commit = snapshot.path.rpartition("/snapshots/")
    names = refs.get(repository, {})
    return HubRevision(
        name=model_name(snapshot.path),
        commit=commit,
        refs=tuple(sorted(name for name, target in names.items() if target == commit)),
        path=snapshot.path,
        has_config=CONFIG in snapshot.names,
        weights_bytes=sum(file.size_bytes for file in weight_files(snapshot)) or None,
        unfinished=unfinished.get(repository, 0),
    )
