"""A fingerprint as files and the store keep it: raw sections compressed.

The sections are most of the file (80 kB of 100) and repeat themselves: they shrink to a tenth.
"""

import base64
import binascii
import json
import zlib
from dataclasses import replace
from typing import Final

from app.core.hardware.fingerprint import PARSER_VERSION, Fingerprint
from app.core.hardware.sections import RawSection

_LARGEST: Final = 128 * 1024 * 1024
"""What unpacks to more is no probe's output."""
_BROKEN: Final = "sections_broken: the raw outputs kept in this record cannot be unpacked"


def pack_sections(fingerprint: Fingerprint) -> Fingerprint:
    """Return the fingerprint with its sections compressed, for writing."""
    if not fingerprint.sections:
        return fingerprint
    plain = [[s.name, s.command, s.exit_code, s.stdout, s.stderr] for s in fingerprint.sections]
    packed = zlib.compress(json.dumps(plain, ensure_ascii=False).encode("utf-8", "replace"), 9)
    return replace(fingerprint, sections=(), packed_sections=base64.b64encode(packed).decode())


def unpack_sections(fingerprint: Fingerprint) -> Fingerprint:
    """Return the fingerprint with its sections as they were; a broken pack costs only them."""
    if fingerprint.packed_sections is None:
        return fingerprint
    bare = replace(fingerprint, packed_sections=None)
    try:
        return replace(bare, sections=_unpack(fingerprint.packed_sections))
    except (ValueError, TypeError, zlib.error, binascii.Error, RecursionError):
        return replace(bare, warnings=(*bare.warnings, _BROKEN))


def _unpack(text: str) -> tuple[RawSection, ...]:
    inflate = zlib.decompressobj()
    plain = inflate.decompress(base64.b64decode(text, validate=True), _LARGEST)
    if not inflate.eof:
        raise ValueError
    return tuple(_section(entry) for entry in json.loads(plain))


def _section(entry: object) -> RawSection:
    if not isinstance(entry, list) or len(entry) != 5:
        raise TypeError
    name, command, exit_code, stdout, stderr = entry
    texts = (name, command, stdout, stderr)
    if not all(isinstance(text, str) for text in texts) or isinstance(exit_code, bool):
        raise TypeError
    if exit_code is not None and not isinstance(exit_code, int):
        raise TypeError
    return RawSection(name=name, command=command, exit_code=exit_code, stdout=stdout, stderr=stderr)


def is_outdated(fingerprint: Fingerprint) -> bool:
    """Tell whether another parser than today's read it, so that its sections are worth reading."""
    return fingerprint.parser_version != PARSER_VERSION and bool(fingerprint.sections)
