"""How a robot finds all joint positions for a pose: closed forms, or eigenvalues.

Loaded when it is asked for first, so that robots are quick to begin with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.checks import joint_index, real_array
from qddot.errors import BadArgument, NotInClosedForm, NoValues
from qddot.kinematics.any_six_turns import AnySixTurns
from qddot.kinematics.branches import Within, closed_form
from qddot.kinematics.chain import Chain, chain_of, nearly
from qddot.kinematics.mending import Mending, brought_within
from qddot.kinematics.plan import IkPlan, plan_for
from qddot.kinematics.poses import proper_matrices
from qddot.kinematics.six_turns import SixTurns
from qddot.kinematics.solutions import Solutions
from qddot.model.folding import exact, fold
from qddot.model.shape_alone import shape_alone
from qddot.program.optimise import optimised
from qddot.program.ports import wrong_shape
from qddot.program.program import Port, Program
from qddot.robot.nearest import pose_search
from qddot.robot.quantities import Request

SIX = 6  # numbers in a pose
# [rad, or parts of the arm] lines that are nearer are tried as if they met or were parallel
NEARLY = Fraction(1, 50)
LOOKS, SINGULAR = 32, 1e-9  # positions, and the least singular value of J that is none
VERY_NEARLY = Fraction(1, 1000)  # so near that this alone finds the solutions


@dataclass(frozen=True)
class RobotClosedForms:
    """What a robot knows of its closed forms; all of it is kept with the robot."""

    robot: Any

    def program(self, request: Request, checked: bool) -> Program:
        """Return the program of all branches."""

        def made() -> Program:
            plan = self.need_plan(request)
            return optimised(closed_form(plan, self.within(request), checked=checked))

        return self.robot.cached("program", request, made)

    def otherwise(self, request: Request) -> Callable[..., Any]:
        """Return what is asked of poses at which the program is not sure."""
        plan, within = self.need_plan(request), self.within(request)

        def solve(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
            def made() -> Kernel:
                return Kernel(optimised(closed_form(plan, within, raw=True)))

            return self.robot.cached("raw closed form", request, made).general(*arrays)

        return self.mending(request.frame, plan.chain, plan.given, within, solve).mended

    def any_six_turns(self, frame: str) -> bool:
        """Return whether six turns carry a frame."""
        axes = self.chain(frame).axes
        return len(axes) == SIX and all(axis.turns for axis in axes)

    def by_eigenvalues(self, X: Any, frame: str, limits: bool) -> Solutions:
        """Return all solutions of six turns whose lines lie anyhow."""
        X = real_array("X", X)
        if X.shape[-2:] != (4, 4):
            raise wrong_shape(Port("X", (4, 4)), X.shape)
        poses = proper_matrices(X.reshape(-1, 4, 4))
        arm: AnySixTurns = self.robot.cached("six turns", frame, lambda: self._six_turns(frame))
        q, miss, margin = arm.solved(poses)
        if limits:
            lower, upper = self.robot.limits.lower, self.robot.limits.upper
            q, inside = brought_within(q, lower, upper, arm.mending.turn)
            miss = np.where(inside, miss, np.inf)
            q = np.where(inside[..., None], q, np.nan)
        lead = X.shape[:-2]
        return Solutions(*(x.reshape(*lead, *x.shape[1:]) for x in (q, miss, margin)))

    def _six_turns(self, frame: str) -> AnySixTurns:
        chain = self.chain(frame)
        near = plan_for(nearly(chain, NEARLY))
        raw = None
        if near is not None:
            raw = Kernel(optimised(closed_form(near, Within(self.robot.home), raw=True))).general
        six = SixTurns(chain.numeric)
        if not six.tells and plan_for(nearly(chain, VERY_NEARLY)) is None:
            raw = None
            if self._always_singular(chain, range(SIX)):
                raise self._why_not(chain, [])
        search = pose_search(self.robot._in_double, frame, "pose", None, None, False)
        return AnySixTurns(six, self.mending(frame, chain), self.robot.home, raw, search)

    def _always_singular(self, chain: Chain, joints: Sequence[int]) -> bool:
        q = self.robot.random_positions(LOOKS, 0)
        J = self.robot._in_double.jacobian(q, chain.frame)[
            ..., [chain.axes[i].index for i in joints]
        ]
        J[:, 3:] /= float(chain.scale)
        sizes = np.linalg.svd(J, compute_uv=False)
        return bool((sizes[:, -1] < SINGULAR * sizes[:, 0]).all())

    def mending(
        self,
        frame: str,
        chain: Chain,
        given: Sequence[int] = (),
        within: Within | None = None,
        solve: Callable[..., tuple[np.ndarray, ...]] | None = None,
    ) -> Mending:
        """Return what brings solutions to the last digit."""
        end = np.full(self.robot.nq, np.inf)
        lower, upper = (None, None) if within is None else (within.lower, within.upper)
        turn = np.full(self.robot.nq, 2 * np.pi)
        for axis in chain.axes:
            turn[axis.index] /= abs(axis.ratio)
        return Mending(
            solve,
            lambda q: self.robot._in_double.pose(q, frame),
            lambda q: self.robot._in_double.jacobian(q, frame),
            [axis.index for i, axis in enumerate(chain.axes) if i not in given],
            len(chain.axes),
            float(chain.scale),
            turn,
            -end if lower is None else lower,
            end if upper is None else upper,
        )

    def within(self, request: Request) -> Within:
        """Return within which limits solutions are asked for."""
        if not request.within_limits:
            return Within(self.robot.home)
        return Within(self.robot.home, self.robot.limits.lower, self.robot.limits.upper)

    def chain(self, frame: str) -> Chain:
        """Return the joints that carry a frame, exactly."""
        if self.robot.symbols:
            raise NoValues(self.robot.name, self.robot.symbols, "robot.with_values({}=1.0, ...)")
        return self.robot.cached(
            "chain", frame, lambda: chain_of(fold(shape_alone(self.robot.model), exact), frame)
        )

    def plan(self, frame: str, free: tuple[str, ...]) -> IkPlan | None:
        """Return the closed form of a frame, with the joints `free` given; None: there is none."""
        return self.robot.cached(
            "ik plan", (frame, free), lambda: plan_for(*self._given(frame, free))
        )

    def need_plan(self, request: Request) -> IkPlan:
        """Return the closed form, or raise with why there is none."""
        plan = self.plan(request.frame, request.free)
        if plan is None:
            raise self._why_not(*self._given(request.frame, request.free))
        return plan

    def _given(self, frame: str, free: tuple[str, ...]) -> tuple[Chain, list[int]]:
        """Return the joints that carry a frame, and the places among them of those given."""
        chain = self.chain(frame)
        place = {axis.index: i for i, axis in enumerate(chain.axes)}
        given = [joint_index(self.robot, name) for name in free]
        for name, index in zip(free, given, strict=True):
            if index not in place:
                raise BadArgument(f"Joint {name!r} does not carry frame {frame!r}: leave it out.")
        return chain, [place[index] for index in given]

    def _why_not(self, chain: Chain, given: list[int]) -> NotInClosedForm:
        """Return why there is no closed form, and which joints, or what else, would help."""
        unknown = [i for i in range(len(chain.axes)) if i not in given]
        helps = [i for i in unknown if plan_for(chain, [*given, i]) is not None]
        names = [self.robot.joint_names[chain.axes[i].index] for i in helps]
        what = f"frame {chain.frame!r} of {self.robot.name!r}"
        if len(unknown) > SIX:
            why = (
                f"{len(unknown)} joints carry {what}, and a pose says six things: its solutions "
                "are whole curves."
            )
        elif self._always_singular(chain, unknown):
            why = (
                f"There is no closed form for {what}: it is singular at every position, as where "
                "two axes are one line. A pose has no solution, or curves of them."
            )
        else:
            why = (
                f"There is no closed form for {what}: its axes neither meet nor are parallel where "
                "that would part its equations."
            )
        held = ""
        if len(unknown) == SIX + 1 and not given and all(axis.turns for axis in chain.axes):
            held = self.robot.joint_names[chain.axes[unknown[-1]].index]
        return NotInClosedForm(why, names, held)
