"""Packages that take long to import, imported by the first test that uses them.

torch = late("torch", "PyTorch is not installed")

Every process of the tests collects all of them and runs only some.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest


class late:  # it stands where a module would
    """A package that loads when something of it is used; a test module skips without it."""

    def __init__(self, name: str, missing: str) -> None:
        if find_spec(name) is None:
            pytest.skip(missing, allow_module_level=True)
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # pytest asks every name of a module what it is
            raise AttributeError(name)
        return getattr(import_module(self._name), name)


def jax_in_double(on: bool = True) -> Any:
    """Return a context in which JAX computes in double precision, or in single precision."""
    jax = import_module("jax")
    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(on)
    return import_module("jax.experimental").enable_x64(on)  # before JAX 0.8
