"""Recognise anything pasted and read it. Never raises on content; unknown is an answer."""

import html
import re
from collections.abc import Callable, Mapping
from typing import Final

from app.core.errors import ErrorCode, UserInputError
from app.core.inspect.document_results import (
    inspect_certain_log,
    inspect_json,
    inspect_log,
    inspect_metrics,
    inspect_probe,
)
from app.core.inspect.host_outputs import inspect_host, inspect_kernel_log
from app.core.inspect.kinds import LAUNCHES, Inspection, InspectKind
from app.core.inspect.launches import LaunchReader
from app.core.inspect.several import with_others
from app.core.inspect.smi_results import (
    SMI_READERS,
    inspect_csv,
    inspect_error,
    inspect_nvml,
)
from app.core.inspect.topo_results import inspect_other, inspect_p2p, inspect_rocm, inspect_topo

__all__ = ["InspectKind", "Inspection", "inspect_long", "inspect_text"]

HEAD_CHARACTERS: Final = 256 * 1024
_HEAD_IS_ENOUGH: Final = frozenset(
    {
        InspectKind.ENGINE_LOG,
        InspectKind.KERNEL_LOG,
        InspectKind.METRICS,
        InspectKind.SMI_ERROR,
        InspectKind.UNKNOWN,
        *LAUNCHES,
    }
)
Reader = Callable[[str], Inspection | None]

_BY_KIND: Final[Mapping[InspectKind, tuple[Reader, ...]]] = {
    InspectKind.TOPO: (inspect_topo,),
    InspectKind.P2P: (inspect_p2p,),
    InspectKind.ROCM: (inspect_rocm,),
    InspectKind.OTHER_ACCELERATOR: (inspect_other,),
    InspectKind.SMI_ERROR: (inspect_error,),
    InspectKind.ENGINE_LOG: (inspect_log,),
    InspectKind.METRICS: (inspect_metrics,),
    InspectKind.DOCKER_INSPECT: (inspect_json,),
    InspectKind.MODEL_CONFIG: (inspect_json,),
    InspectKind.FINGERPRINT: (inspect_json, inspect_probe),
    **{kind: (reader,) for kind, reader in SMI_READERS},
    InspectKind.SMI_CSV: (inspect_nvml, inspect_csv),
    InspectKind.KERNEL_LOG: (inspect_kernel_log,),
}

_ORDER: Final[tuple[Reader, ...]] = (
    inspect_probe,
    inspect_json,
    inspect_nvml,
    *(reader for kind, reader in SMI_READERS if kind is InspectKind.SMI_XML),
    inspect_topo,
    inspect_other,
    *(reader for kind, reader in SMI_READERS if kind is not InspectKind.SMI_XML),
    inspect_p2p,
    inspect_rocm,
    inspect_metrics,
    inspect_certain_log,
    inspect_error,
    inspect_host,
    inspect_log,
    inspect_kernel_log,
)


def inspect_text(
    text: str, kind: str | InspectKind | None = None, launches: LaunchReader | None = None
) -> Inspection:
    """Say what ``text`` is and read it.

    Args:
        text: the paste.
        kind: read it as this kind instead of recognising it.
        launches: reads texts that start an engine; without it they are not recognised.

    Raises:
        UserInputError: when ``kind`` is not a kind.
    """
    wanted = None if kind is None else _kind(kind)
    readers = _readers(wanted, launches)
    for candidate in _unescaped(text):
        for reader in readers:
            found = reader(candidate)
            if found is not None and wanted in (None, found.kind):
                whole = with_others(found, candidate)
                return launches.beside(whole, candidate) if launches else whole
    return Inspection(kind=InspectKind.UNKNOWN, warnings=_why_unknown(text, wanted))


def _readers(wanted: InspectKind | None, launches: LaunchReader | None) -> tuple[Reader, ...]:
    """Return who is asked; a launch text names engines as their logs do, so it comes before."""
    launch = (launches.read,) if launches is not None else ()
    if wanted is None:
        place = _ORDER.index(inspect_certain_log)
        return (*_ORDER[:place], *launch, *_ORDER[place:])
    return launch if wanted in LAUNCHES else _BY_KIND.get(wanted, (inspect_host,))


def inspect_long(text: str, launches: LaunchReader | None = None) -> Inspection:
    """Say what a text of any length is; of a log, and of what nobody knows, the head is enough.

    Every reader looks at every line, which takes seconds for some MiB.
    """
    head = text[:HEAD_CHARACTERS]
    if len(head) == len(text) or text.lstrip()[:1] in {"{", "[", "<"}:
        return inspect_text(text, launches=launches)
    found = inspect_text(head, launches=launches)
    return found if found.kind in _HEAD_IS_ENOUGH else inspect_text(text, launches=launches)


def _kind(kind: str | InspectKind) -> InspectKind:
    try:
        return InspectKind(kind)
    except ValueError as exc:
        raise UserInputError(
            ErrorCode.INVALID_INPUT,
            {"field": "kind", "value": str(kind)},
            cause=f"“{kind}” is not a kind of paste.",
            remedy=f"Use one of: {', '.join(InspectKind)}.",
        ) from exc


def _unescaped(text: str) -> tuple[str, ...]:
    """Return the text as it may have been before a web form or a log escaped it.

    XML is full of entities of its own, so it is tried as it is first.
    """
    if "\\n" in text and "\n" not in text.strip() and not text.lstrip().startswith("{"):
        text = text.strip().strip("\"'").replace("\\n", "\n").replace("\\t", "\t")
        text = re.sub(r"\\u001b|\\x1b|\\033", "\x1b", text).replace('\\"', '"')
    if not any(mark in text for mark in ("&lt;", "&gt;", "&nbsp;", "&amp;", "&#", "&quot;")):
        return (text,)
    plain = html.unescape(text)
    return (text, plain) if "<nvidia_smi_log" in text else (plain, text)


def _why_unknown(text: str, wanted: InspectKind | None) -> tuple[str, ...]:
    if not text.strip():
        return ("empty: there is no text",)
    if "&gt;" in text or "&nbsp;" in text:
        return ("unusable_paste: a web form escaped and cut this text; send it as a file",)
    if wanted is not None:
        return (f"not_{wanted.value}: the text is not of the kind that was named",)
    return ("not_recognised: none of the known tools prints this",)
