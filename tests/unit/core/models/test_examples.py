"""The worked examples in docstrings are true."""

import doctest
import importlib
import pkgutil

import pytest

import app.core.models

MODULES = sorted(module.name for module in pkgutil.iter_modules(app.core.models.__path__))


@pytest.mark.parametrize("name", MODULES)
def test_worked_examples_hold(name):
    result = doctest.testmod(importlib.import_module(f"app.core.models.{name}"))
    assert result.failed == 0


def test_the_formulas_are_shown_beside_an_example():
    attempted = sum(
        doctest.testmod(importlib.import_module(f"app.core.models.{name}")).attempted
        for name in MODULES
    )
    assert attempted >= 12
