"""Turn pastes and files of any name into a probe's sections, recognised by their content.

A text may hold several outputs: a terminal's transcript with prompts is cut at them, and a text
without prompts is asked for every kind it may hold.
"""

import re
from collections.abc import Callable, Iterable
from typing import Final

from app.core.hardware.recording import COMMANDS
from app.core.hardware.sections import RawSection
from app.core.hardware.tools.nvml_section import read_nvml
from app.core.hardware.tools.paste import clean_paste
from app.core.hardware.tools.smi_query import read_smi_query
from app.core.hardware.tools.smi_table import read_smi_table
from app.core.inspect.host_outputs import find_outputs
from app.core.inspect.kinds import Inspection
from app.core.inspect.smi_results import (
    inspect_apps,
    inspect_csv,
    inspect_error,
    inspect_list,
    inspect_nvlink,
    inspect_xml,
)
from app.core.inspect.topo_results import inspect_p2p, inspect_topo

_PROMPT = re.compile(
    r"^(?:\([\w .-]+\) ?)?"  # a Python environment's name
    r"(?:\[?[\w.-]+@[\w.-]+[^\n#$]{0,80}[#$] ?|[#$] |PS [A-Z]:\\[^>\n]*> ?|[A-Z]:\\[^>\n]*> ?)"
    r"(?P<command>[a-z/.][^\n]*)$",
    re.MULTILINE,
)
"""A shell's prompt and the command behind it; a comment or a table's line is none."""


_PIECE: Final = 256 * 1024
"""Characters of one output that are looked at; no tool around the GPUs prints more."""


def _has_table(text: str) -> bool:
    return read_smi_table(text) is not None


def _nvlink_counters(text: str) -> bool:
    return inspect_nvlink(text) is not None and "Error" in text


def _nvlink_speeds(text: str) -> bool:
    return inspect_nvlink(text) is not None and ("GB/s" in text or "nactive" in text)


_READERS: Final[tuple[tuple[str, Callable[[str], object]], ...]] = (
    ("smi-topo-m", inspect_topo),
    ("smi", _has_table),
    ("smi-L", inspect_list),
    ("smi-nvlink-s", _nvlink_speeds),
    ("smi-nvlink-e", _nvlink_counters),
    ("smi-topo-p2p-r", inspect_p2p),
    ("smi-apps", inspect_apps),
    ("smi-csv", inspect_csv),
)
"""What can stand beside other outputs in one text."""


def split_transcript(text: str) -> tuple[tuple[str, str], ...]:
    """Return command and output of each prompt; one pair without a command when there is none."""
    clean = clean_paste(text)
    prompts = list(_PROMPT.finditer(clean))
    if not prompts:
        return (("", text),)
    parts = [("", clean[: prompts[0].start()])]
    ends = [*(prompt.start() for prompt in prompts[1:]), len(clean)]
    for prompt, end in zip(prompts, ends, strict=True):
        parts.append((prompt["command"].strip(), clean[prompt.end() : end]))
    return tuple((command, output) for command, output in parts if output.strip())


def sections_of_text(text: str) -> tuple[RawSection, ...]:
    """Return every output in ``text`` that a fingerprint is made of; empty when there is none."""
    return tuple(
        RawSection(
            name=name,
            command=command or COMMANDS.get(name, name),
            exit_code=code,
            stdout=output,
        )
        for command, output in split_transcript(text)
        for name, code in _names(output, command)
    )


def _names(text: str, command: str = "") -> Iterable[tuple[str, int]]:
    """Yield section and exit code of every output in one piece, by its beginning."""
    text = text[:_PIECE]
    if re.search(r"-p2p\s+[^r\s]", command):
        return  # another property than reading: the matrix itself does not say which
    if inspect_xml(text) is not None:
        yield "smi-q-x", 0
        return
    if read_nvml(text) is not None and '"nvml"' in text:
        yield "nvml", 0
        return
    host = [name for _, name in find_outputs(text)]
    if host:
        yield from ((name, 0) for name in host)
    if text.lstrip().startswith(("{", "[")):
        return
    if not host and not _has_table(text) and read_smi_query(text) is not None:
        yield "smi-q", 0
        return
    found = [name for name, read in _READERS if _is_there(read(text))]
    if "smi-csv" in found and not _is_alone("smi-csv", found):
        found.remove("smi-csv")  # a guess at rows inside another output
    yield from ((name, 0) for name in found)
    if not found and not host and inspect_error(text) is not None:
        yield "smi", 9


def _is_there(answer: object) -> bool:
    return answer.kind is not None if isinstance(answer, Inspection) else bool(answer)


def _is_alone(name: str, found: Iterable[str]) -> bool:
    return all(other in {name, "smi-apps"} for other in found)
