"""Golden files: what was rendered, kept as text and compared; ``--update-golden`` rewrites them."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_addoption(parser):
    parser.addoption(
        "--update-golden",
        action="store_true",
        default=False,
        help="rewrite the golden files; review the difference before committing",
    )


@pytest.fixture
def golden(request):
    """Return the check: the text equals the file of that name."""

    def check(name: str, text: str, *, folder: str = "files") -> None:
        file = HERE / folder / name
        if request.config.getoption("--update-golden", default=False):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        assert file.is_file(), f"{file.name} is missing: run pytest --update-golden"
        assert text == file.read_text(encoding="utf-8")

    return check
