"""The frames of an arm: small axes with their names, x₂ and z₂."""

from __future__ import annotations

import numpy as np

from qddot.present.figures.textbook.pose import floats
from qddot.present.figures.textbook.posed import PosedArm
from qddot.present.figures.textbook.sheet import Sheet
from qddot.present.figures.textbook.strokes import Pen

LENGTH = 0.85  # [cm]
SEEN = 0.25  # of an axis, at least, on paper
WIDTH = 0.04


def draw_frames(arm: PosedArm, sheet: Sheet, letters: str, length: float = LENGTH) -> None:
    """Draw the axes of the base's frame and of those that the user defined.

    Args:
        arm: The arm.
        sheet: What is drawn on.
        letters: Which axes; those that point out of the paper are left out.
        length: Of an axis [cm].
    """
    axes: dict[tuple[float, ...], tuple[np.ndarray, np.ndarray, str, list[str]]] = {}
    for k, name in enumerate([arm.model.links[0].name, *arm.frames]):
        X = arm.frame(name)
        at = arm.at(floats(X.p))
        for letter in "xyz" if k == 0 else letters:
            direction = arm.seen(floats(X.R)[:, "xyz".index(letter)])
            if np.linalg.norm(direction) < SEEN:
                continue
            # axes that lie on one another are drawn once, with all their names
            place = (*(at.round(2) + 0.0), *(direction.round(2) + 0.0))
            found = axes.setdefault(place, (at, direction, letter, []))
            found[3].append(f"{letter}_{{{k}}}")
    for at, direction, letter, names in axes.values():
        end = at + length * direction
        sheet.path(at, end, pen=Pen(WIDTH, letter), arrow="end")
        alike = {name[0] for name in names} == {letter}
        sheet.label(end, ", ".join(names), direction, colour=letter if alike else "ink")
