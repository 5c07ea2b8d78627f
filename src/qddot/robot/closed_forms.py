"""How a robot finds all joint positions for a pose: closed forms, or eigenvalues.

Loaded when it is asked for first, so that robots are quick to begin with.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.checks import joint_index, real_array
from qddot.errors import BadArgument, NotInClosedForm, NoValues, printable
from qddot.kinematics.any_six_turns import AnySixTurns, held
from qddot.kinematics.branches import Within, closed_form, placed
from qddot.kinematics.chain import Chain, chain_of, nearly
from qddot.kinematics.mending import Mending
from qddot.kinematics.plan import IkPlan, plan_for
from qddot.kinematics.poses import proper_matrices
from qddot.kinematics.six_turns import MOST, SixTurns
from qddot.kinematics.solutions import Solutions
from qddot.model.folding import exact, fold
from qddot.model.shape_alone import shape_alone
from qddot.program.optimise import optimised
from qddot.program.ports import batch_of
from qddot.program.program import Port, Program
from qddot.robot.nearest import pose_search
from qddot.robot.quantities import Request

SIX = 6  # numbers in a pose
# [rad, or parts of the arm] lines that are nearer are tried as if they met or were parallel
NEARLY = Fraction(1, 50)
STAYS = 1e12  # the weight of a joint that is given, in a search
LOOKS, SINGULAR = 32, 1e-9  # positions, and the least singular value of J that is none
MOST_SETS = 64  # of joints that are tried whether giving them helps
VERY_NEARLY = Fraction(1, 1000)  # so near that this alone finds the solutions


@dataclass(frozen=True)
class RobotClosedForms:
    """What a robot knows of its closed forms; all of it is kept with the robot."""

    robot: Any

    def program(self, request: Request, checked: bool) -> Program:
        """Return the program of all branches."""

        def made() -> Program:
            plan, within = self.need_plan(request), self.within(request.within_limits)
            return optimised(closed_form(plan, within, checked=checked))

        return self.robot.cached("program", request, made)

    def otherwise(self, request: Request) -> Callable[..., Any]:
        """Return what is asked of poses at which the program is not sure."""
        plan, within = self.need_plan(request), self.within(request.within_limits)

        def solve(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
            def made() -> Kernel:
                return Kernel(optimised(closed_form(plan, self.within(False), raw=True)))

            key = request.frame, request.free
            return self.robot.cached("raw closed form", key, made).general(*arrays)

        return self.mending(request.frame, plan.chain, plan.given, within, solve).mended

    def any_six_turns(self, frame: str, free: tuple[str, ...]) -> bool:
        """Return whether six turns carry a frame, those apart that are given."""
        chain, given = self._given(frame, free)
        return _six_turns_of(chain, given)

    def by_eigenvalues(
        self, X: Any, frame: str, limits: bool, free: Mapping[str, np.ndarray]
    ) -> Solutions:
        """Return all solutions of six turns whose lines lie anyhow."""
        X = real_array("X", X)
        ports = [Port("X", (4, 4)), *(Port(name, ()) for name in free)]
        lead = batch_of(ports, [x.shape for x in (X, *free.values())])
        poses = proper_matrices(np.broadcast_to(X, (*lead, 4, 4)).reshape(-1, 4, 4))
        values = [np.broadcast_to(x, lead).reshape(-1).tolist() for x in free.values()]
        together: dict[tuple[float, ...], list[int]] = {}
        for row in range(len(poses)):
            together.setdefault(tuple(x[row] for x in values), []).append(row)
        q = np.full((len(poses), MOST, self.robot.nq), np.nan)
        miss, margin = np.full((2, len(poses), MOST), np.inf)
        for given, rows in together.items():
            arm = self._six_turns(frame, tuple(free), given)
            q[rows], miss[rows], margin[rows] = arm.solved(poses[rows])
        if limits:
            arm = self.mending(frame, *self._given(frame, tuple(free)), self.within(True))
            q, miss = arm.within_limits(q, miss)
            q = np.where(np.isfinite(miss)[..., None], q, np.nan)
        return Solutions(*(x.reshape(*lead, *x.shape[1:]) for x in (q, miss, margin)))

    def _six_turns(
        self, frame: str, free: tuple[str, ...], values: tuple[float, ...]
    ) -> AnySixTurns:
        chain, given = self._given(frame, free)
        near, always = self.robot.cached(
            "near six turns", (frame, free), lambda: self._near(chain, given)
        )
        rest, at = self.robot.home.copy(), {}
        for i, q in zip(given, values, strict=True):
            axis = chain.numeric.axes[i]
            rest[axis.index] = q
            at[i] = placed(axis, q, float(chain.scale))
        six = SixTurns(held(chain.numeric, at))
        spare = np.zeros(len(chain.axes) + 1)
        more = (np.array(values), spare) if free else (spare,)
        solve = (lambda X: near(X, *more)[0]) if near and (always or six.tells) else None
        return AnySixTurns(six, self.mending(frame, chain, given), rest, solve)

    def _near(self, chain: Chain, given: list[int]) -> tuple[Callable[..., Any] | None, bool]:
        """Return the closed form of the arm that one nearly is, and whether it is so near that
        this alone finds solutions; refuse an arm that has only curves of them.
        """
        if self._rank(chain, given) < SIX:
            raise self._why_not(chain, given)
        plan = plan_for(nearly(chain, NEARLY), given)
        if plan is None:
            return None, False
        kernel = Kernel(optimised(closed_form(plan, self.within(False), raw=True)))
        return kernel.general, plan_for(nearly(chain, VERY_NEARLY), given) is not None

    def _rank(self, chain: Chain, given: Sequence[int] = ()) -> int:
        """Return in how many directions the joints but the given ones move a frame, at most."""
        J = self.mending(chain.frame, chain, given).jacobian(self.robot.random_positions(LOOKS, 0))
        sizes = np.linalg.svd(J, compute_uv=False)
        return int((sizes > SINGULAR * sizes[:, :1]).sum(axis=1).max())

    def mending(
        self,
        frame: str,
        chain: Chain,
        given: Sequence[int] = (),
        within: Within | None = None,
        solve: Callable[..., tuple[np.ndarray, ...]] | None = None,
    ) -> Mending:
        """Return what brings solutions to the last digit."""
        within, end = within or self.within(False), np.full(self.robot.nq, np.inf)
        limited = within.lower is not None
        turn, slides = np.full(self.robot.nq, 2 * np.pi), np.zeros(self.robot.nq, dtype=bool)
        weights = np.ones(self.robot.nq)
        for i, axis in enumerate(chain.axes):
            turn[axis.index] /= abs(axis.ratio)
            slides[axis.index] = not axis.turns
            weights[axis.index] = STAYS if i in given else 1 if axis.turns else 1 / chain.scale**2
        return Mending(
            solve,
            lambda q: self.robot._in_double.pose(q, frame),
            lambda q: self.robot._in_double.jacobian(q, frame),
            lambda: pose_search(self.robot._in_double, frame, "pose", None, weights, limited),
            [axis.index for i, axis in enumerate(chain.axes) if i not in given],
            [axis.index for axis in chain.axes],
            float(chain.scale),
            turn,
            slides,
            -end if within.lower is None else within.lower,
            end if within.upper is None else within.upper,
        )

    def within(self, limited: bool) -> Within:
        """Return where joints stand that do not matter, and their limits if these count."""
        limits = (self.robot.limits.lower, self.robot.limits.upper) if limited else ()
        return Within(self.robot.home, *limits)

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

    def need_plan(self, request: Request, steps: bool = False) -> IkPlan:
        """Return the closed form, or raise with why there is none; `steps`: see `_why_not`."""
        plan = self.plan(request.frame, request.free)
        if plan is None:
            raise self._why_not(*self._given(request.frame, request.free), steps=steps)
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

    def _why_not(self, chain: Chain, given: list[int], steps: bool = False) -> NotInClosedForm:
        """Return why there is no answer, and which joints to give instead or as well.

        With `steps` only a closed form is an answer; else any six turns are one too.
        """
        unknown = len(chain.axes) - len(given)
        what = f"frame {chain.frame!r} of {self.robot.name!r}"
        why = f"There is no closed form for {what}: "
        if unknown > SIX:
            why = f"{unknown} joints carry {what}, and a pose says six things: its solutions are "
            why += "whole curves."
        elif self._rank(chain, given) < unknown:
            why += "it is singular at every position, as where two axes are one line. A pose has "
            why += "no solution, or curves of them."
        else:
            why += "its axes neither meet nor are parallel where that would part its equations."
        closed, solved = self.free_joints(chain, tuple(given))
        sets = closed or solved[-1:]
        if not sets:
            return NotInClosedForm(why)
        found = "There is a closed form" if closed else "All solutions are found"
        if steps and not closed:
            found = "inverse_kinematics_all finds all solutions"
        if not sets[0]:
            return NotInClosedForm(why, f"{found} if no joint is given")
        name, (low, high) = self.robot.joint_names, self.robot.limits.span()
        each = _joined([_joined([printable(name[k]) for k in some], "and") for some in sets], "or")
        free = {
            name[k]: 0.5 if low[k] <= 0.5 <= high[k] else round(0.3 * low[k] + 0.7 * high[k], 3)
            for k in sets[0]
        }
        return NotInClosedForm(why, f"{found} with {each} given", free, bool(closed))

    def free_joints(
        self, chain: Chain, given: tuple[int, ...] = ()
    ) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
        """Return sets of joints that leave a closed form if they are given, and six turns.

        They are entries of q. Each set is as large as an arm has joints to spare, and has those in
        it that are given already, by their place in the chain, if that is possible. Of sets of more
        than one joint the first will do.
        """

        def made() -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
            joints = range(len(chain.axes) - 1, -1, -1)
            spare = len(joints) - self._rank(chain)
            others = [i for i in joints if i not in given]
            more = combinations(others, spare - len(given)) if spare >= len(given) else ()
            with_given = (given + some for some in more)
            without = (x for x in combinations(joints, spare) if not set(given) <= set(x))
            closed, solved = [], []
            for some in islice(itertools.chain(with_given, without), MOST_SETS):
                entries = tuple(chain.axes[i].index for i in sorted(some))
                if plan_for(chain, some) is not None:
                    closed.append(entries)
                    if len(some) > 1:
                        break
                elif _six_turns_of(chain, some) and self._rank(chain, some) == SIX:
                    solved.append(entries)
            return closed[::-1], solved[::-1]

        return self.robot.cached("free joints", (chain.frame, given), made)


def _six_turns_of(chain: Chain, given: Sequence[int]) -> bool:
    """Return whether all joints but the given ones are six, and turn."""
    axes = [axis for i, axis in enumerate(chain.axes) if i not in given]
    return len(axes) == SIX and all(axis.turns for axis in axes)


def _joined(names: Sequence[str], word: str) -> str:
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last
