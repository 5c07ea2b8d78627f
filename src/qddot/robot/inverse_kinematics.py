"""Joint positions for a pose: the robot's side of `kinematics`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.checks import by_name, flag, frame_name, joint_index, real_array
from qddot.errors import BadArgument, NoValues, listing
from qddot.kinematics.branches import Within, closed_form
from qddot.kinematics.chain import Chain, chain_of
from qddot.kinematics.mending import Mending
from qddot.kinematics.plan import IkPlan, plan_for
from qddot.kinematics.solutions import Solutions
from qddot.model.folding import exact, fold
from qddot.program.optimise import optimised
from qddot.program.program import Program
from qddot.robot.curvature import DerivativeQuantities
from qddot.robot.kernels import compiled
from qddot.robot.quantities import OF_A_POSE, Request

CHECKED = "inverse_kinematics_checked"  # the same program, which says where it is not sure
SIX = 6  # numbers in a pose


class InverseKinematics(DerivativeQuantities):
    """Which joint positions put a frame where it should be."""

    @compiled
    def inverse_kinematics_all(
        self,
        X: Any,
        frame: str,
        *,
        limits: bool = False,
        free: Mapping[str, Any] | None = None,
    ) -> Solutions:
        """Return all joint positions at which a frame has a pose, in closed form.

        Every solution that is returned was checked: it puts the frame at X to rounding, within
        1e-12 rad and as many parts of the arm's length. None is lost on the way: each step solves
        an equation that all solutions fulfil. Where a joint may stand anywhere, as at a wrist whose
        axes are in line, one solution stands for the family and is marked `singular`; where two
        solutions meet they are both there. Angles are from −π to π.

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
        given = by_name("free", free or {}, 'free={"joint7": 0.5}')
        values = [real_array(f"free[{name!r}]", x) for name, x in given.items()]
        kernel = self._in_double._kernel(
            CHECKED,
            frame_name(self, frame),
            within_limits=flag("limits", limits),
            free=tuple(given),
        )
        if not values:
            return kernel.asked(X)
        return kernel.asked(X, np.stack(np.broadcast_arrays(*values), axis=-1))

    def _program(self, request: Request) -> Program:
        if request.quantity not in (CHECKED, *OF_A_POSE):
            return super()._program(request)
        checked = request.quantity == CHECKED

        def made() -> Program:
            plan, within = self._ik_plan(request.frame, request.free), self._within(request)
            return optimised(closed_form(plan, within, checked=checked))

        return self.cached("program", request, made)

    def _otherwise(self, request: Request) -> Callable[..., Any] | None:
        if request.quantity != CHECKED:
            return super()._otherwise(request)
        frame, plan = request.frame, self._ik_plan(request.frame, request.free)

        def solve(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
            within = self._within(request)
            make = lambda: Kernel(optimised(closed_form(plan, within, raw=True)))  # noqa: E731
            return self.cached("raw closed form", request, make).general(*arrays)

        axes, given = plan.chain.axes, plan.given
        no_limits = np.full((2, self.nq), np.inf) * [[-1], [1]]
        lower, upper = no_limits
        if request.within_limits:
            lower, upper = self.limits.lower, self.limits.upper
        return Mending(
            solve,
            lambda q: self.pose(q, frame),
            lambda q: self.jacobian(q, frame),
            [axis.index for i, axis in enumerate(axes) if i not in given],
            len(axes),
            float(plan.chain.scale),
            lower,
            upper,
        ).mended

    def _within(self, request: Request) -> Within:
        if not request.within_limits:
            return Within(self.home)
        return Within(self.home, self.limits.lower, self.limits.upper)

    def _ik_chain(self, frame: str) -> Chain:
        if self.symbols:
            raise NoValues(self.name, self.symbols, "robot.with_values({}=1.0, ...)")
        return self.cached("chain", frame, lambda: chain_of(fold(self.model, exact), frame))

    def _ik_plan(self, frame: str, free: tuple[str, ...]) -> IkPlan:
        """Return the closed form of a frame, with the joints `free` given."""
        chain = self._ik_chain(frame)
        place = {axis.index: i for i, axis in enumerate(chain.axes)}
        given = []
        for name in free:
            index = joint_index(self, name)
            if index not in place:
                raise BadArgument(
                    f"Joint {name!r} does not carry frame {frame!r}: free is for those."
                )
            given.append(place[index])
        plan = self.cached("ik plan", (frame, free), lambda: plan_for(chain, given))
        if plan is None:
            raise BadArgument(self._why_not(chain, given))
        return plan

    def _why_not(self, chain: Chain, given: list[int]) -> str:
        unknown = [i for i in range(len(chain.axes)) if i not in given]
        what = f"frame {chain.frame!r} of {self.name!r}"
        helps = [i for i in unknown if plan_for(chain, [*given, i]) is not None]
        names = [self.joint_names[chain.axes[i].index] for i in helps]
        if len(unknown) > SIX:
            some = f"{names[0]!r}" if names else "a joint's name"
            known = f" There is a closed form with {listing(names)} given." if names else ""
            return (
                f"{len(unknown)} joints carry {what}, and a pose says six things: its solutions "
                f"are whole curves.\n  Give the position of a joint: free={{{some}: 0.5}}.{known}"
            )
        return (
            f"There is no closed form for {what}: its axes neither meet nor are parallel where "
            "that would part its equations."
        )
