"""Why a page that needs a host is empty: no host, one that is not connected, or a record."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from app.core.events import HostSnapshot, HostState

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True, kw_only=True)
class EmptyView:
    """Words of an empty page, and which step it offers."""

    title: str
    text: str
    offer: str = ""
    """``hosts``, ``connect``, a step of the page's own, or nothing."""


def present_no_host() -> EmptyView:
    """Return what stands on a page while no host is chosen."""
    return EmptyView(
        title=translate("HostEmpty", "No host chosen"),
        text=translate("HostEmpty", "Choose a host on the Hosts page first."),
        offer="hosts",
    )


def present_away(host: HostSnapshot | None, needs: str) -> EmptyView | None:
    """Return what stands on a page that needs a connection; ``None`` while there is one.

    Args:
        host: the chosen one.
        needs: why the page needs the connection, as a sentence.
    """
    if host is None:
        return present_no_host()
    name = host.settings.name
    if host.is_record:
        return EmptyView(
            title=translate("HostEmpty", "{host} is a record").format(host=name),
            text=translate(
                "HostEmpty",
                "It was opened from a file or thought of, so nothing can be connected. "
                "Its fingerprint, its topology and a plan for it are there.",
            ),
        )
    if host.state is HostState.CONNECTING:
        title = translate("HostEmpty", "Connecting to {host}")
        return EmptyView(title=title.format(host=name), text=needs)
    if host.state is not HostState.CONNECTED:
        title = translate("HostEmpty", "{host} is not connected")
        return EmptyView(title=title.format(host=name), text=needs, offer="connect")
    return None
