"""Joint positions for a pose: the robot's side of `kinematics`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.checks import by_name, check_finite, flag, frame_name, real_array
from qddot.program.program import Program
from qddot.robot.curvature import DerivativeQuantities
from qddot.robot.kernels import compiled
from qddot.robot.quantities import OF_A_POSE, Request

if TYPE_CHECKING:
    from qddot.kinematics.derivation import IkDerivation
    from qddot.kinematics.solutions import Solutions
    from qddot.robot.closed_forms import RobotClosedForms

CHECKED = "inverse_kinematics_checked"  # the same program, which says where it is not sure


class InverseKinematics(DerivativeQuantities):
    """Which joint positions put a frame where it should be."""

    @compiled
    def inverse_kinematics_all(
        self, X: Any, frame: str, *, limits: bool = False, free: Mapping[str, Any] | None = None
    ) -> Solutions:
        """Return all joint positions at which a frame has a pose, in closed form.

        Every solution that is returned was checked: it puts the frame at X to rounding, within
        5e-13 rad and as many parts of the arm's length. None is lost on the way: each step solves
        an equation that all solutions fulfil. Where a joint may stand anywhere, as at a wrist whose
        axes are in line, one solution stands for the family and is marked `singular`, or several
        where there is no closed form; where two solutions meet they are both there. Angles are from
        −π to π.

        Args:
            X: The pose of the frame in the base, a homogeneous matrix, shape (..., 4, 4).
            frame: The name of a link or a frame.
            limits: Whether solutions beyond the joints' limits are left out. Angles are then
                brought within the limits by whole turns, where that is possible.
            free: The positions of joints that are not solved for, by name: of an arm with seven
                joints one, or arrays of positions, one solution set for each.

        Returns:
            `q` of shape (..., k, n) and `found` of shape (..., k), k being how many there can be.
            Joints that do not carry the frame stand at `home`.
        """
        named = by_name("free", free or {}, 'free={"joint7": 0.5}')
        given = {name: real_array(f"free[{name!r}]", x) for name, x in named.items()}
        for name, x in given.items():
            check_finite(f"free[{name!r}]", x)
        frame, limits = frame_name(self, frame), flag("limits", limits)
        known = self._closed_forms
        names = tuple(given)
        if known.plan(frame, names) is None and known.any_six_turns(frame, names):
            return known.by_eigenvalues(X, frame, limits, given)
        kernel = self._in_double._kernel(CHECKED, frame, within_limits=limits, free=names)
        if not given:
            return kernel.asked(X)
        return kernel.asked(X, np.stack(np.broadcast_arrays(*given.values()), axis=-1))

    def inverse_kinematics_steps(self, frame: str, *, free: Sequence[str] = ()) -> IkDerivation:
        """Return how `inverse_kinematics_all` finds each joint: words and formulas, to be read.

        Args:
            frame: The name of a link or a frame.
            free: The names of joints that are given.
        """
        from qddot.kinematics.derivation import derivation_of

        names = tuple(free) if not isinstance(free, str) else (free,)
        request = Request(CHECKED, frame_name(self, frame), free=names)
        return derivation_of(self._closed_forms.need_plan(request, steps=True))

    @property
    def _closed_forms(self) -> RobotClosedForms:
        from qddot.robot.closed_forms import RobotClosedForms

        return RobotClosedForms(self._shape_alone)

    def _program(self, request: Request) -> Program:
        if request.quantity not in (CHECKED, *OF_A_POSE):
            return super()._program(request)
        return self._closed_forms.program(request, request.quantity == CHECKED)

    def _otherwise(self, request: Request) -> Callable[..., Any] | None:
        if request.quantity != CHECKED:
            return super()._otherwise(request)
        return self._closed_forms.otherwise(request)
