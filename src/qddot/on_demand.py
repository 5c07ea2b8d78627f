"""Names of a package that are imported when they are first asked for, so that it loads quickly.

__getattr__, __dir__ = on_demand(__name__, {"simulate": "qddot.simulation.simulate"}, ("plot",))
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def on_demand(
    package: str, names: Mapping[str, str], modules: Iterable[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and the `__dir__` of a package.

    Args:
        package: Its name.
        names: What it offers, by the module that has it.
        modules: Those of its own modules that can be reached as attributes.
    """
    here, inside = sys.modules[package], frozenset(modules)

    def offered() -> list[str]:
        """Return the public names, as the Tab key shows them, and those that Python itself uses."""
        own = [name for name in vars(here) if name.startswith("__")]
        public = vars(here).get("__all__", ())
        return sorted({*own, *public, *names, *inside})

    def found(name: str) -> Any:
        if name in names:
            return getattr(import_module(names[name]), name)
        if name in inside:
            return import_module(f"{package}.{name}")
        from qddot.errors import did_you_mean

        known = [each for each in offered() if not each.startswith("_")]
        near = "" if name.startswith("_") else did_you_mean(name, known)
        raise AttributeError(f"module {package!r} has no attribute {name!r}.{near}")

    return found, offered
