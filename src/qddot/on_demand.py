"""Names of a package that are imported when they are first asked for, so that it loads quickly.

__getattr__, __dir__ = on_demand(__name__, {"qddot.robot": "load"}, "errors")
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


def on_demand(
    package: str, names: Mapping[str, str], modules: str = "", *, verb: str = ""
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and the `__dir__` of a package, and add to its `__all__`.

    `names` has, by module, what the package offers from there, with spaces in between; `modules`
    are those of its own modules that are public; `verb` is the name that is called where the
    package itself is: `qddot.doctor("arm.urdf")`.
    """
    here = sys.modules[package]
    places = {name: module for module, said in names.items() for name in said.split()}
    inside = modules.split()
    public = sorted({*getattr(here, "__all__", ()), *places, *inside})
    here.__all__ = public  # type: ignore[attr-defined]

    def offered() -> list[str]:
        """Return the public names, as the Tab key shows them, and those that Python itself uses."""
        return sorted({*(name for name in vars(here) if name.startswith("__")), *public})

    def found(name: str) -> Any:
        if name in places:
            return getattr(import_module(places[name]), name)
        if name in inside:
            return import_module(f"{package}.{name}")
        from qddot.errors import did_you_mean

        near = "" if name.startswith("_") else did_you_mean(name, public)
        raise AttributeError(f"module {package!r} has no attribute {name!r}.{near}")

    if verb:
        here.__class__ = _called(verb)
    return found, offered


def everything_in(package: str) -> Iterator[Any]:
    """Yield what the modules of a package hold, all of them imported: classes, tables, ...

    So a file that is put into a folder is found there, and no list has to name it.
    """
    import pkgutil

    folder = import_module(package)
    for module in pkgutil.iter_modules(folder.__path__, f"{package}."):
        yield from vars(import_module(module.name)).values()


def _called(verb: str) -> type[ModuleType]:
    """Return the class of a package that can be called like the function it is named after."""

    class CallablePackage(ModuleType):
        def __call__(self, *args: Any, **options: Any) -> Any:
            return getattr(self, verb)(*args, **options)

    return CallablePackage
