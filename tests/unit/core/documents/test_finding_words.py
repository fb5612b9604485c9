"""Findings as text: what the rules may say has words in both languages."""

from app.core.documents.findings import _IMAGE_HINTS
from app.io.datafiles import data_root, load_diagnosis


def test_every_hint_at_an_image_has_words() -> None:
    rules = load_diagnosis(data_root())
    changes = [advice.change for advice in rules.advice.values()] + [
        rule.change for rule in rules.rules
    ]
    hints = {change.image_hint for change in changes if change is not None and change.image_hint}

    assert hints
    assert hints <= set(_IMAGE_HINTS)
