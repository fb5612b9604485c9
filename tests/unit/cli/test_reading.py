"""Files of the command line, in the forms in which they are sent."""

import gzip
from pathlib import Path

import pytest

from app.cli.collector import collector_command
from app.cli.options import read_text


@pytest.mark.parametrize(
    "content",
    ["GPU 0: ±".encode(), "GPU 0: ±".encode("utf-16"), gzip.compress("GPU 0: ±".encode())],
    ids=["utf-8", "utf-16", "gzip"],
)
def test_encodings_and_packed_files_read_the_same(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "sent"
    file.write_bytes(content)
    assert read_text(str(file)) == "GPU 0: ±"


def test_broken_gzip_is_text_that_nobody_knows(tmp_path: Path) -> None:
    file = tmp_path / "sent.gz"
    file.write_bytes(b"\x1f\x8bnothing")
    assert "nothing" in read_text(str(file))


def test_the_collectors_help_keeps_its_lines() -> None:
    text = collector_command.get_help(collector_command.make_context("collector", []))
    assert "\\b" not in text
    assert "\n    pitwall collector > pitwall-collector.sh\n" in text
