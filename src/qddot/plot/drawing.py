"""A figure that a notebook shows, as the last line of a cell."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from qddot.web.inline_svg import MOST_LETTERS, inline_svg, picture, standing
from qddot.web.notebook import framed, rich, shown


class Drawing(Figure):
    """A matplotlib figure that belongs to nobody and is shown all the same.

    matplotlib shows figures of its own state machine only; these have none.
    """

    @rich
    def _repr_html_(self) -> str | None:
        return self._inside(inline_svg(self))

    @rich
    def _repr_svg_(self) -> str | None:
        svg = inline_svg(self)
        return standing(svg) if len(svg) <= MOST_LETTERS else None

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Return both of the above, drawn once."""
        return rich(Drawing._both)(self) or {}

    def _both(self) -> dict[str, str]:
        svg = inline_svg(self)
        found = {"text/html": self._inside(svg)}
        return found | ({"image/svg+xml": standing(svg)} if len(svg) <= MOST_LETTERS else {})

    def _inside(self, svg: str) -> str:
        return shown("", framed(picture(svg, self, "figure")))
