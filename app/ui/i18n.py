"""Languages: install and switch the translations while the window is open."""

from pathlib import Path
from typing import Final

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QTranslator, Signal

LANGUAGES: Final = ("en", "zh_CN")


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:
    """Mark a text for translation where it cannot be translated yet.

    lupdate goes by the name; PySide6's own function of this name is typed as giving any object.
    """
    return text


def system_language() -> str:
    """Return the language of ours that is nearest to the desktop's."""
    locale = QLocale.system()
    return "zh_CN" if locale.language() == QLocale.Language.Chinese else "en"


class Translations(QObject):
    """Keep the translators of the chosen language installed."""

    changed = Signal()

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._installed: list[QTranslator] = []
        self._language = "en"

    @property
    def language(self) -> str:
        """``en`` or ``zh_CN``: what is in force."""
        return self._language

    def choose(self, choice: str) -> None:
        """Put ``system``, ``en`` or ``zh_CN`` in force; open windows are told by Qt."""
        language = system_language() if choice == "system" else choice
        if language not in LANGUAGES:
            language = "en"
        self._remove_all()
        self._language = language
        if language != "en":
            self._install_all(language)
        QLocale.setDefault(QLocale(language))
        self.changed.emit()

    def _remove_all(self) -> None:
        for translator in self._installed:
            QCoreApplication.removeTranslator(translator)
        self._installed.clear()

    def _install_all(self, language: str) -> None:
        # Qt's own texts (buttons of standard dialogs) come first: ours are asked before them.
        of_qt = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
        files = [of_qt / f"qtbase_{language}.qm"]
        files += sorted(self._folder.glob(f"*.{language}.qm"))
        for file in files:
            translator = QTranslator(self)
            if translator.load(str(file)):
                QCoreApplication.installTranslator(translator)
                self._installed.append(translator)
