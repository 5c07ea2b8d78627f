"""One step of a closed form: an equation that holds one joint alone.

What joints leave in place makes the others vanish. With the joints known so far written K, those
still unknown to the left U and to the right P and Q, all of them known or unknown but k:

    X M⁻¹ = T = [U K] E_k [K P K Q]

Q leaves a point or a direction s where it is; so T s is where the joints before it take s. U leaves
a point o, or heights along n, and so does P. Then one of these holds k alone:

    onto        E_k K s = K⁻¹ T s                          (no U, no P)
    distance    |E_k K s − K⁻¹ o| = |T s − o|              (no P)
    level       n · K E_k K s = n · T s                    (no P), also of directions s
    carried     n · K⁻¹ E_k⁻¹ K⁻¹ T s = n · K s            (no U), also of directions s

Read backwards, T⁻¹ = E_n⁻¹ ⋯ E₁⁻¹ is such a product too. Every solution of the arm solves each of
these equations, so none is lost on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from qddot.kinematics.chain import Chain, common_direction, common_point, kept_normal, numbers
from qddot.kinematics.joint_equations import (
    Position,
    Roots,
    across,
    gap_of_angle,
    gap_of_distance,
    level_of_vectors,
    moved,
    onto,
    onto_unit,
    slide,
    slides,
    to_level,
)
from qddot.program.operations import select
from qddot.scalars import Scalar, Vec3
from qddot.spatial.pose import Pose
from qddot.spatial.vector import cross

Rule = Literal["onto", "distance", "level", "carried"]
ZERO = np.zeros(3, dtype=int)


@dataclass(frozen=True, eq=False)
class IkStep:
    """An equation of joint k, in a product read forwards or backwards."""

    k: int
    backwards: bool
    rule: Rule
    point: bool  # whether s is a point, not a direction
    branches: int  # how many roots
    source: Vec3 | None = None  # s; None where any will do
    kept: Vec3 | None = None  # o or n
    other: Vec3 | None = None  # another n, where both are of use: one slide keeps what is across
    before: tuple[int, ...] = ()  # the known joints left of k, in the order of the product
    between: tuple[int, ...] = ()  # those right of k, and left of P if there is a P
    beyond: tuple[int, ...] = ()  # those right of P
    held: tuple[int, ...] = ()  # U or P, the unknown joints that keep o or heights along n
    last: tuple[int, ...] = ()  # Q, the unknown joints that leave s

    def equation(
        self, chain: Chain, T: Pose, at: Mapping[int, Position], spare: Position
    ) -> tuple[Scalar, Callable[[], Roots]]:
        """Return how much the equation has to go by (0 where it says nothing), and its roots."""
        axis, point = chain.axes[self.k], self.point
        h = -axis.h if self.backwards else axis.h
        centre = axis.p if point and axis.turns else ZERO

        def through(joints: Sequence[int], v: Vec3, point: bool, back: bool = False) -> Vec3:
            for j in joints if back else reversed(joints):
                v = moved(chain.axes[j], at[j], v, point, back != self.backwards)
            return v

        known = (*self.between, *self.beyond)
        if self.source is None:
            m = numbers(across(h)) if axis.turns else ZERO
            s = through(known, m, point, back=True)
        else:
            s, m = self.source, through(known, self.source, point)
        if self.backwards:
            y = T.R.T @ (s - T.p if point else s)
        else:
            y = T.R @ s + T.p if point else T.R @ s
        if self.rule == "onto":
            y = through(self.before, y, point, back=True)
            if axis.turns and self.source is None:
                return onto_unit(h, m, y)
            if axis.turns:
                return onto(h, m - centre, y - centre, spare)
            return slide(h @ (y - m), 1, spare)
        n: Any = self.kept
        if self.other is not None:
            # known joints turn this joint's axis: of two heights at right angles, a turn takes the
            # one more nearly across it, and a slide the one more nearly along it
            seen = (*self.before, *self.between)
            towards = through(seen, h, False, back=self.rule == "carried")
            one, another = abs(n @ towards), abs(self.other @ towards)
            first = one <= another if axis.turns else one >= another
            pairs = zip(n, self.other, strict=True)
            n = np.array([select(first, x, y) for x, y in pairs], dtype=object)
        if self.rule == "distance":
            o = through(self.before, n, True, back=True)
            square = (y - n) @ (y - n)
            if not axis.turns:
                return slides(h, m, o, square)
            mu, nu = m - centre, o - centre
            A, B, C = level_of_vectors(h, mu, nu, (mu @ mu + nu @ nu - square) / 2)
            return to_level(A, B, C, gap_of_distance(h, mu, nu, square), spare)
        if self.rule == "level":
            direction = through(self.before, n, False, back=True)
            level = n @ y - (n @ through(self.before, ZERO, True) if point else 0)
            if not axis.turns:
                return slide(level - direction @ m, direction @ h, spare)
            A, B, C = level_of_vectors(h, m - centre, direction, level - direction @ centre)
            gap = None if point or self.before else gap_of_angle(h, m, n, y)
            return to_level(A, B, C, gap, spare)
        m = through(self.beyond, s, point)
        y = through(self.before, y, point, back=True)
        direction = through(self.between, n, False)
        level = n @ m + (direction @ through(self.between, ZERO, True) if point else 0)
        if not axis.turns:
            return slide(direction @ y - level, direction @ h, spare)
        A, B, C = level_of_vectors(-h, y - centre, direction, level - direction @ centre)
        return to_level(A, B, C, None, spare)


def candidates(chain: Chain, known: frozenset[int]) -> Iterator[IkStep]:
    """Yield the equations that hold one unknown joint of an arm alone, when these are known."""
    everything = range(len(chain.axes))
    for backwards in (False, True):
        order = [*reversed(everything)] if backwards else [*everything]
        unknown = [i for i in order if i not in known]
        inner = order[order.index(unknown[0]) : order.index(unknown[-1]) + 1]
        yield from _of_sequence(chain, known, inner, backwards, point=True)
        turns = [i for i in inner if chain.axes[i].turns]
        yield from _of_sequence(chain, known, turns, backwards, point=False)


def _of_sequence(
    chain: Chain, known: frozenset[int], order: list[int], backwards: bool, point: bool
) -> Iterator[IkStep]:
    for place, k in enumerate(order):
        if k in known:
            continue
        left, right = order[:place], order[place + 1 :]
        free = [i for i in left if i not in known]
        before = left[len(free) :]
        if left[: len(free)] != free:  # a known joint between unknown ones
            continue
        for carrier, between, beyond, last in _splits(right, known):
            if free and carrier:
                continue
            joints = {"before": before, "between": between, "beyond": beyond, "last": last}
            rest = {name: tuple(some) for name, some in joints.items()}
            for source in _sources(chain, last, point):
                rest |= {"held": tuple(free or carrier), "source": source}
                yield from _steps(chain, k, backwards, point, bool(free), rest)


def _splits(
    right: list[int], known: frozenset[int]
) -> Iterator[tuple[list[int], list[int], list[int], list[int]]]:
    """Yield P and the known joints left and right of it, and Q, of all joints right of k."""
    for start in range(len(right) + 1):
        last = right[start:]
        if any(i in known for i in last):
            continue
        rest = right[:start]
        carrier = [i for i in rest if i not in known]
        if not carrier:
            yield [], [], rest, last
            continue
        first, end = rest.index(carrier[0]), rest.index(carrier[-1]) + 1
        if rest[first:end] == carrier:
            yield carrier, rest[:first], rest[end:], last


def _sources(chain: Chain, last: list[int], point: bool) -> list[Any]:
    if not last:
        return [None]
    axes = [chain.axes[i] for i in last]
    found = (common_point if point else common_direction)(axes, chain.tiny)
    return [] if found is None else [numbers(found)]


def _steps(
    chain: Chain, k: int, backwards: bool, point: bool, free: bool, rest: dict[str, Any]
) -> Iterator[IkStep]:
    """Yield the equations of joint k in which the others are these; `free`: those held are U."""
    axis, source = chain.axes[k], rest["source"]
    held = [chain.axes[i] for i in rest["held"]]
    if not held:
        if source is not None or point != axis.turns:  # any direction turns a turn, as any point
            yield IkStep(k, backwards, "onto", point, 1, **rest)  # slides a slide
        return
    if source is None and (free or axis.turns):
        return  # the same, read the other way round, says more
    tiny = chain.tiny
    normal = kept_normal(held, axis, tiny) if point else common_direction(held, tiny)
    if normal is not None:
        rule: Rule = "level" if free else "carried"
        kept = {"kept": numbers(normal), "other": None}
        if point and len(held) == 1 and not held[0].turns and (rest["before"] or rest["between"]):
            kept["other"] = numbers(cross(numbers(held[0].h), kept["kept"]))
        yield IkStep(k, backwards, rule, point, 1 + axis.turns, **kept, **rest)
    if free and point:
        centre = common_point(held, tiny)
        if centre is not None:
            yield IkStep(k, backwards, "distance", True, 2, kept=centre, **rest)
