"""What an engine's own log says that it uses: its configuration, back-ends and defaults.

Only what stands in the log is told; a setting that is not there is not known, not "default".
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from app.core.deployment.record import HIDDEN
from app.core.diff.arguments import is_secret
from app.core.diff.spec import SaidRule
from app.core.logs.line import LogLine

CONFIG: Final = "config."
"""Names that begin so come from the engine's line about its whole configuration."""
ASKED: Final = "asked."
"""Names that begin so come from the engine's line about what differs from its defaults."""

# vLLM 0.26.0 and 0.32.0: “Initializing a V1 LLM engine (v0.26.0) with config: model='…', …”.
_CONFIG_LINE: Final = re.compile(
    r"Initializing an? .*LLM engine \(v(?P<version>\S+)\) with config: "
)
# vLLM 0.26.0 and 0.32.0: “non-default args: {'model': '/models/x', 'max_model_len': 512}”.
_ASKED_LINE: Final = re.compile(r"non-default args: (\{.*\})\s*$")
_PAIR: Final = re.compile(r"\s*([A-Za-z_]\w*)=")
_OPEN: Final = {"(": ")", "[": "]", "{": "}"}
_LONGEST: Final = 200
_SIMULATED: Final = " [simulated]"
"""How the demo host marks what no engine printed."""
_SELF_MADE: Final = frozenset({"cache_dir", "debug_dump_path", "download_dir", "local_cache_dir"})


class EngineWords:
    """Feed it the log; it keeps what the last start said."""

    def __init__(self, rules: Iterable[SaidRule], engine: str) -> None:
        self._rules = tuple(
            (rule.id, re.compile(rule.pattern)) for rule in rules if rule.engine == engine
        )
        self._start = 1
        self._said: dict[str, str] = {}

    def feed(self, line: LogLine) -> None:
        """Take a line into account; a new start forgets what an earlier one said."""
        if line.start != self._start:
            self._start = line.start
            self._said.clear()
        text = line.text.removesuffix(_SIMULATED)
        if (found := _CONFIG_LINE.search(text)) is not None:
            self._said["version"] = found["version"]
            self._said.update(_configuration(text[found.end() :]))
        elif (found := _ASKED_LINE.search(text)) is not None:
            self._said.update(_asked(found[1]))
        for name, pattern in self._rules:
            if (found := pattern.search(text)) is not None:
                self._said[name] = found["value"]

    @property
    def said(self) -> Mapping[str, str]:
        """What it said, by name."""
        return dict(sorted(self._said.items()))


def _asked(text: str) -> Iterator[tuple[str, str]]:
    try:
        arguments = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return
    if isinstance(arguments, dict):
        for name, value in arguments.items():
            shown = HIDDEN if is_secret(str(name)) else _text(value)
            yield f"{ASKED}{name}", shown


def _text(value: object) -> str:
    return value if isinstance(value, str) else repr(value)


def _configuration(text: str) -> Iterator[tuple[str, str]]:
    """Yield the plain values of ``a=1, b=C(d=2), e={…}``; nested ones are left out."""
    for part in _parts(text):
        found = _PAIR.match(part)
        if found is None or found[1] in _SELF_MADE:
            continue
        value = part[found.end() :].strip()
        if value[:1] in _OPEN or value.endswith(")") or len(value) > _LONGEST:
            continue
        yield CONFIG + found[1], HIDDEN if is_secret(found[1]) else value.strip("'\"")


def _parts(text: str) -> Iterator[str]:
    """Split at the commas outside of brackets and quotes."""
    depth, quote, begin = 0, "", 0
    for place, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in _OPEN:
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 0:
            yield text[begin:place]
            begin = place + 1
    yield text[begin:]
