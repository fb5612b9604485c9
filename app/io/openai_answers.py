"""Read answers of the OpenAI API: whole completions and the events of a stream.

Engines differ in what they leave out; whatever is missing is ``None`` or empty. An ``error`` object
may also come inside a stream that otherwise ends well, with HTTP status 200.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A whole answer, or one piece of a streamed one."""

    text: str = ""
    finish_reason: str = ""
    tokens: int | None = None
    """Completion tokens as the engine counted them."""
    prompt_tokens: int | None = None
    error: str = ""
    """The engine's own words when it failed."""
    understood: bool = True
    """False when it is nothing that this API answers."""


def read_completion(body: bytes) -> Completion:
    """Read a whole answer of ``/v1/chat/completions`` or ``/v1/completions``."""
    document = _document(body)
    if document is None:
        return Completion(understood=False)
    error = _error(document)
    choices = document.get("choices")
    if error or not isinstance(choices, list) or not choices:
        return Completion(error=error, understood=bool(error))
    return _choice(choices[0], "message", document)


def read_event(payload: bytes) -> Completion | None:
    """Read the payload of one event of a stream; ``None`` for its end mark."""
    if payload.strip() == b"[DONE]":
        return None
    document = _document(payload)
    if document is None:
        return Completion(understood=False)
    error = _error(document)
    choices = document.get("choices")
    if error or not isinstance(choices, list) or not choices:
        return Completion(
            error=error,
            tokens=_tokens(document),
            prompt_tokens=_tokens(document, "prompt_tokens"),
        )
    return _choice(choices[0], "delta", document)


def read_error(body: bytes) -> str:
    """Return the engine's own words of a refused request, or the start of what it sent."""
    document = _document(body)
    said = _error(document) if document is not None else ""
    return said or body[:300].decode("utf-8", "replace").strip()


def _document(body: bytes) -> Mapping[str, Any] | None:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _error(document: Mapping[str, Any]) -> str:
    error = document.get("error")
    if isinstance(error, dict):
        return str(error.get("message") or error)
    if error:
        return str(error)
    if document.get("object") == "error":
        return str(document.get("message", "error"))
    return ""


def _choice(choice: object, part: str, document: Mapping[str, Any]) -> Completion:
    if not isinstance(choice, dict):
        return Completion(understood=False)
    message = choice.get(part)
    return Completion(
        text=_said(message) if isinstance(message, dict) else _text(choice.get("text")),
        finish_reason=_text(choice.get("finish_reason")),
        tokens=_tokens(document),
        prompt_tokens=_tokens(document, "prompt_tokens"),
    )


def _said(message: Mapping[str, Any]) -> str:
    """Reasoning models put their first words into a field of their own."""
    content = _text(message.get("content"))
    return content or _text(message.get("reasoning_content")) or _text(message.get("reasoning"))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _tokens(document: Mapping[str, Any], name: str = "completion_tokens") -> int | None:
    usage = document.get("usage")
    count = usage.get(name) if isinstance(usage, dict) else None
    return count if isinstance(count, int) else None
