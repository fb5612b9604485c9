"""The revisions of a deployment on a host: which is in force, which can be gone back to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from app.core.labels import DeploymentLabels, read_labels
from app.core.logs.stamps import seconds_of
from app.io.containers import ENDED, ContainerInfo

KEEP_POLICY: Final = "unless-stopped"
"""The restart policy that only a revision gets which was verified."""

Revision: TypeAlias = tuple[DeploymentLabels, ContainerInfo]


@dataclass(frozen=True, slots=True, kw_only=True)
class Others:
    """What lies on the host beside the revision in force, as last seen."""

    ended: int = 0
    """Containers of other revisions that have ended."""
    newest: int = 0
    """The highest revision, when it is above the one in force: after a rollback; else 0."""
    before: int | None = None
    """The verified revision that a rollback goes to; ``None`` when there is none."""


def by_name(containers: Iterable[ContainerInfo]) -> dict[str, list[Revision]]:
    """Return our containers by the name of their deployment."""
    found: dict[str, list[Revision]] = {}
    for info in containers:
        labels = read_labels(info.labels)
        if labels is not None:
            found.setdefault(labels.deployment, []).append((labels, info))
    return found


def in_force(revisions: Sequence[Revision]) -> Revision:
    """The running one, else the verified one that ended last, else the highest.

    Which ended last tells a revision that was rolled back from the one that took its place.
    """

    def rank(pair: Revision) -> tuple[bool, bool, float, int]:
        labels, info = pair
        verified = info.restart_policy == KEEP_POLICY
        ended_s = seconds_of(info.finished_at) or 0.0
        return is_running(info), verified, ended_s if verified else 0.0, labels.revision

    return max(revisions, key=rank)


def is_running(info: ContainerInfo) -> bool:
    """True while its process runs, or is started again by the container engine."""
    return info.status in {"running", "restarting", "paused"}


def ended_beside(revisions: Sequence[Revision], revision: int) -> tuple[ContainerInfo, ...]:
    """Return the containers of other revisions that have ended."""
    return tuple(
        info for labels, info in revisions if labels.revision != revision and info.status in ENDED
    )


def verified_beside(revisions: Sequence[Revision], revision: int) -> tuple[Revision, ...]:
    """Return the other revisions that have served and ended, the newest first."""
    found = [
        (labels, info)
        for labels, info in revisions
        if labels.revision != revision
        and info.status in ENDED
        and info.restart_policy == KEEP_POLICY
    ]
    return tuple(sorted(found, key=lambda pair: pair[0].revision, reverse=True))


def others_of(revisions: Sequence[Revision], revision: int) -> Others:
    """Return what lies beside the revision in force."""
    earlier = [
        labels.revision
        for labels, _ in verified_beside(revisions, revision)
        if labels.revision < revision
    ]
    highest = max(labels.revision for labels, _ in revisions)
    return Others(
        ended=len(ended_beside(revisions, revision)),
        newest=highest if highest > revision else 0,
        before=earlier[0] if earlier else None,
    )
