"""Models of the Fingerprint page: groups, facts of a group, GPUs, raw sections."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import (
    QAbstractListModel,
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from app.core.hardware.fingerprint import Fingerprint, Gpu
from app.core.hardware.sections import RawSection
from app.ui.i18n import QT_TRANSLATE_NOOP
from app.ui.icons import IconSet
from app.ui.models.roles import BAR_ROLE, ID_ROLE, SORT_ROLE
from app.ui.theme import Theme
from app.ui.viewmodels.bar import Bar
from app.ui.viewmodels.fingerprint import FactGroup
from app.ui.viewmodels.fingerprint_facts import Fact, pcie_text

CONTEXT: Final = "Fingerprint"
Index = QModelIndex | QPersistentModelIndex
_NONE: Final = QModelIndex()
_LEFT: Final = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

_FACT_TITLES: Final = (
    QT_TRANSLATE_NOOP("Fingerprint", "Fact"),
    QT_TRANSLATE_NOOP("Fingerprint", "Value"),
    QT_TRANSLATE_NOOP("Fingerprint", "Source"),
)
_GPU_TITLES: Final = (
    QT_TRANSLATE_NOOP("Fingerprint", "GPU"),
    QT_TRANSLATE_NOOP("Fingerprint", "Model"),
    QT_TRANSLATE_NOOP("Fingerprint", "Capability"),
    QT_TRANSLATE_NOOP("Fingerprint", "Memory used, GiB"),
    QT_TRANSLATE_NOOP("Fingerprint", "Reserved, MiB"),
    QT_TRANSLATE_NOOP("Fingerprint", "Use, %"),
    QT_TRANSLATE_NOOP("Fingerprint", "Power, W"),
    QT_TRANSLATE_NOOP("Fingerprint", "°C"),
    QT_TRANSLATE_NOOP("Fingerprint", "PCIe"),
    QT_TRANSLATE_NOOP("Fingerprint", "NUMA"),
)
GPU_MEMORY_COLUMN: Final = 3
_GPU_FIGURES: Final = {4, 5, 6, 7, 9}


class GroupsModel(QAbstractListModel):
    """The groups on the left with their counts."""

    def __init__(self, icons: IconSet, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._groups: tuple[FactGroup, ...] = ()

    def group(self, row: int) -> FactGroup:
        """Return the group of a row."""
        return self._groups[row]

    def row_of(self, group_id: str) -> int:
        """Return a group's row; -1 when it is not there."""
        ids = [group.id for group in self._groups]
        return ids.index(group_id) if group_id in ids else -1

    def replace(self, groups: tuple[FactGroup, ...]) -> None:
        """Show other groups; equal ids keep their rows."""
        same = [g.id for g in groups] == [g.id for g in self._groups]
        if same:
            self._groups = groups
            if groups:
                self.dataChanged.emit(self.index(0), self.index(len(groups) - 1))
            return
        if self._groups:
            self.beginRemoveRows(_NONE, 0, len(self._groups) - 1)
            self._groups = ()
            self.endRemoveRows()
        if groups:
            self.beginInsertRows(_NONE, 0, len(groups) - 1)
            self._groups = groups
            self.endInsertRows()

    def rowCount(self, parent: Index = _NONE) -> int:
        """Return how many groups there are."""
        return 0 if parent.isValid() else len(self._groups)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Answer for a group."""
        if not index.isValid():
            return None
        group = self._groups[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return _with_count(group)
        if role == Qt.ItemDataRole.DecorationRole:
            token = "status.warn" if group.id == "warnings" else "muted"
            return self._icons.icon(group.icon, token)
        return group.id if role == ID_ROLE else None


def _with_count(group: FactGroup) -> str:
    if group.id == "warnings":
        return f"{group.title} · {len(group.facts)}"
    if not group.unknown_count:
        return group.title
    text = QCoreApplication.translate("Fingerprint", "{title} · {count} unknown")
    return text.format(title=group.title, count=group.unknown_count)


class FactsModel(QAbstractTableModel):
    """Label, value and source; unknown values are grey and say why."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._facts: tuple[Fact, ...] = ()

    def fact(self, row: int) -> Fact:
        """Return the fact of a row."""
        return self._facts[row]

    def replace(self, facts: tuple[Fact, ...]) -> None:
        """Show other facts; rows that stay are only changed."""
        kept = min(len(facts), len(self._facts))
        if len(self._facts) > kept:
            self.beginRemoveRows(_NONE, kept, len(self._facts) - 1)
            self._facts = self._facts[:kept]
            self.endRemoveRows()
        self._facts = facts[:kept]
        if kept:
            self.dataChanged.emit(self.index(0, 0), self.index(kept - 1, 2))
        if len(facts) > kept:
            self.beginInsertRows(_NONE, kept, len(facts) - 1)
            self._facts = facts
            self.endInsertRows()

    def retranslate(self) -> None:
        """The titles are in another language now."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, 2)

    def rowCount(self, parent: Index = _NONE) -> int:
        """Return how many facts there are."""
        return 0 if parent.isValid() else len(self._facts)

    def columnCount(self, parent: Index = _NONE) -> int:
        """Return three."""
        return 0 if parent.isValid() else len(_FACT_TITLES)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Return a column's title."""
        return _title(_FACT_TITLES, section, orientation, role)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Answer for a cell."""
        if not index.isValid():
            return None
        fact = self._facts[index.row()]
        text = (fact.label, fact.reason if fact.value is None else fact.value, fact.source)
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.ToolTipRole:
                return text[index.column()]
            case Qt.ItemDataRole.ForegroundRole:
                return self._theme.color(_fact_token(fact, index.column()))
            case Qt.ItemDataRole.FontRole if fact.value is None and index.column() == 1:
                font = self._theme.font()
                font.setItalic(True)
                return font
            case _:
                return None


def _fact_token(fact: Fact, column: int) -> str:
    if column != 1 or fact.value is None:
        return "muted"
    return f"status.{fact.status}" if fact.status else "text"


class GpuModel(QAbstractTableModel):
    """One row per GPU."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._gpus: tuple[Gpu, ...] = ()

    def gpu(self, row: int) -> Gpu:
        """Return the GPU of a row."""
        return self._gpus[row]

    def replace(self, fingerprint: Fingerprint | None) -> None:
        """Show the GPUs of another fingerprint."""
        gpus = fingerprint.gpus if fingerprint is not None else ()
        if len(gpus) == len(self._gpus):
            self._gpus = gpus
            if gpus:
                last = self.index(len(gpus) - 1, len(_GPU_TITLES) - 1)
                self.dataChanged.emit(self.index(0, 0), last)
            return
        if self._gpus:
            self.beginRemoveRows(_NONE, 0, len(self._gpus) - 1)
            self._gpus = ()
            self.endRemoveRows()
        if gpus:
            self.beginInsertRows(_NONE, 0, len(gpus) - 1)
            self._gpus = gpus
            self.endInsertRows()

    def retranslate(self) -> None:
        """The titles are in another language now."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(_GPU_TITLES) - 1)

    def rowCount(self, parent: Index = _NONE) -> int:
        """Return how many GPUs there are."""
        return 0 if parent.isValid() else len(self._gpus)

    def columnCount(self, parent: Index = _NONE) -> int:
        """Return how many columns there are."""
        return 0 if parent.isValid() else len(_GPU_TITLES)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Return a column's title."""
        if role == Qt.ItemDataRole.TextAlignmentRole and section in _GPU_FIGURES:
            return _RIGHT
        return _title(_GPU_TITLES, section, orientation, role)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Answer for a cell."""
        if not index.isValid():
            return None
        values = _gpu_values(self._gpus[index.row()])
        value = values[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return "–" if value is None else f"{value:,g}" if _is_number(value) else value
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT if index.column() in _GPU_FIGURES else _LEFT
            case _ if role == SORT_ROLE:
                return -1 if value is None else value
            case _ if role == BAR_ROLE and index.column() == GPU_MEMORY_COLUMN:
                return gpu_bar(self._gpus[index.row()])
            case _:
                return None


def gpu_bar(gpu: Gpu) -> Bar:
    """Return how full a GPU's memory is."""
    total, used = gpu.memory_total_mib, gpu.memory_used_mib
    if total is None or used is None:
        return Bar(fraction=None, text="–")
    return Bar(fraction=used / total, text=f"{used / 1024:,.1f} / {total / 1024:,.0f}")


