"""Joint positions for a pose: the robot's side of `kinematics`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.checks import by_name, flag, frame_name, joint_index, real_array
from qddot.errors import BadArgument, NoValues, listing
from qddot.kinematics.any_six_turns import AnySixTurns
from qddot.kinematics.branches import Within, closed_form
from qddot.kinematics.chain import Chain, chain_of, nearly
from qddot.kinematics.derivation import IkDerivation, derivation_of
from qddot.kinematics.mending import Mending, brought_within, proper_poses
from qddot.kinematics.plan import IkPlan, plan_for
from qddot.kinematics.six_turns import SixTurns
from qddot.kinematics.solutions import Solutions
from qddot.model import Inertial, Model
from qddot.model.folding import exact, fold
from qddot.program.optimise import optimised
from qddot.program.ports import wrong_shape
from qddot.program.program import Port, Program
from qddot.robot.curvature import DerivativeQuantities
from qddot.robot.kernels import compiled
from qddot.robot.quantities import OF_A_POSE, Request

CHECKED = "inverse_kinematics_checked"  # the same program, which says where it is not sure
SIX = 6  # numbers in a pose
# [rad, or parts of the arm] lines that are nearer are tried as if they met or were parallel
NEARLY = Fraction(1, 50)
VERY_NEARLY = Fraction(1, 1000)  # so near that this alone finds the solutions


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
        5e-13 rad and as many parts of the arm's length. None is lost on the way: each step solves
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
        frame, limits = frame_name(self, frame), flag("limits", limits)
        if not given and self._ik_plan(frame, ()) is None and self._any_six_turns(frame):
            return self._by_eigenvalues(X, frame, limits)
        kernel = self._in_double._kernel(CHECKED, frame, within_limits=limits, free=tuple(given))
        if not values:
            return kernel.asked(X)
        return kernel.asked(X, np.stack(np.broadcast_arrays(*values), axis=-1))

    def inverse_kinematics_steps(self, frame: str, *, free: Sequence[str] = ()) -> IkDerivation:
        """Return how `inverse_kinematics_all` finds each joint: words and formulas, to be read.

        Args:
            frame: The name of a link or a frame.
            free: The names of joints that are given.
        """
        names = tuple(free) if not isinstance(free, str) else (free,)
        return derivation_of(self._need_plan(Request(CHECKED, frame_name(self, frame), free=names)))

    def _any_six_turns(self, frame: str) -> bool:
        axes = self._ik_chain(frame).axes
        return len(axes) == SIX and all(axis.turns for axis in axes)

    def _by_eigenvalues(self, X: Any, frame: str, limits: bool) -> Solutions:
        """Return all solutions of six turns whose lines lie anyhow."""
        X = real_array("X", X)
        if X.shape[-2:] != (4, 4):
            raise wrong_shape(Port("X", (4, 4)), X.shape)
        poses = proper_poses(X.reshape(-1, 4, 4))
        arm: AnySixTurns = self.cached("six turns", frame, lambda: self._six_turns(frame))
        q, miss, margin = arm.solved(poses)
        if limits:
            turn = np.full(self.nq, 2 * np.pi)
            for axis in arm.six.chain.axes:
                turn[axis.index] /= abs(axis.ratio)
            q, inside = brought_within(q, self.limits.lower, self.limits.upper, turn)
            miss = np.where(inside, miss, np.inf)
            q = np.where(inside[..., None], q, np.nan)
        lead = X.shape[:-2]
        return Solutions(*(x.reshape(*lead, *x.shape[1:]) for x in (q, miss, margin)))

    def _six_turns(self, frame: str) -> AnySixTurns:
        chain = self._ik_chain(frame)
        near = plan_for(nearly(chain, NEARLY))
        raw = None
        if near is not None:
            raw = Kernel(optimised(closed_form(near, Within(self.home), raw=True))).general
        six = SixTurns(chain.numeric)
        if not six.tells and plan_for(nearly(chain, VERY_NEARLY)) is None:
            raise BadArgument(self._why_not(chain, []))  # rather than some of the solutions
        return AnySixTurns(six, self._mending(frame, chain), self.home, raw)

    def _program(self, request: Request) -> Program:
        if request.quantity not in (CHECKED, *OF_A_POSE):
            return super()._program(request)
        checked = request.quantity == CHECKED

        def made() -> Program:
            plan = self._need_plan(request)
            return optimised(closed_form(plan, self._within(request), checked=checked))

        return self.cached("program", request, made)

    def _otherwise(self, request: Request) -> Callable[..., Any] | None:
        if request.quantity != CHECKED:
            return super()._otherwise(request)
        plan, within = self._need_plan(request), self._within(request)

        def solve(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
            def made() -> Kernel:
                return Kernel(optimised(closed_form(plan, within, raw=True)))

            return self.cached("raw closed form", request, made).general(*arrays)

        return self._mending(request.frame, plan.chain, plan.given, within, solve).mended

    def _mending(
        self,
        frame: str,
        chain: Chain,
        given: Sequence[int] = (),
        within: Within | None = None,
        solve: Callable[..., tuple[np.ndarray, ...]] | None = None,
    ) -> Mending:
        end = np.full(self.nq, np.inf)
        lower, upper = (None, None) if within is None else (within.lower, within.upper)
        return Mending(
            solve,
            lambda q: self._in_double.pose(q, frame),
            lambda q: self._in_double.jacobian(q, frame),
            [axis.index for i, axis in enumerate(chain.axes) if i not in given],
            len(chain.axes),
            float(chain.scale),
            -end if lower is None else lower,
            end if upper is None else upper,
        )

    def _within(self, request: Request) -> Within:
        if not request.within_limits:
            return Within(self.home)
        return Within(self.home, self.limits.lower, self.limits.upper)

    def _ik_chain(self, frame: str) -> Chain:
        if self.symbols:
            raise NoValues(self.name, self.symbols, "robot.with_values({}=1.0, ...)")
        return self.cached("chain", frame, lambda: chain_of(fold(self._shape, exact), frame))

    @property
    def _shape(self) -> Model:
        """The model without masses, which are long when they are exact, and matter to no pose."""
        links = tuple(replace(link, inertial=Inertial()) for link in self.model.links)
        return replace(self.model, links=links, payloads=())

    def _ik_plan(self, frame: str, free: tuple[str, ...]) -> IkPlan | None:
        """Return the closed form of a frame, with the joints `free` given; None: there is none."""
        return self.cached("ik plan", (frame, free), lambda: plan_for(*self._given(frame, free)))

    def _need_plan(self, request: Request) -> IkPlan:
        plan = self._ik_plan(request.frame, request.free)
        if plan is None:
            raise BadArgument(self._why_not(*self._given(request.frame, request.free)))
        return plan

    def _given(self, frame: str, free: tuple[str, ...]) -> tuple[Chain, list[int]]:
        """Return the joints that carry a frame, and the places among them of those given."""
        chain = self._ik_chain(frame)
        place = {axis.index: i for i, axis in enumerate(chain.axes)}
        given = [joint_index(self, name) for name in free]
        for name, index in zip(free, given, strict=True):
            if index not in place:
                raise BadArgument(f"Joint {name!r} does not carry frame {frame!r}: leave it out.")
        return chain, [place[index] for index in given]

    def _why_not(self, chain: Chain, given: list[int]) -> str:
        """Return why there is no closed form, and which joints, or what else, would help."""
        unknown = [i for i in range(len(chain.axes)) if i not in given]
        helps = [i for i in unknown if plan_for(chain, [*given, i]) is not None]
        names = [self.joint_names[chain.axes[i].index] for i in helps or unknown]
        what = f"frame {chain.frame!r} of {self.name!r}"
        if len(unknown) > SIX:
            why = (
                f"{len(unknown)} joints carry {what}, and a pose says six things: its solutions "
                "are whole curves."
            )
        else:
            why = (
                f"There is no closed form for {what}: its axes neither meet nor are parallel where "
                "that would part its equations."
            )
        if helps:
            how = f"free={{{names[0]!r}: 0.5}}"
            return f"{why}\n  There is a closed form with {listing(names)} given: {how}."
        if len(unknown) == SIX + 1 and not given and all(axis.turns for axis in chain.axes):
            held = f"robot.locked({{{names[-1]!r}: 0.5}})"
            return f"{why}\n  No joint that is given makes it one. Hold one and solve: {held}."
        return why
