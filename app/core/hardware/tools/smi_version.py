"""Read driver and CUDA version from ``nvidia-smi --version``, ``-q`` or a table's banner."""

import re
from dataclasses import dataclass

from app.core.hardware.tools.paste import clean_paste

_END = r"(?![\w.\ufffd])"
_NUMBER = rf"([0-9]{{2,4}}\.[0-9]{{1,3}}(?:\.[0-9]{{1,2}})?){_END}"
_NOTE = r"(?:\s*\[[^\]\n]*\])?"
_DRIVER = re.compile(rf"\b(?:Driver\s+Version|KMD\s+Version){_NOTE}\s*:\s*{_NUMBER}", re.IGNORECASE)
_CUDA = re.compile(
    rf"\bCUDA\s+(?:UMD\s+|Driver\s+)?Version{_NOTE}\s*:\s*([0-9]{{1,2}}\.[0-9]{{1,2}}){_END}",
    re.IGNORECASE,
)
_SMI = re.compile(rf"\bNVIDIA-SMI\s+(?:version\s*:\s*)?{_NUMBER}", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SmiVersion:
    """Versions as printed; ``None`` when they are not there."""

    smi: str | None = None
    driver: str | None = None
    cuda: str | None = None


def read_smi_version(text: str) -> SmiVersion:
    """Find the versions anywhere in ``text``."""
    clean = clean_paste(text)
    smi, driver, cuda = _SMI.search(clean), _DRIVER.search(clean), _CUDA.search(clean)
    return SmiVersion(
        smi=smi[1] if smi else None,
        driver=driver[1] if driver else None,
        cuda=cuda[1] if cuda else None,
    )
