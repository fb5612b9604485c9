"""What a new user does next with the host that was just connected."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from app.core.events import DeploymentSnapshot, HostSnapshot, HostState
from app.ui.viewmodels.deployments_texts import was_seen_starting

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep:
    """One sentence, and the button that goes there."""

    words: str
    verb: str
    page: str
    action: str = ""
    """What is asked of the page, as in a `PageRequest`."""
    lacks: bool = False
    """True where something is missing on the host."""


def present_next(
    snapshot: HostSnapshot | None, deployments: Sequence[DeploymentSnapshot] | None
) -> NextStep | None:
    """Return the next step with a host; ``None`` while it is not known, or once this desk used it.

    What others run there does not tell a new user what to do.
    """
    found = deployments or ()
    if snapshot is None or snapshot.summary is None or any(map(was_seen_starting, found)):
        return None
    name = snapshot.settings.name
    plan = translate("Hosts", "Plan a model on this host")
    if snapshot.is_record:
        words = translate("Hosts", "{host} is known from a record: models can be planned for it.")
        return NextStep(words=words.format(host=name), verb=plan, page="plan")
    if snapshot.state is not HostState.CONNECTED:
        return None
    if not snapshot.summary.container_text:
        words = translate(
            "Hosts", "{host} has no container engine that answers: planning works, deploying not."
        )
        verb = translate("Hosts", "See what is missing")
        return NextStep(
            words=words.format(host=name),
            verb=verb,
            page="fingerprint",
            action="checks",
            lacks=True,
        )
    words = translate("Hosts", "{host} is ready. Choose a model: Pitwall finds engine and values.")
    return NextStep(words=words.format(host=name), verb=plan, page="plan")
