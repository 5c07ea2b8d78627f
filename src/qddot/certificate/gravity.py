"""The gravity torque of one joint, |gᵢ|, by whichever of two ways has less to search.

Gravity acts on the lever w of what the joint carries, gᵢ = w · a, so |gᵢ| ≤ ‖w‖ ‖a‖ whatever the
direction of gravity in the joint's frame. ‖w‖ depends only on the joints beyond i: on none for
the last one. Where the arm can turn to any direction this is not only a bound but the supremum.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from flint import arb

from qddot.certificate import fields
from qddot.certificate.exact import above, ball_in
from qddot.certificate.field import Field
from qddot.certificate.norms import AbsoluteNorm
from qddot.equations.balls import many_digits


class JointGravity(AbsoluteNorm):
    """sup |gᵢ|."""

    def __init__(self, field: Field, i: int):
        own = only(field, i)
        super().__init__(own, lambda A: np.abs(A)[..., 0], "torque")
        self.i = i

    @cached_property
    def routes(self) -> list[Any]:
        tree = self.field.ground.tree
        drives = tree.drives
        bodies = [slot for slot, drive in enumerate(drives) if drive.index == self.i]
        if len(bodies) != 1 or self.field.m < 2:
            return [self]
        with many_digits():
            lever = Field(self.field.ground, "arm", fields.arm(tree, bodies[0]))
            squares = [ball_in(x) ** 2 for x in tree.gravity]
            weight = above(sum(squares, arb(0)).sqrt() * abs(ball_in(drives[bodies[0]].ratio)))
        if lever.m >= self.field.m:
            return [self]
        method = "gravity of any direction on the lever of the joint, at the corners of all cells"
        length = lambda A: np.sqrt((A * A).sum(-1)) * weight  # noqa: E731
        return [AbsoluteNorm(lever, length, "lever", method), self]


def only(field: Field, i: int) -> Field:
    """Return the field of one entry, which may depend on fewer coordinates."""
    return Field(field.ground, field.kind, lambda theta: field.of_angles(theta)[i : i + 1])
