"""What a version makes of each flag: unknown, gone, not there yet, wrong value, given twice."""

import difflib
import re
from collections.abc import Iterator, Mapping
from typing import Final

from app.core.clinic.commands import plain_name
from app.core.clinic.correct import dropped, replaced
from app.core.clinic.identify import Launch, VersionSource
from app.core.clinic.launch import PlacedFlag
from app.core.clinic.origin import DASHES, Span, Word
from app.core.clinic.remark import Edit, Remark
from app.core.clinic.spec import ClinicData
from app.core.engines.flags import (
    FlagFinding,
    FlagProblem,
    GivenFlag,
    check_flags,
    describe_value,
    find_flag,
    is_known_switch,
)
from app.core.engines.spec import EngineData, FlagRule, FlagType
from app.core.versions import in_span, version_key

_TRUTHS: Final = frozenset({"true", "false", "1", "0", "yes", "no", "on", "off"})
_FLAG: Final = re.compile(r"--?[A-Za-z][\w-]*")
_CLOSE: Final = 0.82
"""How alike an unknown flag must be to a known one to be called a slip of the pen."""
_MOST_FLAGS: Final = 100
"""No launch has more; each unknown one is compared with every known one."""
_REPEATABLE: Final = frozenset({FlagType.LIST})


class FlagJudge:
    """Judges the flags of one launch."""

    def __init__(
        self,
        paste: str,
        launch: Launch,
        engines: Mapping[str, EngineData],
        data: ClinicData,
    ) -> None:
        self._paste = paste
        self._launch = launch
        self._engine = launch.engine
        self._engines = engines
        self._data = data
        self._grammar = data.grammars.get(launch.engine_id)

    def remarks(self) -> Iterator[Remark]:
        """Judge one flag after another, then what they are together."""
        once = {(flag.name, flag.value): flag for flag in reversed(self._launch.split.flags)}
        for flag in list(reversed(once.values()))[:_MOST_FLAGS]:
            if flag.name_word.is_resolved or flag.name != flag.name_word.text:
                yield from self._judge(flag)
        yield from self._strays()
        yield from self._repeated()
        yield from self._conflicts()

    # One flag

    def _judge(self, flag: PlacedFlag) -> Iterator[Remark]:
        if plain_name(flag.name_word.text) != flag.name_word.text:
            dashes = "--" if flag.name.startswith("--") else "-"
            edits = replaced(flag.name_word, dashes + flag.name_word.text.lstrip(DASHES))
            yield self._say("typographic_dash", flag, edits=edits)
        rule = self._rule(flag)
        if (
            rule is not None
            and "_" in flag.name.lstrip("-")
            and self._minds_underscores(rule, flag)
        ):
            edits = self._renamed(flag, flag.name.replace("_", "-"))
            yield self._say("underscores", flag, suggestion=rule.name, edits=edits)
            return
        finding = self._finding(flag)
        if finding is not None:
            yield from self._of_finding(flag, finding, rule)
        elif rule is not None and rule.deprecated_since:
            yield from self._deprecated(flag, rule)

    def _rule(self, flag: PlacedFlag) -> FlagRule | None:
        launch = self._launch
        return find_flag(self._engine.flags, flag.name, self._engine.engine, launch.version)

    def _minds_underscores(self, rule: FlagRule, flag: PlacedFlag) -> bool:
        spellings = {rule.name, *rule.short, rule.negation}
        name = flag.name.partition(".")[0]
        return not (self._grammar and self._grammar.underscores) and name not in spellings

    def _finding(self, flag: PlacedFlag) -> FlagFinding | None:
        """Ask the flag table; a value that is not in the paste is taken to be right."""
        rule = self._rule(flag)
        value = flag.value
        if rule is not None and not flag.is_resolved and value is not None:
            value = rule.choices[0] if rule.choices else "1"
            if rule.type in {FlagType.JSON, FlagType.SWITCH, FlagType.BOOL}:
                value = "{}" if rule.type is FlagType.JSON else None
        if rule is not None and rule.type is FlagType.LIST and flag.value is None:
            value = "x" if not flag.values else value
        if rule is None and value is not None and not flag.is_joined:
            value = None if is_known_switch(self._engine.flags, flag.name) else value
        found = check_flags(
            (GivenFlag(name=flag.name, value=value),),
            self._engine.flags,
            self._engine.engine,
            self._launch.version,
        )
        return found[0] if found else None

    def _of_finding(
        self, flag: PlacedFlag, finding: FlagFinding, rule: FlagRule | None
    ) -> Iterator[Remark]:
        match finding.problem:
            case FlagProblem.UNKNOWN:
                yield from self._unknown(flag, finding)
            case FlagProblem.REMOVED:
                yield self._removed(flag, finding)
            case FlagProblem.NOT_YET:
                if not self._is_before_record():  # the oldest examined version has it: no more
                    yield self._say("not_yet", flag, version_to=finding.version)
            case FlagProblem.TAKES_NO_VALUE:
                yield self._no_value(flag, rule)
            case FlagProblem.SECRET:
                hint = finding.suggestion
                yield self._say(
                    "secret_on_line" if hint else "secret_no_env", flag, suggestion=hint
                )
            case FlagProblem.NEEDS_VALUE | FlagProblem.WRONG_VALUE:
                yield self._value(flag, finding, rule)
            case FlagProblem.CONFLICT:
                return

    def _is_before_record(self) -> bool:
        engine = self._engine.engine
        oldest = engine.flags_since or engine.versions[0]
        return not in_span(self._launch.version, oldest, "", engine.version_scheme)

    def _unknown(self, flag: PlacedFlag, finding: FlagFinding) -> Iterator[Remark]:
        if full := self._prefix_of(flag.name):
            names = ", ".join(full[:3])
            edits = self._renamed(flag, full[0]) if len(full) == 1 else ()
            id_ = "abbreviated" if len(full) == 1 else "ambiguous"
            yield self._say(id_, flag, suggestion=names, edits=edits)
            return
        head, blank, value = flag.name.partition(" ")
        if blank and find_flag(self._engine.flags, head, self._engine.engine, self._launch.version):
            edits = replaced(flag.name_word, f"{head}={value.strip()}")
            yield self._say("two_words_in_one", flag, suggestion=head, edits=edits)
            return
        near = finding.suggestion
        ratio = difflib.SequenceMatcher(None, flag.name.replace("_", "-"), near.replace("_", "-"))
        is_slip = bool(near) and ratio.ratio() >= _CLOSE
        is_same = near.replace("_", "-") == flag.name.replace("_", "-")
        longer = self._longer_names(flag.name)
        if len(longer) == 1 and not is_same:
            edits = self._renamed(flag, longer[0])
            yield self._say("unknown_near", flag, suggestion=longer[0], edits=edits)
        elif not is_same and (other := self._other_engine(flag.name)):
            name, same = other
            yield self._say(
                "other_engine", flag, other=name, suggestion=same,
                edits=self._renamed(flag, same) if same else (), id_extra="" if same else "_none",
            )  # fmt: skip
        elif is_slip:
            edits = self._renamed(flag, near)
            yield self._say("unknown_near", flag, suggestion=near, edits=edits)
        elif self._grammar is not None and self._grammar.complete:
            edits = dropped(self._paste, (flag.name_word, *flag.values))
            yield self._say("unknown", flag, edits=edits)
        else:
            yield self._say("not_on_record", flag)

    def _longer_names(self, name: str) -> tuple[str, ...]:
        """Return the flags that add a word to a name, as ``--ep_size`` does to ``--ep``."""
        engine, version = self._engine.engine, self._launch.version
        return tuple(
            rule.name
            for rule in self._engine.flags.flag
            if rule.name.startswith((f"{name}_", f"{name}-"))
            and in_span(version, rule.since, rule.until, engine.version_scheme)
        )

    def _prefix_of(self, name: str) -> tuple[str, ...]:
        """Return the flags that an abbreviation may stand for, where the engine takes any."""
        if not (self._grammar and self._grammar.prefixes) or len(name) < 4 or "--" not in name:
            return ()
        engine, version = self._engine.engine, self._launch.version
        wanted = name.replace("_", "-") if self._grammar.underscores else name
        names = {
            spelling: rule.name
            for rule in self._engine.flags.flag
            if in_span(version, rule.since, rule.until, engine.version_scheme)
            for spelling in (rule.name, *rule.short)
            if spelling.startswith(wanted)
        }
        for known in self._engine.flags.also_known:
            if in_span(version, known.since, known.until, engine.version_scheme):
                names |= {one: one for one in known.every if one.startswith(wanted)}
        return tuple(sorted(set(names.values())))

    def _other_engine(self, name: str) -> tuple[str, str] | None:
        """Find the engine whose flag it is, and what this one calls the same thing."""
        for other in self._engines.values():
            if other.engine.id == self._launch.engine_id:
                continue
            newest = other.engine.versions[-1] if other.engine.versions else ""
            rule = find_flag(other.flags, name, other.engine, newest)
            if rule is not None and name.startswith("--"):
                return other.engine.name, self._same_here(rule)
        return None

    def _same_here(self, rule: FlagRule) -> str:
        if rule.plan_field is None:
            return ""
        scheme = self._engine.engine.version_scheme
        for own in self._engine.flags.flag:
            alive = in_span(self._launch.version, own.since, own.until, scheme)
            if own.plan_field is rule.plan_field and alive and own.name.startswith("-"):
                return own.name
        return ""

    def _removed(self, flag: PlacedFlag, finding: FlagFinding) -> Remark:
        by = _FLAG.match(finding.suggestion)
        if by is not None and by[0] == finding.suggestion.strip():
            edits = self._renamed(flag, by[0])
        else:
            edits = () if by else dropped(self._paste, (flag.name_word, *flag.values))
        id_ = "removed_replaced" if finding.suggestion else "removed"
        return self._say(
            id_, flag, version_to=finding.version, suggestion=finding.suggestion, edits=edits
        )

    def _no_value(self, flag: PlacedFlag, rule: FlagRule | None) -> Remark:
        value = (flag.value or "").lower()
        edits: tuple[Edit, ...] = ()
        if value in {"false", "0", "no", "off"}:
            no = rule.negation if rule else ""
            instead = no or "—"
            if not no:
                edits = dropped(self._paste, (flag.name_word, *flag.values))
            return self._say("switch_false" if no else "switch_false_drop", flag,
                             suggestion=instead, edits=edits)  # fmt: skip
        if flag.is_joined and flag.name_word.is_literal:
            span = Span(
                begin=flag.name_word.span.begin + len(flag.name), end=flag.name_word.span.end
            )
            edits = (Edit(span=span, text=""),)
        return self._say("takes_no_value", flag, edits=edits)

    def _value(self, flag: PlacedFlag, finding: FlagFinding, rule: FlagRule | None) -> Remark:
        if finding.problem is FlagProblem.NEEDS_VALUE:
            return self._say("needs_value", flag, allowed=finding.allowed)
        if rule is not None and rule.type is FlagType.JSON:
            return self._say("wrong_json", flag)
        choices = rule.choices if rule else ()
        near = difflib.get_close_matches(flag.value or "", choices, n=1)
        edits = replaced(flag.values[0], near[0]) if near and len(flag.values) == 1 else ()
        allowed = describe_value(rule) if rule else finding.allowed
        if near:
            return self._say(
                "wrong_value_near", flag, allowed=allowed, suggestion=near[0], edits=edits
            )
        return self._say("wrong_value", flag, allowed=allowed)

    def _deprecated(self, flag: PlacedFlag, rule: FlagRule) -> Iterator[Remark]:
        scheme = self._engine.engine.version_scheme
        since, own = (
            version_key(rule.deprecated_since, scheme), version_key(self._launch.version, scheme)
        )  # fmt: skip
        if since is not None and own is not None and own >= since:
            by = rule.replaced_by
            yield self._say(
                "deprecated_replaced" if by else "deprecated", flag,
                version_to=rule.deprecated_since, suggestion=by,
            )  # fmt: skip

    def _renamed(self, flag: PlacedFlag, name: str) -> tuple[Edit, ...]:
        word = flag.name_word
        part = word.part(0, len(word.text.partition("=")[0])) if flag.is_joined else word
        return replaced(part, name)

    # All together

    def _strays(self) -> Iterator[Remark]:
        strays = self._launch.strays
        flags = self._launch.split.flags
        for word in strays[:10]:
            if not word.is_resolved or self._launch.engine_id == "ollama":
                continue
            before = max(
                (f for f in flags if f.span.end <= word.span.begin),
                key=lambda f: f.span.end,
                default=None,
            )
            yield self._stray(word, before)

    def _stray(self, word: Word, before: PlacedFlag | None) -> Remark:
        value = word.text.lower()
        if before is not None and before.value is None and value in _TRUTHS:
            rule = self._rule(before)
            no = rule.negation if rule else ""
            edits = dropped(self._paste, (word,))
            if value in {"false", "0", "no", "off"}:
                edits = () if no else dropped(self._paste, (before.name_word, word))
                id_ = "switch_false" if no else "switch_false_drop"
                return self._say(id_, before, span=word.span, suggestion=no, edits=edits)
            return self._say("takes_no_value", before, span=word.span, edits=edits, value=word.text)
        return self._say("stray", None, span=word.span, value=word.text)

    def _repeated(self) -> Iterator[Remark]:
        seen: dict[str, PlacedFlag] = {}
        for flag in self._launch.split.flags:
            rule = self._rule(flag)
            if rule is None or rule.type in _REPEATABLE or "." in flag.name:
                continue
            before = seen.get(rule.name)
            if before is not None and before.span != flag.span:
                edits = dropped(self._paste, (before.name_word, *before.values))
                said = "twice" if before.value != flag.value else "twice_same"
                yield self._say(said, before, value=flag.value or "", edits=edits)
            seen[rule.name] = flag

    def _conflicts(self) -> Iterator[Remark]:
        flags = self._launch.split.flags
        given = [GivenFlag(name=flag.name, value=flag.value) for flag in flags if self._rule(flag)]
        for finding in check_flags(
            given, self._engine.flags, self._engine.engine, self._launch.version
        ):
            if finding.problem is not FlagProblem.CONFLICT:
                continue
            for flag in flags:
                rule = self._rule(flag)
                if rule is not None and rule.name == finding.flag:
                    yield self._say("conflict", flag, suggestion=finding.suggestion)
                    break

    def _say(
        self,
        id_: str,
        flag: PlacedFlag | None,
        *,
        span: Span | None = None,
        edits: tuple[Edit, ...] = (),
        id_extra: str = "",
        **places: str,
    ) -> Remark:
        said = self._data.said[id_ + id_extra]
        values = {
            "flag": flag.name if flag else "",
            "value": _shown(flag),
            "engine": self._engine.engine.name,
            "version": self._version(),
            **places,
        }
        return Remark.of(said, span or (flag.span if flag else self._launch.start.span), values,
                         edits)  # fmt: skip

    def _version(self) -> str:
        launch = self._launch
        return launch.version if launch.version_by is not VersionSource.NEWEST else launch.nearest


def _shown(flag: PlacedFlag | None) -> str:
    """Return a value for showing; long ones are cut."""
    value = (flag.value or "") if flag else ""
    return value if len(value) <= 60 else value[:59] + "…"
