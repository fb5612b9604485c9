"""Take out of texts and documents whatever names a person, a host or a secret.

First everything that is known by its value, in all writings; then what has the looks of it. The
same thing gets the same stand-in in every file of a bundle, so that what belongs together can
still be seen. Nothing here tells a stand-in's meaning: it is not kept.
"""

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from urllib.parse import unquote

from app.core.bundle.judging import is_private
from app.core.bundle.kinds import GENERIC_NAMES, RedactionKind
from app.core.bundle.patterns import KEYED, PATTERNS, Pattern
from app.core.bundle.secrets import KnownValue, KnownValues
from app.core.documents.encode import Plain

_STAND_IN: Final = re.compile(rf"<(?:{'|'.join(kind.value for kind in RedactionKind)})-\d+>")
_NAMES: Final = frozenset({RedactionKind.HOST, RedactionKind.USER})
_SHORTEST: Final = {
    RedactionKind.SECRET: 6,
    RedactionKind.HOST: 4,
    RedactionKind.USER: 3,
    RedactionKind.SERIAL: 5,
    RedactionKind.EMAIL: 6,
}
_PERCENT: Final = re.compile(r"[^\s\"'`,;]*%[0-9A-Fa-f]{2}[^\s\"'`,;]*")
_ESCAPED: Final = re.compile(r"[^\s\"'`]*\\u00[0-9A-Fa-f]{2}[^\s\"'`]*")
_UNICODE: Final = re.compile(r"\\u00([0-9A-Fa-f]{2})")
_BASE64: Final = re.compile(r"(?<![A-Za-z0-9+/_=.-])[A-Za-z0-9+/_-]{12,}={0,2}(?![A-Za-z0-9+/_=-])")
_SUFFIX: Final = re.compile(r"\.[A-Za-z0-9]{1,11}\Z")
_HARMLESS: Final = re.compile(r"(?!AKIA|ASIA)[A-Za-z0-9]{0,27}")
"""A single short word: nothing has its looks, so it is looked at by value only."""
_CODE: Final = re.compile(
    r"/(?:(?:site|dist)-packages|vllm|sglang|tensorrt_llm|lmdeploy|text_generation_server|torch|"
    r"transformers|triton|xformers|flash_attn|ollama|llama\.cpp|ggml|csrc)/"
    r"[\w./+-]+\.(?:py|cu|cuh|cpp|cc|c|h|hpp|go|rs|so[\d.]*)\Z"
)
"""The part of a path that is the engine's own code: a traceback is worth nothing without it."""
_DEPTH: Final = 2
"""How often an encoded word is decoded within a decoded one."""


