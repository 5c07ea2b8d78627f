"""Calls that cannot be right, in refusals/PACKAGE.toml: by the error they raise, with its words.

The words are those of its message, in this order where they are several; `whole` is all of it.
A call is written in the names that the table takes from modules, and in those that it defines.
"""

from __future__ import annotations

import math
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import qddot

FOLDER = Path(__file__).with_name("refusals")


def refusals(name: str) -> dict[str, Any]:
    """Return the tables of refusals/NAME.toml: what is refused and why, a row for each case."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def names(package: str) -> dict[str, Any]:
    """Return what the calls of a package are written in."""
    found: dict[str, Any] = {"math": math, "np": np, "qddot": qddot}
    for module, members in refusals(package)["from"].items():
        found |= {name: getattr(import_module(module), name) for name in members}
    for name, text in refusals(package).get("given", {}).items():
        found[name] = eval(text, found)
    return found


def calls(package: str) -> pytest.MarkDecorator:
    """Return the parameters of a test: each call of a package, the name of its error, its words."""
    rows = [
        pytest.param(call, error, said, id=call)
        for error, some in refusals(package)["refused"].items()
        for call, said in some.items()
    ]
    return pytest.mark.parametrize(("call", "error", "said"), rows)


def check(package: str, call: str, error: str, said: str | list[str] | dict[str, str]) -> None:
    """See that a call raises this error, and no other kind of it, with these words."""
    with pytest.raises(qddot.QddotError) as caught:
        eval(call, names(package))
    assert caught.type.__name__ == error
    told, place = str(caught.value), 0
    if isinstance(said, dict):
        assert told == said["whole"]
        return
    for words in [said] if isinstance(said, str) else said:
        assert words in told[place:]
        place = told.index(words, place) + len(words)
