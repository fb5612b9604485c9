"""Read data files below ``resources`` and the user's own, and gather everything that is wrong."""

import json
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, make_dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import tomli

from app.core.errors import DataFileError, ErrorCode
from app.io.data_overrides import merge
from app.io.shaping import NotThatShapeError, shaped

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class DataProblem:
    """One thing that is wrong in a data file."""

    file: Path
    key: str
    """Path of the key such as ``flag.3.since``; empty for the file as a whole."""
    reason: str

    def __str__(self) -> str:
        """Return ``file: key: reason``."""
        return ": ".join(part for part in (str(self.file), self.key, self.reason) if part)


@dataclass(slots=True)
class DataReader:
    """Reads below one root, with the user's overrides, and gathers what is wrong."""

    root: Path
    overrides: Path | None = None
    problems: list[DataProblem] = field(default_factory=list)

    def read(self, shape: type[T], relative: str) -> T | None:
        """Read ``resources/<relative>`` as ``shape``; ``None`` after noting problems."""
        raw, file = self.read_raw(relative)
        return None if raw is None else self.check(shape, raw, file)

    def read_optional(self, shape: type[T], relative: str) -> T | None:
        """Read a file that need not be there."""
        return self.read(shape, relative) if self.names("", relative) else None

    def read_raw(self, relative: str) -> tuple[Mapping[str, object] | None, Path]:
        """Return the merged tables of a file and which file to blame."""
        shipped = self.root / "resources" / relative
        own = self.overrides / relative if self.overrides is not None else None
        layers = [file for file in (shipped, own) if file is not None and file.is_file()]
        if not layers:
            self.problems.append(DataProblem(file=shipped, key="", reason="the file is missing"))
            return None, shipped
        tables = [self._parse(file) for file in layers]
        if any(table is None for table in tables):
            return None, layers[-1]
        merged: Mapping[str, object] = {}
        for table in tables:
            merged = merge(merged, table or {})
        return merged, layers[-1]

    def names(self, folder: str, pattern: str) -> tuple[str, ...]:
        """Return the paths below ``resources`` that match in a folder, ours and the user's."""
        bases = [self.root / "resources"] + ([self.overrides] if self.overrides else [])
        found = {
            file.relative_to(base).as_posix()
            for base in bases
            for file in (base / folder).glob(pattern)
        }
        return tuple(sorted(found))

    def check(self, shape: type[T], raw: Mapping[str, object], file: Path) -> T | None:
        """Turn raw tables into ``shape``; ``None`` after noting every problem."""
        try:
            return shaped(shape, raw)
        except NotThatShapeError:
            return self._examine(shape, raw, file)

    def finish(self) -> None:
        """Raise all problems as one error.

        Raises:
            DataFileError: DATA_FILE_BROKEN.
        """
        if self.problems:
            raise broken_data(self.problems)

    def _examine(self, shape: type[T], raw: Mapping[str, object], file: Path) -> T | None:
        """Have pydantic say what is wrong; it has the last word, also that nothing is."""
        from pydantic import ValidationError

        try:
            text = json.dumps({"value": raw}, default=str, ensure_ascii=False)
            # JSON mode: strict about types, yet takes lists for tuples and text for enums.
            return cast(
                "T", _strict_adapter(cast("Hashable", shape)).validate_json(text, strict=True).value
            )
        except ValidationError as exc:
            for error in exc.errors(include_url=False):
                key = ".".join(str(part) for part in error["loc"][1:])
                self.problems.append(DataProblem(file=file, key=key, reason=error["msg"]))
            return None

    def _parse(self, file: Path) -> Mapping[str, object] | None:
        try:
            return tomli.loads(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomli.TOMLDecodeError) as exc:
            self.problems.append(DataProblem(file=file, key="", reason=str(exc)))
            return None


def broken_data(problems: Iterable[DataProblem]) -> DataFileError:
    """Return one error that names every problem."""
    listed = list(problems)
    first = listed[0]
    more = f" and {len(listed) - 1} more" if len(listed) > 1 else ""
    return DataFileError(
        ErrorCode.DATA_FILE_BROKEN,
        {"file": first.file, "key": first.key, "count": len(listed)},
        cause=f"A data file cannot be used: {first}{more}.",
        remedy="Correct the file, or take it out of your data folder if it is your own.",
        details="\n".join(str(problem) for problem in listed),
    )


@lru_cache(maxsize=64)
def _strict_adapter(shape: Hashable) -> "TypeAdapter[Any]":
    """Return an adapter whose outermost dataclass refuses unknown keys, also in nested ones."""
    from pydantic import TypeAdapter

    holder = make_dataclass(
        "Holder",
        [("value", cast("type", shape))],
        namespace={"__pydantic_config__": {"extra": "forbid"}},
    )
    return TypeAdapter(holder)
