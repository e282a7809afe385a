"""What the docstrings show is what comes."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import pagekin

MODULES = [f"pagekin.{module.name}" for module in pkgutil.iter_modules(pagekin.__path__) if module.name not in ("_native", "__main__")]


@pytest.mark.parametrize("name", ["pagekin", *MODULES])
def test_docstrings(name: str, request: pytest.FixtureRequest) -> None:
    options = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    found = doctest.testmod(importlib.import_module(name), extraglobs={"getfixture": request.getfixturevalue}, optionflags=options)
    assert found.failed == 0
