"""Modules that people import from and that have moved: old names work, and warn, for a release.

from qddot.control.figures import plot_closed_loop
DeprecationWarning: qddot.control.figures.plot_closed_loop is now qddot.plot.plot_closed_loop.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

# by the old module, what its names are called now where that is not `qddot.plot.<name>`
MOVED: dict[str, dict[str, str]] = {
    "qddot.certificate.figures": {},
    "qddot.control.figures": {},
    "qddot.plot.compare": {},
    "qddot.identification.figures": {
        "page": "qddot.plot.fit_page",
        "errors_on": "qddot.identification.validation.errors_on",
    },
}


class MovedModules(MetaPathFinder, Loader):
    """Makes a module of each old name, whose names are found where they are now."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname in MOVED else None

    def exec_module(self, module: ModuleType) -> None:
        old = module.__name__

        def found(name: str) -> Any:
            new = MOVED[old].get(name, f"qddot.plot.{name}")
            place, _, name_now = new.rpartition(".")
            value = getattr(import_module(place), name_now)
            if not name.startswith("__"):
                words = f"{old}.{name} is now {new}."
                warnings.warn(words, DeprecationWarning, stacklevel=2)
            return value

        module.__dict__["__getattr__"] = found


sys.meta_path.append(MovedModules())
