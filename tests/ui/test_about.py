"""The About page: every installed part with its licence, the LGPL ones with their texts."""

import re
from importlib.metadata import PackageNotFoundError, distribution

from packaging.requirements import Requirement

from app.io.installed import installed_parts, plain_name
from app.ui.viewmodels.about import PARTS, all_parts


def installed_closure(name: str, found: set[str]) -> set[str]:
    """Return what a distribution needs here, by the packaging library's own reading."""
    for line in distribution(name).requires or []:
        requirement = Requirement(line)
        marker = requirement.marker
        wanted = marker is None or marker.evaluate({"extra": ""})
        if wanted and plain_name(requirement.name) not in found:
            found.add(plain_name(requirement.name))
            installed_closure(requirement.name, found)
    return found


def test_the_list_is_complete_against_what_is_installed() -> None:
    needed = installed_closure("pitwall-desk", set())
    covered = {package for part in PARTS for package in part.packages}
    shown = {plain_name(part.name.partition(" ")[0]) for part in all_parts(installed_parts())}

    assert needed - shown - covered == set()


def test_every_part_names_a_licence_and_most_bring_its_text() -> None:
    parts = installed_parts()

    assert all(part.licence and part.version for part in parts)
    assert all(re.search("[A-Za-z]", part.licence) for part in parts)
    with_text = [part for part in parts if part.text]
    assert len(with_text) >= 0.7 * len(parts)


def test_what_is_not_installed_here_is_left_out() -> None:
    names = {part.plain_name for part in installed_parts()}

    for name in names:
        try:
            assert distribution(name)
        except PackageNotFoundError:  # pragma: no cover - would be the failure
            raise AssertionError(name) from None


def test_the_page_shows_all_and_the_lgpl_texts(desk, wait) -> None:
    desk.window.open_page("about")
    page = desk.window.page("about")
    wait(lambda: page.parts.count() > len(PARTS))
    rows = [page.parts.item(row).text() for row in range(page.parts.count())]
    assert any(row.startswith("numpy ") for row in rows)

    for row, words in ((1, "GNU LESSER GENERAL PUBLIC LICENSE"), (2, "Version 2.1")):
        page.parts.setCurrentRow(row)
        text = page.notice.toPlainText()
        assert words in text
        assert "replaced by a version of your own" in text
