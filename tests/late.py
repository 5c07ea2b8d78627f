"""Packages that take long to import, imported by the first test that uses them.

torch = late("torch", "PyTorch is not installed")

Every process of the tests collects all of them and runs only some.
"""

import importlib.util
import sys
from types import ModuleType

import pytest


def late(name: str, missing: str) -> ModuleType:
    """Return a package that loads when something of it is used; skip the module without it."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        pytest.skip(missing, allow_module_level=True)
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
