"""A bundle as one zip file: the same content always gives the same bytes."""

import io
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from app.io.files import write_whole

_MOMENT: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip file can hold; when it was made stands in the manifest."""
_MODE: Final = 0o644 << 16


def zip_bytes(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Return a zip archive of files by their path inside it, in this order."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path, content in files:
            entry = zipfile.ZipInfo(path, date_time=_MOMENT)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = _MODE
            entry.create_system = 3
            archive.writestr(entry, content)
    return buffer.getvalue()


def write_zip(path: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write the archive, whole or not at all.

    Raises:
        StoreError: FILE_UNWRITABLE, STORE_FULL.
    """
    write_whole(path, zip_bytes(files))
