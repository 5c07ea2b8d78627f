"""What results share: `ok` and `problems`, how they look, and JSON for machines.

Results do not import presentation; the room `present` imports results. A method of a result names
a function of that room as text, and only this file turns the text into the function:

    _repr_html_ = in_notebook("robots.program_html")
    drawn = look("figures.trajectory.figure")(self, what)
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


class Judged:
    """A result that can be asked whether all is well."""

    @property
    def problems(self) -> tuple[Any, ...]:
        """What is wrong, one sentence each; none if all is well."""
        raise NotImplementedError

    @property
    def ok(self) -> bool:
        """Whether there are no `problems`."""
        return not self.problems


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


def json_text(data: Any, **how: Any) -> str:
    """Return plain values and arrays as JSON that every reader takes; null for what is not finite.

    `how` is what `json.dumps` takes: indent, separators, ensure_ascii.
    """
    try:
        return json.dumps(data, default=_listed, allow_nan=False, **how)
    except ValueError:  # something in it is not finite, which is rare
        return json.dumps(json_ready(data), allow_nan=False, **how)


def _listed(x: Any) -> Any:
    if hasattr(x, "tolist"):  # of NumPy
        return x.tolist()
    raise TypeError(f"{type(x).__name__} is not for JSON")


def json_ready(x: Any) -> Any:
    """Return the same with None for what is not finite."""
    if hasattr(x, "tolist"):
        x = x.tolist()
    if isinstance(x, Mapping):
        return {key: json_ready(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [json_ready(value) for value in x]
    return None if isinstance(x, float) and not math.isfinite(x) else x
