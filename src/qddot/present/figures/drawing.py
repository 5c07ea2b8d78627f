"""A figure that a notebook shows, as the last line of a cell."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from qddot.present.notebook.cell import MOST_LETTERS, guarded, picture, shown
from qddot.present.pages.svg import notebook_svg, standing


class Drawing(Figure):
    """A matplotlib figure that belongs to nobody and is shown all the same.

    matplotlib shows figures of its own state machine only; these have none.
    """

    def _repr_html_(self) -> str | None:
        return self._repr_mimebundle_().get("text/html")

    def _repr_svg_(self) -> str | None:
        return self._repr_mimebundle_().get("image/svg+xml")

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Return both of the above, drawn once."""
        return guarded(self._both) or {}

    def _both(self) -> dict[str, str]:
        svg = notebook_svg(self)
        found = {"text/html": shown("", picture(svg, self, "figure"))}
        return found | ({"image/svg+xml": standing(svg)} if len(svg) <= MOST_LETTERS else {})
