"""What the palette offers: pages, hosts, deployments and actions, in words of both languages."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final

from PySide6.QtCore import QCoreApplication

from app.core.events import DeploymentSnapshot, HostSnapshot
from app.core.ids import HostId
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.keys import shown
from app.ui.models.commands import Command, OfferedTool
from app.ui.pages.registry import PageSpec
from app.ui.viewmodels.help import HelpPageText
from app.ui.viewmodels.host_texts import kind_text
from app.ui.viewmodels.settings_list import SETTINGS

translate = QCoreApplication.translate

LAST_DIGIT: Final = 9

ACTIONS: Final[Mapping[str, tuple[str, str]]] = {
    "add_ssh": (QT_TRANSLATE_NOOP("Commands", "Add over SSH"), "plus"),
    "add_local": (QT_TRANSLATE_NOOP("Commands", "Add this computer"), "device-desktop"),
    "import_ssh": (QT_TRANSLATE_NOOP("Commands", "Import from SSH config"), "file-import"),
    "add_demo": (QT_TRANSLATE_NOOP("Commands", "Try the demo host"), "flask"),
    "connect": (QT_TRANSLATE_NOOP("Commands", "Connect"), "plug"),
    "disconnect": (QT_TRANSLATE_NOOP("Commands", "Disconnect"), "plug-x"),
    "fingerprint": (QT_TRANSLATE_NOOP("Commands", "Take fingerprint"), "fingerprint"),
    "refresh": (QT_TRANSLATE_NOOP("Commands", "Refresh"), "refresh"),
    "errors": (QT_TRANSLATE_NOOP("Commands", "Recent errors"), "alert-circle"),
    "help": (QT_TRANSLATE_NOOP("Commands", "Help on this page"), "help-circle"),
    "as_command": (QT_TRANSLATE_NOOP("Commands", "Copy as command"), "terminal-2"),
}
"""Words and icon of each action, in the order in which they are offered."""


def page_commands(pages: Iterable[PageSpec], open_page: Callable[[str], None]) -> list[Command]:
    """Return one command per page; the English name finds it in every language."""
    hint = translate("Commands", "Page")
    return [
        Command(
            words=spec.word,
            hint=hint,
            icon=spec.icon,
            also=spec.title,
            run=partial(open_page, spec.id),
            keys=shown(f"Ctrl+{number}") if number <= LAST_DIGIT else "",
        )
        for number, spec in enumerate(pages, start=1)
    ]


def host_commands(hosts: Iterable[HostSnapshot], select: Callable[[HostId], None]) -> list[Command]:
    """Return one command per host."""
    hint = translate("Commands", "Host")
    return [
        Command(
            words=snapshot.settings.name,
            hint=f"{hint} · {kind_text(snapshot.settings.kind)}",
            icon="server",
            also="host",
            run=partial(select, snapshot.settings.id),
        )
        for snapshot in hosts
    ]


def deployment_commands(
    deployments: Iterable[DeploymentSnapshot], show: Callable[[HostId, str], None]
) -> list[Command]:
    """Return one command per deployment."""
    hint = translate("Commands", "Deployment")
    return [
        Command(
            words=snapshot.ref,
            hint=hint,
            icon="rocket",
            also="deployment",
            run=partial(show, snapshot.host_id, snapshot.name),
        )
        for snapshot in deployments
    ]


def action_commands(
    act: Mapping[str, Callable[[], None]], keys: Callable[[str], str]
) -> list[Command]:
    """Return the actions of `ACTIONS` that ``act`` can do, with the keys that do the same."""
    hint = translate("Commands", "Action")
    return [
        Command(
            words=translate("Commands", words),
            hint=hint,
            icon=icon,
            also=words,
            run=act[name],
            keys=keys(name),
        )
        for name, (words, icon) in ACTIONS.items()
        if name in act
    ]


def tool_commands(tools: Iterable[OfferedTool], page: str) -> list[Command]:
    """Return what the buttons beside the page's title do."""
    return [
        Command(words=tool.words, hint=page, icon="chevron-right", run=tool.run, keys=tool.keys)
        for tool in tools
    ]


def setting_commands(open_setting: Callable[[str], None]) -> list[Command]:
    """Return one command per setting."""
    hint = translate("Commands", "Setting")
    return [
        Command(
            words=translate("Settings", words),
            hint=hint,
            icon="settings",
            also=words,
            run=partial(open_setting, name),
        )
        for name, words in SETTINGS.items()
    ]


def help_commands(
    topics: Iterable[HelpPageText], open_topic: Callable[[str], None]
) -> list[Command]:
    """Return one command per topic of the help, and per section in it."""
    hint = translate("Commands", "Help")
    return [
        Command(
            words=section.title,
            hint=hint if section.title == topic.title else f"{hint} · {topic.title}",
            icon="help-circle",
            also="help",
            run=partial(open_topic, f"{topic.id}#{section.title}"),
        )
        for topic in topics
        for section in topic.sections
    ]
