"""From a result to how it looks: by name, when somebody looks.

Results do not import presentation; the room `present` imports results. A method of a result names
a function of that room as text, and only this file turns the text into the function:

    _repr_html_ = in_notebook("robots.program_html")
    drawn = look("figures.trajectory.figure")(self, what)
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def look(name: str) -> Callable[..., Any]:
    """Return a function of `qddot.present`, such as "figures.trajectory.figure"."""
    module, _, function = name.rpartition(".")
    return getattr(import_module(f"qddot.present.{module}"), function)


def in_notebook(name: str) -> Callable[[Any], str | None]:
    """Return a `_repr_html_` that shows a result by a function of `qddot.present.notebook`.

    It warns of nothing, and where it fails, the notebook shows plain text.
    """

    def _repr_html_(self: Any) -> str | None:
        return look("notebook.cell.guarded")(lambda: look(f"notebook.{name}")(self))

    return _repr_html_