class Redactor:
    """Redacts the files of one bundle; feed `learn` everything before redacting anything."""

    def __init__(self, known: Iterable[KnownValue] = (), *, kept_paths: Iterable[str] = ()) -> None:
        self._found: dict[str, KnownValue] = {value.value: value for value in known}
        self._kept_paths = tuple(sorted(path for path in kept_paths if path))
        self._numbers: dict[tuple[RedactionKind, str], int] = {}
        self._counts: Counter[RedactionKind] = Counter()
        self._known: KnownValues | None = None

    @property
    def counts(self) -> Mapping[RedactionKind, int]:
        """How many places were replaced, by kind."""
        return dict(self._counts)

    @property
    def different(self) -> Mapping[RedactionKind, int]:
        """How many different things these were."""
        return Counter(kind for kind, _ in self._numbers)

    # Learning

    def learn(self, text: str) -> None:
        """Note names and secrets that stand in tell-tale places: they are looked for everywhere."""
        lowered = text.lower()
        for pattern in PATTERNS:
            if not pattern.keep_whole or not pattern.may_match(lowered):
                continue
            for found in pattern.regex.finditer(text):
                if pattern.accept(found):
                    self.note(found["x"], pattern.kind)
        self._known = None

    def learn_document(self, value: Plain) -> None:
        """Note what the keys of a document name."""
        match value:
            case dict():
                for key, item in value.items():
                    kind = _kind_of_key(key)
                    if kind is not None and isinstance(item, str):
                        self.note(item, kind)
                    self.learn_document(item)
            case list():
                for item in value:
                    self.learn_document(item)
            case str():
                self.learn(value)
            case _:
                pass
        self._known = None

    def note(self, value: str, kind: RedactionKind) -> None:
        """Note one value; what is too short or too common to be looked for everywhere is left."""
        value = value.strip()
        shortest = _SHORTEST.get(kind)
        if shortest is None or len(value) < shortest or value.lower() in GENERIC_NAMES:
            return
        if _STAND_IN.search(value) or value.isdigit():
            return
        is_name = kind is not RedactionKind.SECRET
        self._found.setdefault(value, KnownValue(value=value, kind=kind, whole_word=is_name))
        if kind is RedactionKind.SECRET and value.startswith("//"):
            return
        if kind is RedactionKind.SECRET and ":" in value:
            # user:password of an address
            user, _, password = value.partition(":")
            self.note(user, RedactionKind.USER)
            if len(password) >= 6:
                self._found.setdefault(password, KnownValue(value=password, kind=kind))
        if kind is RedactionKind.HOST and "." in value:
            first = value.partition(".")[0]
            if len(first) >= 5 and (any(map(str.isdigit, first)) or "-" in first):
                self.note(first, kind)

    # Redacting

    def text(self, text: str) -> str:
        """Return a text without what names somebody."""
        return self._patterns(self._decoded(self._by_value(text), _DEPTH))

    def document(self, value: Plain) -> Plain:
        """Return a document without what names somebody; its shape stays."""
        match value:
            case dict():
                return {self.text(key): self._item(key, item) for key, item in value.items()}
            case list():
                return self._list(value)
            case str():
                return self._string(value)
            case _:
                return value

    def left_in(self, text: str) -> tuple[KnownValue, ...]:
        """Return known secrets that still stand in a text: there must be none."""
        return self._values().left_in(text)

    # Inside

    def _item(self, key: str, item: Plain) -> Plain:
        kind = _kind_of_key(key)
        if kind is None or not isinstance(item, str | list):
            return self.document(item)
        if isinstance(item, list):
            return [self._item(key, each) for each in item]
        if not item or item.isdigit() or item.lower() in GENERIC_NAMES or _STAND_IN.search(item):
            return self.document(item)
        return self._stand_in(kind, item)

    def _list(self, items: Sequence[Plain]) -> Plain:
        """A command's words: what follows a flag for a secret is one."""
        redacted: list[Plain] = []
        before = ""
        for item in items:
            is_value = isinstance(item, str) and not item.startswith("-") and bool(item)
            if is_value and before.startswith("-") and _kind_of_key(before.strip("-")) == "secret":
                redacted.append(self._stand_in(RedactionKind.SECRET, str(item)))
            else:
                redacted.append(self.document(item))
            before = item if isinstance(item, str) else ""
        return redacted

    def _string(self, text: str) -> str:
        if text.startswith("/") and "\n" not in text and len(text) < 4096 and " " in text:
            by_value = self._by_value(text)
            if by_value == text and self._is_private(text):
                return self._path(text)
        return self.text(text)

    def _by_value(self, text: str) -> str:
        return self._values().replace(
            text, lambda known: self._stand_in(RedactionKind(known.kind), known.value)
        )

    def _values(self) -> KnownValues:
        if self._known is None:
            self._known = KnownValues(tuple(self._found.values()))
        return self._known

    def _patterns(self, text: str) -> str:
        if _HARMLESS.fullmatch(text):
            return text
        lowered = text.lower()
        for pattern in PATTERNS:
            if not pattern.may_match(lowered):
                continue
            text = pattern.regex.sub(lambda found, p=pattern: self._replaced(p, found), text)  # type: ignore[misc]
        return text

    def _replaced(self, pattern: Pattern, found: re.Match[str]) -> str:
        whole, part = found[0], found["x"]
        if not part or not pattern.accept(found) or _STAND_IN.fullmatch(part):
            return whole
        if pattern.kind is RedactionKind.PATH:
            if not self._is_private(part):
                return whole
            instead = self._path(part)
        else:
            instead = self._stand_in(pattern.kind, part)
        start = found.start("x") - found.start()
        return whole[:start] + instead + whole[start + len(part) :]

    def _is_private(self, path: str) -> bool:
        kept = any(path == kept or path.startswith(f"{kept}/") for kept in self._kept_paths)
        return not kept and is_private(path)

    def _path(self, path: str) -> str:
        """Keep a file's ending, and the part of a path that is the engine's own code."""
        code = _CODE.search(path)
        if code is not None:
            head = path[: code.start()]
            return (self._stand_in(RedactionKind.PATH, head) if head else "") + code[0]
        stripped = path.rstrip(".,:;")
        suffix = _SUFFIX.search(stripped)
        ending = suffix[0] if suffix else ""
        return self._stand_in(RedactionKind.PATH, stripped) + ending + path[len(stripped) :]

    def _stand_in(self, kind: RedactionKind, value: str) -> str:
        key = (kind, value.lower() if kind is not RedactionKind.SECRET else value)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = 1 + sum(known is kind for known, _ in self._numbers)
        self._counts[kind] += 1
        return f"<{kind.value}-{number}>"

    def _decoded(self, text: str, depth: int) -> str:
        """Look into percent-encoded, escaped and Base64 words."""
        if depth == 0:
            return text
        text = _PERCENT.sub(lambda found: self._opened(found[0], unquote(found[0]), depth), text)
        text = _ESCAPED.sub(lambda found: self._opened(found[0], _unescaped(found[0]), depth), text)
        return _BASE64.sub(lambda found: self._opened_base64(found[0]), text)

    def _opened(self, word: str, decoded: str, depth: int) -> str:
        if decoded == word:
            return word
        redacted = self._patterns(self._decoded(self._by_value(decoded), depth - 1))
        return word if redacted == decoded else redacted

    def _opened_base64(self, word: str) -> str:
        decoded = _from_base64(word)
        if decoded is None:
            return word
        before = Counter(self._counts)
        redacted = self._patterns(self._by_value(decoded))
        if redacted == decoded:
            return word
        self._counts = before
        return self._stand_in(RedactionKind.SECRET, word)


def _kind_of_key(key: str) -> RedactionKind | None:
    for kind, pattern in KEYED:
        if pattern.search(key):
            return kind
    return None


def _unescaped(text: str) -> str:
    return _UNICODE.sub(lambda found: chr(int(found[1], 16)), text)


def _from_base64(word: str) -> str | None:
    """Return the text inside a Base64 word; ``None`` when there is none."""
    plain = word.rstrip("=").replace("-", "+").replace("_", "/")
    if len(plain) % 4 == 1:
        return None
    try:
        data = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
        text = data.decode("utf-8")
    except (binascii.Error, ValueError):
        return None
    return text if text.isprintable() or "\n" in text else None
