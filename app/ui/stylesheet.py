"""The one style sheet, built from a theme's tokens. Pages add none of their own.

A widget says its part by a dynamic property: ``role`` (title, section, caption, muted, card,
banner …), ``kind`` (primary, danger, quiet, choice) or ``status`` (ok, warn, error, unknown).
"""

from string import Template
from typing import Final

from app.core.appearance import Theme

_SHEET: Final = Template("""
* { outline: none; }
QMainWindow, QDialog, QWidget#page, QStackedWidget { background: $window; }
QToolTip { background: $raised; color: $text; border: 1px solid $border; padding: 4px 6px; }

QLabel { background: transparent; }
QLabel[role="title"] { font-size: ${title}pt; font-weight: 600; }
QLabel[role="section"] { font-size: ${section}pt; font-weight: 600; }
QLabel[role="caption"] { font-size: ${caption}pt; color: $muted; }
QLabel[role="muted"] { color: $muted; }
QLabel[role="error"] { color: $status_error; font-size: ${caption}pt; }
QLabel[status="ok"] { color: $status_ok; }
QLabel[status="warn"] { color: $status_warn; }
QLabel[status="error"] { color: $status_error; }
QLabel[status="unknown"] { color: $status_unknown; }
QLabel[status="accent"] { color: $accent; }
QLabel[role="badge"] {
  color: $status_warn; background: $soft_warn; border: 1px solid $status_warn;
  border-radius: 6px; padding: 1px 7px; font-size: ${caption}pt; font-weight: 600;
}
QLabel[role="chip"] {
  color: $muted; background: $soft_unknown; border-radius: 6px; padding: 1px 7px;
  font-size: ${caption}pt;
}

QFrame[role="card"], QWidget[role="card"] {
  background: $surface; border: 1px solid $border; border-radius: 6px;
}
QFrame[role="panel"], QWidget[role="panel"] { background: $surface; border: none; }
QFrame[role="line"] { background: $border; border: none; }
QFrame[role="banner"] { border: 1px solid $border; border-radius: 6px; background: $surface; }
QFrame[role="banner"][status="error"] { background: $soft_error; border-color: $status_error; }
QFrame[role="banner"][status="warn"] { background: $soft_warn; border-color: $status_warn; }
QFrame[role="banner"][status="ok"] { background: $soft_ok; border-color: $status_ok; }
QFrame[role="edge"] { border: 2px solid $strong; background: $window; }
QFrame[role="hostbar"] { background: $surface; border: none; border-bottom: 1px solid $border; }
QFrame[role="activitybar"] { background: $surface; border: none; border-top: 1px solid $border; }
QFrame[role="inspector"] { background: $surface; border: none; border-left: 1px solid $border; }
QFrame[role="rail"] { background: $surface; border: none; border-right: 1px solid $border; }

QPushButton {
  background: $raised; color: $text; border: 1px solid $border; border-radius: 6px;
  padding: 4px 12px; min-height: 1.35em;
}
QPushButton:hover { background: $hover; border-color: $strong; }
QPushButton:pressed { background: $selected; }
QPushButton:focus { border: 2px solid $accent; padding: 3px 11px; }
QPushButton:disabled { color: $strong; background: $window; }
QPushButton:checked { background: $selected; border-color: $accent; }
QPushButton[kind="primary"] {
  background: $accent; color: $on_accent; border-color: $accent; font-weight: 600;
}
QPushButton[kind="primary"]:hover { border-color: $text; }
QPushButton[kind="primary"]:focus { border: 2px solid $text; padding: 3px 11px; }
QPushButton[kind="primary"]:disabled {
  background: $track; color: $muted; border-color: $border; font-weight: 400;
}
QPushButton[kind="danger"] { color: $status_error; border-color: $status_error; }
QPushButton[kind="danger"]:hover { background: $soft_error; }
QPushButton[kind="danger"]:focus { border: 2px solid $status_error; background: $soft_error; }
QPushButton[kind="danger"]:disabled { color: $strong; border-color: $border; }
QPushButton[kind="quiet"] { background: transparent; border-color: transparent; padding: 4px 8px; }
QPushButton[kind="quiet"]:hover { background: $hover; }
QPushButton[kind="quiet"]:focus { border: 2px solid $accent; padding: 3px 7px; }
QPushButton[kind="quiet"]:checked { background: $selected; color: $accent; }
QPushButton[kind="chip"] { padding: 1px 10px; min-height: 1.25em; background: $surface; }
QPushButton[kind="chip"][tight="true"] { padding: 0 5px; }
QPushButton[kind="chip"][filter="true"]:!checked { color: $muted; border-style: dashed; }
QPushButton[kind="chip"][tight="true"]:focus { padding: 0 4px; }
QPushButton[kind="chip"]:checked { color: $accent; }
QPushButton[kind="chip"]:focus { padding: 0 9px; }
QPushButton[kind="choice"] {
  text-align: left; padding: 16px; background: $surface; border: 1px solid $border;
}
QPushButton[kind="choice"]:hover { border-color: $accent; background: $surface; }
QPushButton[kind="choice"]:focus { border: 2px solid $accent; padding: 15px; }
QPushButton[kind="choice"][tight="true"] { padding: 4px; }
QPushButton[kind="choice"][tight="true"]:focus { padding: 3px; }
QPushButton[kind="choice"]:checked { border-color: $accent; background: $soft_accent; }
QPushButton::menu-indicator { width: 0; }

QToolButton {
  background: transparent; color: $text; border: 1px solid transparent; border-radius: 6px;
  padding: 3px;
}
QToolButton:hover { background: $hover; }
QToolButton:pressed { background: $selected; }
QToolButton:focus { border: 2px solid $accent; padding: 2px; }
QToolButton:checked { background: $selected; }
QToolButton::menu-indicator { image: none; width: 0; }
QToolButton[kind="rail"] {
  color: $muted; padding: 6px 2px; border-radius: 6px; font-size: ${caption}pt;
}
QToolButton[kind="rail"]:hover { color: $text; }
QToolButton[kind="rail"]:focus { padding: 5px 1px; }
QToolButton[kind="rail"]:checked { color: $accent; background: $selected; font-weight: 600; }
QToolButton[kind="host"] { font-weight: 600; padding: 4px 8px; }
QToolButton[kind="host"]:focus { padding: 3px 7px; }

QLineEdit, QPlainTextEdit, QTextEdit, QTextBrowser, QSpinBox, QDoubleSpinBox, QComboBox {
  background: $surface; color: $text; border: 1px solid $strong; border-radius: 6px;
  padding: 3px 7px; selection-background-color: $accent; selection-color: $on_accent;
}
QPlainTextEdit, QTextEdit, QTextBrowser { padding: 6px; }
QTextBrowser, QPlainTextEdit[readOnly="true"], QTextEdit[readOnly="true"] {
  border-color: $border;
}
QPlainTextEdit[role="mono"], QTextEdit[role="mono"] { background: $window; }
QTextBrowser[role="plain"] { border: none; background: $surface; padding: 6px 4px; }
QPlainTextEdit:focus, QTextEdit:focus, QTextBrowser:focus {
  border: 2px solid $accent; padding: 5px;
}
QTextBrowser[role="plain"]:focus { border: 2px solid $accent; padding: 4px 2px; }
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox { min-height: 1.4em; }
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus { border-color: $accent; }
QLineEdit:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled, QComboBox:disabled {
  color: $strong; background: $window;
}
QLineEdit[invalid="true"], QComboBox[invalid="true"], QSpinBox[invalid="true"],
QDoubleSpinBox[invalid="true"] { border-color: $status_error; }
QComboBox::drop-down { border: none; width: 22px; }
QComboBox::down-arrow { image: url(theme:${arrows}-down.svg); width: 12px; height: 12px; }
QSpinBox, QDoubleSpinBox { padding: 1px 18px 2px 7px; }
QSpinBox QLineEdit, QDoubleSpinBox QLineEdit {
  border: none; background: transparent; padding: 0; min-height: 0;
}
QSpinBox::up-button, QDoubleSpinBox::up-button {
  subcontrol-origin: border; subcontrol-position: top right; width: 18px; border: none;
}
QSpinBox::down-button, QDoubleSpinBox::down-button {
  subcontrol-origin: border; subcontrol-position: bottom right; width: 18px; border: none;
}
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow {
  image: url(theme:${arrows}-up.svg); width: 10px; height: 10px;
}
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow {
  image: url(theme:${arrows}-down.svg); width: 10px; height: 10px;
}
QComboBox QAbstractItemView {
  background: $raised; border: 1px solid $border; selection-background-color: $selected;
  selection-color: $text; padding: 2px;
}
QCheckBox, QRadioButton { spacing: 8px; background: transparent; }
QCheckBox::indicator, QRadioButton::indicator {
  width: 14px; height: 14px; border: 1px solid $strong; background: $surface;
}
QCheckBox::indicator { border-radius: 4px; }
QRadioButton::indicator { border-radius: 8px; }
QCheckBox::indicator:hover, QRadioButton::indicator:hover { border-color: $accent; }
QCheckBox::indicator:focus, QRadioButton::indicator:focus { border: 2px solid $accent; }
QCheckBox::indicator:checked, QRadioButton::indicator:checked {
  background: $accent; border-color: $accent; image: url(theme:${arrows}-check.svg);
}
QCheckBox::indicator:disabled, QRadioButton::indicator:disabled { background: $window; }
QCheckBox:focus, QRadioButton:focus { color: $accent; }

QTableView, QListView, QTreeView, QListWidget, QTreeWidget, QTableWidget {
  background: $surface; border: 1px solid $border; border-radius: 6px; gridline-color: $border;
  selection-background-color: $selected; selection-color: $text;
  alternate-background-color: $window;
}
QTableView:focus, QListView:focus, QTreeView:focus, QListView[role="groups"]:focus {
  border: 2px solid $accent;
}
QTableView::item, QTreeView::item {
  padding: 0 5px; border: none; border-bottom: 1px solid $border;
}
QTableView::item:hover, QTreeView::item:hover, QListView::item:hover { background: $hover; }
QTableView::item:selected, QTreeView::item:selected, QListView::item:selected {
  background: $selected;
}
QListView[role="groups"] { border: none; background: transparent; }
QListView::item { padding: 0 8px; border-radius: 6px; }
QHeaderView { background: $surface; border: none; }
QHeaderView::section {
  background: $surface; color: $muted; border: none; border-bottom: 1px solid $border;
  padding: 5px 8px; font-size: ${caption}pt; font-weight: 600;
}
QHeaderView::section:hover { color: $text; }
QTableCornerButton::section { background: $surface; border: none; }

QTabWidget::pane { border: none; border-top: 1px solid $border; top: -1px; }
QTabBar::tab {
  background: transparent; color: $muted; padding: 6px 12px; border: none;
  border-bottom: 2px solid transparent;
}
QTabBar::tab:hover { color: $text; }
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; font-weight: 600; }
QTabBar::tab:focus { color: $accent; background: $soft_accent; }

QProgressBar {
  background: $track; border: none; border-radius: 3px; max-height: 6px; min-height: 6px;
  color: transparent;
}
QProgressBar::chunk { background: $accent; border-radius: 3px; }

QScrollArea { background: transparent; border: none; }
QScrollArea > QWidget > QWidget { background: transparent; }
QScrollBar:vertical { background: transparent; width: 11px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 11px; margin: 0; }
QScrollBar::handle { background: $border; border-radius: 4px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: $strong; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QMenu { background: $raised; color: $text; border: 1px solid $border; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 10px; border-radius: 4px; }
QMenu::item:selected { background: $selected; }
QMenu::item:disabled { color: $strong; }
QMenu::separator { height: 1px; background: $border; margin: 4px 6px; }
QMenu::icon { padding-left: 8px; }

QSplitter::handle { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QGraphicsView { border: 1px solid $border; border-radius: 6px; background: $surface; }
QGraphicsView[role="plain"] { border: none; }
QGraphicsView:focus { border: 2px solid $accent; }
QSlider:horizontal { min-height: 22px; }
QSlider::groove:horizontal { background: $edge; height: 4px; border-radius: 2px; }
QSlider::sub-page:horizontal { background: $accent; border-radius: 2px; }
QSlider::handle:horizontal {
  background: $surface; border: 2px solid $accent; width: 12px; margin: -6px 0; border-radius: 8px;
}
QSlider::handle:horizontal:focus { background: $accent; }
""")


def build_style_sheet(theme: Theme, base_points: float) -> str:
    """Return the application's style sheet for a theme and this text size."""
    values = {token.replace(".", "_"): color for token, color in theme.colors.items()}
    sizes = {
        "title": f"{base_points * 1.35:.2f}",
        "section": f"{base_points * 1.1:.2f}",
        "caption": f"{base_points * 0.9:.2f}",
    }
    return _SHEET.substitute(values, **sizes, arrows="dark" if theme.is_dark else "light")
