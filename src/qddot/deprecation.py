"""Old names: they work for one release more, with a warning that names the new one."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def warn_of_old_name(old: str, new: str, stacklevel: int = 2) -> None:
    """Warn of a name that has a new one; `stacklevel` counts from whoever calls this."""
    text = f"{old} is now {new}; the old name goes with the next release."
    warnings.warn(text, DeprecationWarning, stacklevel=stacklevel + 1)


def renamed(**new_names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator for a function whose arguments had other names: `renamed(old="new")`.

    What the old name says, the new one says too: where values changed as well, the function
    itself must know the old ones.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def told(*args: P.args, **options: P.kwargs) -> R:
            for old in [name for name in options if name in new_names]:
                new = new_names[old]
                if new in options:
                    raise TypeError(f"{function.__name__}() got {old} and {new}, which are one.")
                warn_of_old_name(f"{function.__name__}({old}=)", f"{new}=")
                options[new] = options.pop(old)
            return function(*args, **options)

        return told

    return decorate


def moved_modules(package: str, names: Mapping[str, str] | None = None, **moves: str) -> None:
    """Let modules of a package be found under the names that they had: `old="new"`.

    They are loaded when something of them is asked for.

    Args:
        package: Its name.
        names: What has another name in the new module, by its old one.
        moves: By the old module, the new one: of this package, or "qddot." and its whole name.
    """
    for old, new in moves.items():
        place = new if new.startswith("qddot.") else f"{package}.{new}"
        sys.modules[f"{package}.{old}"] = _Moved(f"{package}.{old}", place, names or {})


class _Moved(ModuleType):
    """A module that lives elsewhere now."""

    def __init__(self, old: str, new: str, names: Mapping[str, str]):
        super().__init__(old)
        self.__path_now__ = new
        self.__names_now__ = names

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # which tools ask of every module
            raise AttributeError(name)
        package = import_module(self.__name__.rpartition(".")[0])
        now = import_module(self.__path_now__)
        name_now = self.__names_now__.get(name, name)
        rooms = [room for room in (now, package) if name_now in getattr(room, "__all__", ())]
        if not rooms and not hasattr(now, name_now):  # the package knows its new name
            return getattr(package, name)
        home = rooms[0] if rooms else now
        warn_of_old_name(f"{self.__name__}.{name}", f"{home.__name__}.{name_now}")
        return getattr(home, name_now)
