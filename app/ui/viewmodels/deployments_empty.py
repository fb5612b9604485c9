"""Why the Deployments page is empty: never “nothing” where nobody could look."""

from collections.abc import Set as AbstractSet

from PySide6.QtCore import QCoreApplication

from app.core.events import HostSnapshot, HostState
from app.core.ids import HostId
from app.ui.viewmodels.host_empty import EmptyView, present_away, present_no_host

translate = QCoreApplication.translate


def present_empty(host: HostSnapshot | None, looked_at: AbstractSet[HostId]) -> EmptyView:
    """Return what stands on the page while it lists no deployment."""
    away = present_away(host, _unseen())
    if away is not None or host is None:
        return away or present_no_host()
    name = host.settings.name
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
    names = [
        h.settings.name for h in hosts if h.state is not HostState.CONNECTED and not h.is_record
    ]
    if not names:
        return ""
    text = translate("Deployments", "not connected, so not asked: {hosts}")
    return text.format(hosts=", ".join(names))


def _unseen() -> str:
    return translate(
        "Deployments",
        "What runs there goes on. It is found again as soon as the host is connected.",
    )
