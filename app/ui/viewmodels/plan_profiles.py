"""How saved and shipped profiles read in a list."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from app.core.engines.spec import EngineData
from app.core.planning.profile import ASK, NEWEST
from app.core.texts import Text
from app.services.profiles import ProfileEntry
from app.ui.messages import cause_text
from app.ui.viewmodels.plan_texts import engine_name
from app.ui.viewmodels.said import said

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileRow:
    """One profile."""

    path: Path
    title: str
    about: str
    model: str
    """Where its model is on the host; empty when it leaves that open."""
    is_broken: bool = False


def present_profiles(
    entries: tuple[ProfileEntry, ...], engines: Mapping[str, EngineData]
) -> tuple[ProfileRow, ...]:
    """Return the profiles as rows, in their order."""
    return tuple(_row(entry, engines) for entry in entries)


def needs_model(row: ProfileRow) -> bool:
    """Tell whether a model has to be named."""
    return not row.model


def _row(entry: ProfileEntry, engines: Mapping[str, EngineData]) -> ProfileRow:
    whence = (
        translate("Plan", "comes with Pitwall") if entry.is_shipped else translate("Plan", "saved")
    )
    profile = entry.profile
    if profile is None:
        title = translate("Plan", "{name} · cannot be read").format(name=entry.name)
        about = "" if entry.error is None else cause_text(entry.error)
        return ProfileRow(path=entry.path, title=title, about=about, model="", is_broken=True)
    words = said(Text(en=profile.title, zh_CN=profile.title_zh_CN)) or entry.name
    about = said(Text(en=profile.description, zh_CN=profile.description_zh_CN))
    parts = [about, _engine(profile.engine, profile.engine_version, engines), entry.path.name]
    model = profile.model if profile.model != ASK and profile.model.startswith("/") else ""
    return ProfileRow(
        path=entry.path,
        title=f"{words} · {whence}",
        about=" · ".join(part for part in parts if part),
        model=model,
    )


def _engine(engine: str, version: str, engines: Mapping[str, EngineData]) -> str:
    name = engine_name(engine, engines)
    if version == NEWEST:
        return translate("Plan", "{engine}, newest version").format(engine=name)
    return f"{name} {version}"
