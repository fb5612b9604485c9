"""Values made without pydantic: as strict as it is, and the same where both make one."""

import copy
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from app.core.appearance import ThemeFile
from app.core.engines.spec import EngineFile, FlagsFile, MetricsFile, StartupFile
from app.core.hardware.catalogue import GpuCatalogue
from app.core.models.calibration import (
    DeviceCalibration,
    LlamaCppCalibration,
    OtherEngines,
    VllmCalibration,
)
from app.core.planning.rules import RuleFile
from app.io.data_reader import _strict_adapter
from app.io.datafiles import data_root
from app.io.shaping import NotThatShapeError, shaped

_RESOURCES = data_root() / "resources"
_SHAPES = {
    "engines/*/engine.toml": EngineFile,
    "engines/*/flags.toml": FlagsFile,
    "engines/*/metrics.toml": MetricsFile,
    "engines/*/startup.toml": StartupFile,
    "gpus.toml": GpuCatalogue,
    "memory/devices.toml": DeviceCalibration,
    "memory/llamacpp.toml": LlamaCppCalibration,
    "memory/other_engines.toml": OtherEngines,
    "memory/vllm.toml": VllmCalibration,
    "rules/*.toml": RuleFile,
    "themes/*.toml": ThemeFile,
}


class Word(StrEnum):
    ONE = "one"
    TWO = "two"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    name: str
    ratio: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    word: Word
    literal: Literal["a", "b"] = "a"
    count: int | None = None
    mixed: bool | float | int | str | tuple[str, ...] | None = None
    inner: Inner | None = None
    many: tuple[Inner, ...] = ()
    table: Mapping[str, int] | str = ""


_SCALAR = st.one_of(
    st.none(), st.booleans(), st.integers(), st.just(10**400), st.floats(),
    st.sampled_from(["one", "two", "three", "a", "", "1"]),
)  # fmt: skip
_ANYTHING = st.recursive(
    _SCALAR,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["name", "ratio", "odd"]), inner, max_size=3),
    ),
    max_leaves=4,
)


@given(
    st.dictionaries(
        st.sampled_from(["word", "literal", "count", "mixed", "inner", "many", "table", "odd"]),
        _ANYTHING,
        max_size=4,
    ),
    st.sampled_from([{}, {"word": "one"}]),
)
def test_what_is_made_is_what_pydantic_makes(raw, usual):
    _same(Shape, usual | raw)


@pytest.mark.parametrize("pattern", _SHAPES)
def test_shipped_files_are_made_without_pydantic_and_are_the_same(pattern):
    for raw in _shipped(pattern):
        assert _same(_SHAPES[pattern], raw)


@given(st.data())
def test_a_spoiled_file_is_never_taken_for_a_right_one(data):
    pattern = data.draw(st.sampled_from(["engines/*/engine.toml", "memory/vllm.toml"]))
    raw = data.draw(st.sampled_from(_shipped(pattern)))
    spoiled = {key: copy.deepcopy(value) for key, value in raw.items()}
    place: dict | list = spoiled
    for _ in range(data.draw(st.integers(0, 3))):
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        nested = [key for key in keys if isinstance(place[key], dict | list) and place[key]]
        if not nested:
            break
        place = place[data.draw(st.sampled_from(nested))]
    keys = list(place) if isinstance(place, dict) else list(range(len(place)))
    key = data.draw(st.sampled_from(keys))
    if data.draw(st.booleans()):
        del place[key]
    else:
        place[key] = data.draw(_ANYTHING)
    _same(_SHAPES[pattern], spoiled)


def _same(shape: type, raw: object) -> bool:
    """Tell whether a value was made; it is the one that pydantic makes."""
    try:
        made = shaped(shape, raw)
    except NotThatShapeError:
        return False
    try:
        text = json.dumps({"value": raw}, default=str)
        expected = _strict_adapter(shape).validate_json(text, strict=True).value
    except ValidationError as error:  # pragma: no cover - the failure itself
        pytest.fail(f"taken, though pydantic says {error}")
    assert made == expected
    assert repr(made) == repr(expected)
    return True


@lru_cache
def _shipped(pattern: str) -> tuple[dict, ...]:
    files = sorted(_RESOURCES.glob(pattern))
    return tuple(tomllib.loads(file.read_text(encoding="utf-8")) for file in files)
