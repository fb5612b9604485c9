"""Why the Deployments page is empty: never “nothing” where nobody could look."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from app.core.events import HostSnapshot, HostState
from app.core.ids import HostId

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True, kw_only=True)
class EmptyView:
    """Words of an empty page, and which step it offers."""

    title: str
    text: str
    offer: str = ""
    """``hosts connect look plan`` or nothing."""


def present_empty(host: HostSnapshot | None, looked_at: AbstractSet[HostId]) -> EmptyView:
    """Return what stands on the page while it lists no deployment."""
    if host is None:
        return EmptyView(
            title=translate("Deployments", "No host chosen"),
            text=translate("Deployments", "Choose a host on the Hosts page first."),
            offer="hosts",
        )
    name = host.settings.name
    if host.state is HostState.CONNECTING:
        title = translate("Deployments", "Connecting to {host}")
        return EmptyView(title=title.format(host=name), text=_unseen())
    if host.state is not HostState.CONNECTED:
        title = translate("Deployments", "{host} is not connected")
        return EmptyView(title=title.format(host=name), text=_unseen(), offer="connect")
    if host.settings.id not in looked_at:
        title = translate("Deployments", "What runs on {host} is not known yet")
        text = translate("Deployments", "Its container engine has not answered so far.")
        return EmptyView(title=title.format(host=name), text=text, offer="look")
    title = translate("Deployments", "Nothing is deployed on {host}")
    return EmptyView(
        title=title.format(host=name),
        text=translate(
            "Deployments",
            "A plan says which engine runs a model on this host, and how. Deploy it, or use "
            "“pitwall deploy” on the command line.",
        ),
        offer="plan",
    )


def present_unseen(hosts: tuple[HostSnapshot, ...]) -> str:
    """Return which hosts could not be asked, for the note beside the title."""
    names = [h.settings.name for h in hosts if h.state is not HostState.CONNECTED]
    if not names:
        return ""
    text = translate("Deployments", "not connected, so not asked: {hosts}")
    return text.format(hosts=", ".join(names))


def _unseen() -> str:
    return translate(
        "Deployments",
        "What runs there goes on. It is found again as soon as the host is connected.",
    )
