"""How a predicted quantity came out."""

from enum import StrEnum


class Verdict(StrEnum):
    """How a quantity came out."""

    INSIDE = "inside"
    OUTSIDE = "outside"
    NO_BAND = "no_band"
    """The prediction stated no band, so nothing can be said."""
    NOT_SAID = "not_said"
    """The engine did not print it."""
