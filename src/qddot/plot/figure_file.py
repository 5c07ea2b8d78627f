"""Figures in files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from qddot.saving import ending, write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES = (".png", ".svg", ".pdf")


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure to a .png, .svg or .pdf file."""
    kind = ending(path, "A figure", FIGURES)[1:]
    write_whole(path, lambda beside: figure.savefig(beside, format=kind, dpi=150))
