"""The worked examples in docstrings are true."""

import doctest
import importlib
import pkgutil
from functools import lru_cache

import pytest

import app.core.models

MODULES = sorted(module.name for module in pkgutil.iter_modules(app.core.models.__path__))


@lru_cache
def examples_of(name):
    return doctest.testmod(importlib.import_module(f"app.core.models.{name}"))


@pytest.mark.parametrize("name", MODULES)
def test_worked_examples_hold(name):
    assert examples_of(name).failed == 0


def test_the_formulas_are_shown_beside_an_example():
    assert sum(examples_of(name).attempted for name in MODULES) >= 12
