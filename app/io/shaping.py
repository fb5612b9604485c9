"""Plain tables to frozen values, for tables that have exactly the right shape.

Pydantic says best what is wrong with a file, but its import and a schema per shape take longer
than everything else that a short command does. So what is right is made here, as strictly as
pydantic's JSON mode would; whatever is not is refused without a reason, and pydantic gives it.

Why not msgspec, which is quick as well: its ``convert`` passes over keys that a dataclass does not
have (only its own ``Struct`` can forbid them) and takes NaN for a number, as version 0.23 shows. A
slip in a data file would go unseen; the core would have to be made of ``Struct`` to prevent that.
"""

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Final, Literal, NewType, TypeVar, cast, get_args, get_origin

T = TypeVar("T")

_Maker = Callable[[Any], Any]


class NotThatShapeError(Exception):
    """The tables have another shape, or the shape holds something this module does not make."""


def shaped(shape: type[T], raw: object) -> T:
    """Return ``raw``, made of dicts, lists and scalars, as a value of the dataclass ``shape``.

    Raises:
        NotThatShapeError: something is missing, unknown or of another type.
    """
    return cast("T", _maker(cast("Hashable", shape))(raw))


@lru_cache(maxsize=512)
def _maker(hint: Hashable) -> _Maker:
    """Return what makes values of one type."""
    if hint in _SCALARS:
        return _SCALARS[hint]
    if isinstance(hint, NewType):
        return _maker(cast("Hashable", hint.__supertype__))
    return _of_class(hint) if isinstance(hint, type) else _of_form(get_origin(hint), get_args(hint))


def _of_class(hint: type) -> _Maker:
    if is_dataclass(hint):
        return _table_of(hint)
    if issubclass(hint, StrEnum):
        return _one_of({member.value: member for member in hint})
    return _refuse


def _of_form(origin: object, inner: tuple[Any, ...]) -> _Maker:
    if origin is UnionType:
        return _any_of(inner)
    if origin is tuple and inner[1:] == (...,):
        return _tuple_of(inner[0])
    if origin is Mapping and inner[0] is str:
        return _mapping_of(inner[1])
    return _one_of({word: word for word in inner}) if origin is Literal else _refuse


def _table_of(shape: type) -> _Maker:
    known = fields(shape)
    makers = {field.name: _maker(cast("Hashable", field.type)) for field in known}
    needed = {
        field.name
        for field in known
        if field.default is MISSING and field.default_factory is MISSING
    }

    def make(raw: Any) -> Any:  # noqa: ANN401 - tables as parsed
        if type(raw) is not dict or not raw.keys() <= makers.keys() or not needed <= raw.keys():
            raise NotThatShapeError
        return shape(**{name: makers[name](value) for name, value in raw.items()})

    return make


def _tuple_of(inner: Hashable) -> _Maker:
    make_one = _maker(inner)

    def make(raw: Any) -> tuple[Any, ...]:  # noqa: ANN401 - tables as parsed
        if type(raw) is not list:
            raise NotThatShapeError
        return tuple(map(make_one, raw))

    return make


def _mapping_of(inner: Hashable) -> _Maker:
    make_one = _maker(inner)

    def make(raw: Any) -> dict[str, Any]:  # noqa: ANN401 - tables as parsed
        if type(raw) is not dict:
            raise NotThatShapeError
        return {name: make_one(value) for name, value in raw.items()}

    return make


def _any_of(options: tuple[Hashable, ...]) -> _Maker:
    # Fractions take whole numbers too, so they come after what takes only these.
    makers = [_maker(option) for option in sorted(options, key=lambda option: option is float)]

    def make(raw: Any) -> Any:  # noqa: ANN401 - tables as parsed
        for make_one in makers:
            try:
                return make_one(raw)
            except NotThatShapeError:
                continue
        raise NotThatShapeError

    return make


def _one_of(words: Mapping[str, Any]) -> _Maker:
    def make(raw: Any) -> Any:  # noqa: ANN401 - tables as parsed
        if type(raw) is not str or raw not in words:
            raise NotThatShapeError
        return words[raw]

    return make


def _exactly(kind: type) -> _Maker:
    def make(raw: Any) -> Any:  # noqa: ANN401 - tables as parsed
        if type(raw) is not kind:
            raise NotThatShapeError
        return raw

    return make


def _fraction(raw: Any) -> float:  # noqa: ANN401 - tables as parsed
    if type(raw) is int and abs(raw) < _WHOLE:
        return float(raw)
    if type(raw) is float and math.isfinite(raw):
        return raw
    raise NotThatShapeError


def _refuse(_: Any) -> Any:  # noqa: ANN401 - tables as parsed
    raise NotThatShapeError


_WHOLE: Final = 2**53
"""Whole numbers below it are fractions without loss."""
_SCALARS: Final[Mapping[Any, _Maker]] = {
    **{kind: _exactly(kind) for kind in (str, int, bool, NoneType)},
    float: _fraction,
}
