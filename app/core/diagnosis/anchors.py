"""Which plain text a regular expression cannot match without: what makes scanning cheap.

Only what is certain is used: a part that may be left out, a class or an alternative without a
plain text of its own gives nothing.
"""

from typing import Final

Anchors = frozenset[str]
"""One of these texts stands in every match; empty: nothing is certain."""

_CLOSERS: Final = {"(": ")", "[": "]"}
_ESCAPED_LITERALS: Final = frozenset(".()[]{}*+?|^$\\/-#&~ '\"`:=<>,!@%")
SHORTEST: Final = 2
"""Characters that are neither digits nor a to f; shorter texts stand in too many lines."""
_UNCOUNTED: Final = frozenset("0123456789abcdef")


def anchors_of(pattern: str) -> Anchors:
    """Return texts of which one stands in every match, the longest that are certain."""
    branches = split_branches(pattern)
    best = [_best_of(branch) for branch in branches]
    if any(not anchors for anchors in best):
        return frozenset()
    return frozenset().union(*best)


def _best_of(sequence: str) -> Anchors:
    """Return the requirement of one branch whose shortest text is longest."""
    choices = [anchors for anchors in _requirements(sequence) if anchors]
    return max(choices, key=lambda anchors: min(map(weight, anchors)), default=frozenset())


def _requirements(sequence: str) -> list[Anchors]:
    found: list[Anchors] = []
    run, at = "", 0
    while at < len(sequence):
        piece, literal, inner = _next_piece(sequence, at)
        at += len(piece)
        at, optional, repeats = _quantifier(sequence, at)
        if literal is not None and not optional:
            run += literal
            if not repeats:
                continue
        found.append(_long_enough(run))
        run = literal if literal is not None and repeats and not optional else ""
        if inner is not None and not optional:
            found.append(anchors_of(inner))
    return [*found, _long_enough(run)]


def _long_enough(run: str) -> Anchors:
    """Blanks at the ends do not count: a line may be broken there."""
    text = run.strip()
    return frozenset({text}) if weight(text) >= SHORTEST else frozenset()


def weight(text: str) -> int:
    """Return how many characters remain in a line's shape (`app.core.diagnosis.bank.bare`)."""
    return sum(char not in _UNCOUNTED for char in text)


def _next_piece(sequence: str, at: int) -> tuple[str, str | None, str | None]:
    """Return the piece's source, its plain text if it is one, its inside if it is a group."""
    char = sequence[at]
    if char == "\\":
        piece = sequence[at : at + 2]
        return piece, piece[1:] if piece[1:] in _ESCAPED_LITERALS else None, None
    if char in _CLOSERS:
        end = _close(sequence, at)
        piece = sequence[at : end + 1]
        return piece, None, _inside(piece) if char == "(" else None
    return char, None if char in ".^$" else char, None


def _quantifier(sequence: str, at: int) -> tuple[int, bool, bool]:
    """Return where it ends, whether the piece may be left out, whether it may repeat."""
    if at >= len(sequence) or sequence[at] not in "?*+{":
        return at, False, False
    start, at = at, at + 1
    if sequence[start] == "{":
        at = sequence.index("}", start) + 1
    optional = sequence[start] in "?*" or sequence[start : start + 2] in {"{0", "{,"}
    if sequence[at : at + 1] in {"?", "+"}:
        at += 1
    return at, optional, True


def _inside(group: str) -> str | None:
    """Return what a group must match; ``None`` for looking around and flags."""
    inner = group[1:-1]
    if not inner.startswith("?"):
        return inner
    if inner.startswith("?:"):
        return inner[2:]
    if inner.startswith("?P<"):
        return inner.partition(">")[2]
    return None


def _close(sequence: str, at: int) -> int:
    """Return where the group or class that opens at ``at`` closes."""
    if sequence[at] == "[":
        end = at + 2 if sequence[at + 1 : at + 2] != "^" else at + 3
        while sequence[end] != "]":
            end += 2 if sequence[end] == "\\" else 1
        return end
    depth, end = 0, at
    while True:
        char = sequence[end]
        if char == "\\":
            end += 1
        elif char == "[":
            end = _close(sequence, end)
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if not depth:
                return end
        end += 1


def split_branches(pattern: str) -> list[str]:
    """Return the alternatives of a pattern's outermost level."""
    branches, start, at = [], 0, 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 1
        elif char in _CLOSERS:
            at = _close(pattern, at)
        elif char == "|":
            branches.append(pattern[start:at])
            start = at + 1
        at += 1
    return [*branches, pattern[start:]]