def _gpu_values(gpu: Gpu) -> tuple[str | float | None, ...]:
    pcie = pcie_text(gpu.pcie_gen_current, gpu.pcie_width_current)
    return (
        f"GPU {gpu.index}",
        gpu.name,
        gpu.compute_cap,
        gpu.memory_used_mib,
        gpu.memory_reserved_mib,
        gpu.utilization_percent,
        None if gpu.power_w is None else round(gpu.power_w),
        gpu.temperature_c,
        pcie,
        gpu.numa_node,
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


class SectionsModel(QAbstractListModel):
    """The raw sections by name; those that failed are marked."""

    def __init__(self, icons: IconSet, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._sections: Sequence[RawSection] = ()

    def section(self, row: int) -> RawSection:
        """Return the section of a row."""
        return self._sections[row]

    def replace(self, sections: Sequence[RawSection]) -> None:
        """Show other sections."""
        if self._sections:
            self.beginRemoveRows(_NONE, 0, len(self._sections) - 1)
            self._sections = ()
            self.endRemoveRows()
        if sections:
            self.beginInsertRows(_NONE, 0, len(sections) - 1)
            self._sections = sections
            self.endInsertRows()

    def rowCount(self, parent: Index = _NONE) -> int:
        """Return how many sections there are."""
        return 0 if parent.isValid() else len(self._sections)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Answer for a section."""
        if not index.isValid():
            return None
        section = self._sections[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return section.name
        if role == Qt.ItemDataRole.ToolTipRole:
            return section.command
        if role == Qt.ItemDataRole.DecorationRole:
            if section.exit_code == 0:
                return self._icons.icon("check", "status.ok")
            return self._icons.icon("circle-minus", "status.unknown")
        return None


def _title(titles: tuple[str, ...], section: int, orientation: Qt.Orientation, role: int) -> object:
    if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(titles):
        return None
    if role == Qt.ItemDataRole.DisplayRole:
        return QCoreApplication.translate(CONTEXT, titles[section])
    return _LEFT if role == Qt.ItemDataRole.TextAlignmentRole else None
