"""What became of a deployment, as one sentence for the status line."""

from PySide6.QtCore import QCoreApplication

from app.core.deployment.state import WORKING
from app.core.events import DeploymentSnapshot, DeploymentState

translate = QCoreApplication.translate


def what_ended(
    before: DeploymentSnapshot, after: DeploymentSnapshot | None, *, is_connected: bool
) -> str:
    """Return what ended between two snapshots; empty when nothing did.

    Args:
        before: The earlier one.
        after: The later one; ``None`` when it is gone from the list.
        is_connected: Whether its host could be asked to undo what was cancelled.
    """
    if after is not None:
        stopped = after.state is DeploymentState.STOPPED and before.state is not after.state
        text = translate("Deployments", "{name} is stopped; its container stays") if stopped else ""
    elif before.state not in WORKING:
        text = translate("Deployments", "{name} is removed")
    elif is_connected:
        text = translate("Deployments", "The start of {name} was cancelled; nothing is left")
    else:
        text = translate(
            "Deployments",
            "The start of {name} was cancelled; what is left is removed when its host answers "
            "again",
        )
    return text.format(name=before.ref)
