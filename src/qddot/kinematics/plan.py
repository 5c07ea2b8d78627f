"""The order in which joints are found: the steps of a closed form with the fewest branches.

From the joints that are known, every equation that holds one more alone leads to a larger set of
known ones. The best way through these sets (at most 2ⁿ of them) has the fewest solutions to look
at, then the least work.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qddot.errors import BadArgument
from qddot.kinematics.chain import Chain, in_digits
from qddot.kinematics.joint_equations import Position, moved
from qddot.kinematics.steps import IkStep, candidates
from qddot.spatial.pose import Pose

# the size of an equation that holds for every position of its joint, where an arm has the length 1;
# of points it is a product of up to four lengths
SAYS_NOTHING = 1e-9
LOOKS = 3
# of one root, roughly; an angle that `carried` finds by its tangent keeps all its digits
EFFORT = {"onto": 1.0, "carried": 2.0, "level": 2.2, "distance": 2.2}


@dataclass(frozen=True)
class IkPlan:
    """The steps that find all joints but the given ones, one after the other."""

    chain: Chain  # exact
    given: tuple[int, ...]
    steps: tuple[IkStep, ...]

    @property
    def branches(self) -> int:
        """How many solutions there are at most."""
        return int(np.prod([step.branches for step in self.steps]))

    @cached_property
    def numeric(self) -> Chain:
        """The arm in floats."""
        return self.chain.numeric


def plan_for(chain: Chain, given: Iterable[int] = ()) -> IkPlan | None:
    """Return the closed form of an arm; None where no order of single joints finds them all.

    The arm has exact numbers; joints that are given are named by their place in the chain.
    """
    given = tuple(given)
    try:
        return _plan_for(chain, given)
    except BadArgument:  # a product of exact numbers has grown too long
        return _plan_for(in_digits(chain), given)


def _plan_for(chain: Chain, given: tuple[int, ...]) -> IkPlan | None:
    samples = [_sample(chain.numeric, seed) for seed in range(LOOKS)]
    everything = frozenset(range(len(chain.axes)))
    numeric, nothing = chain.numeric, SAYS_NOTHING * _length(chain.numeric) ** 4
    # best way on from a set of known joints: (branches, effort, steps)
    best: dict[frozenset[int], tuple[float, float, tuple[IkStep, ...]] | None] = {
        everything: (1, 0.0, ())
    }

    def onwards(known: frozenset[int]) -> tuple[float, float, tuple[IkStep, ...]] | None:
        if known in best:
            return best[known]
        found = None
        for step in candidates(chain, known):
            rest = onwards(known | {step.k})
            if rest is None or not _says_more(nothing, step, numeric, known, samples):
                continue
            effort = EFFORT[step.rule] * (1 if step.point else 0.95)
            ways = step.branches * rest[0], step.branches * (effort + rest[1]), (step, *rest[2])
            if found is None or ways[:2] < found[:2]:
                found = ways
        best[known] = found
        return found

    way = onwards(frozenset(given))
    return None if way is None else IkPlan(chain, given, way[2])


def _sample(chain: Chain, seed: int) -> dict[int, Position]:
    """Return joint positions of no particular kind."""
    values = np.random.default_rng(seed).uniform(0.4, 2.6, len(chain.axes))
    pairs = enumerate(zip(chain.axes, values, strict=True))
    return {i: Position.at(axis, np.sin(x), np.cos(x), x) for i, (axis, x) in pairs}


def _length(chain: Chain) -> float:
    """Return about how long an arm is in its chain's scale, 1 or less; slides make that large."""
    points = np.array([*(axis.p for axis in chain.axes), chain.home.p], dtype=float)
    return min(1.0, float(np.linalg.norm(points - points[0], axis=1).max()) or 1.0)


def _says_more(
    nothing: float,
    step: IkStep,
    chain: Chain,
    known: frozenset[int],
    samples: list[dict[int, Position]],
) -> bool:
    """Return whether an equation narrows its joint down, which it does if it does so once."""
    unknown = [i for i in range(len(chain.axes)) if i not in known]
    inner = range(unknown[0], unknown[-1] + 1)
    return any(
        step.equation(chain, product(chain, at, inner), at, Position())[0] > nothing
        for at in samples
    )


def product(chain: Chain, at: dict[int, Position], joints: Sequence[int]) -> Pose:
    """Return the product of some joints, in order, at known positions."""

    def image(v: np.ndarray, point: bool) -> np.ndarray:
        for i in reversed(joints):
            v = moved(chain.axes[i], at[i], v, point)
        return np.asarray(v, dtype=float)

    R = np.column_stack([image(e, False) for e in np.eye(3)])
    return Pose(R, image(np.zeros(3), True))
