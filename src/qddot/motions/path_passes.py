"""The two passes over the pieces of paths: which speeds lead to the end, and the highest of them.

On a piece from x = ṡ² to y, with s̈ constant, every limit at either end is a strip of the plane:

    |α x + β y + c| ≤ w

so a piece is a convex polygon. A pass from the end finds the interval K of every x from which the
end can be reached: the x of the polygon's points whose y is in the K of the next piece. A pass from
the start then takes the largest y that stays in K.

What does not depend on the next piece is worked out for all pieces side by side: the lines
x = (−c ± w − β y)/α and y = (−c ± w − α x)/β, and the corner of the polygon with the largest x, by
eliminating y from every two strips (Fourier and Motzkin). Where y cannot be that of the corner, the
nearest y is best, the polygon being convex. So the passes have no more to do than to clip y, and to
take the least of one line per strip.

TOPP-RA: Pham, Pham, A New Approach to Time-Optimal Path Parameterization Based on Reachability
Analysis, IEEE Transactions on Robotics 34(3), 2018, whose linear programs these polygons are. The
result is the optimum of the grid where a larger x leaves room for a larger y. Where a joint's
inertia along the path changes its sign that may not be so. Then the corner with the largest x + y
may be better: x lasts for the way before, y for the way after. Both are tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np

from qddot.backends.iterated import Given, IteratedKernel
from qddot.program.optimise import optimised
from qddot.program.program import Iteration, Stage
from qddot.program.recorder import maximum, minimum, record

STEEP = 1e-9  # a line is no steeper, so that every strip has two equations


def lines(
    alpha: Any, beta: Any, c: Any, w: Any, caps: tuple[Any, Any], both: bool = False
) -> dict[str, Any]:
    """Return what the passes take of a piece: its m strips as lines, and its corners.

    "back" is slope, upper and lower side of x over y, one row per strip; then the y of the corners
    with the largest x (`both`: with the largest x + y) and the smallest; then those x, and `caps`:
    the largest y and x. "ahead" is slope and upper side of y over x; then room for the lowest y,
    and the largest.
    """
    size = np.array([abs(x) + abs(y) for x, y in zip(alpha, beta, strict=True)]) * STEEP + 1e-150
    by_x = np.where(np.less(abs(alpha), size), size, alpha)
    by_y = np.where(np.less(abs(beta), size), size, beta)
    over_x, over_y = 1 / by_x, 1 / by_y
    across, wide = -c * over_x, w * abs(over_x)
    back = -beta * over_x, across + wide, across - wide
    k, e, half = -alpha * over_y, -c * over_y, w * abs(over_y)
    above, below = e + half, e - half
    top, bottom, m = caps[0], 0.0, len(alpha)
    for i in range(m):
        for j in range(i):
            over = 1 / (k[i] - k[j] + 1e-200)
            at, width = (e[j] - e[i]) * over, (half[i] + half[j]) * abs(over)
            top, bottom = minimum(top, at + width), maximum(bottom, at - width)

    def middle(x: Any) -> Any:
        high = reduce(minimum, [k[i] * x + above[i] for i in range(m)])
        low = reduce(maximum, [k[i] * x + below[i] for i in range(m)])
        return (high + low) / 2

    at_top, most = (
        (highest_sum(alpha, beta, c, w, caps[0]), caps[0]) if both else (middle(top), top)
    )
    corners = [at_top, middle(bottom), most, bottom, caps[1], caps[0]]
    return {
        "back": np.concatenate([*back, corners]),
        "ahead": np.concatenate([k, above, [0.0, caps[1]]]),
    }


def highest_sum(alpha: Any, beta: Any, c: Any, w: Any, cap: Any) -> Any:
    """Return the y of the corner with the largest z = x + y, x being at most cap.

    The same elimination, with the strips over z and y: |α z + (β − α) y + c| ≤ w.
    """
    alpha, beta = np.append(alpha, 1.0), np.append(beta, 0.0)
    c, w = np.append(c, -cap / 2), np.append(w, cap / 2)
    high = lines(alpha, beta - alpha, c, w, (1e200, 1e200))["back"]
    return high[3 * len(alpha)]


class SinglePath(IteratedKernel):
    """A loop for so few trajectories that one lane each is quickest."""

    @property
    def lanes(self) -> int:
        return 1


@dataclass(frozen=True)
class Passes:
    """The pass from the end and the pass from the start, over pieces with m strips each."""

    m: int

    @cached_property
    def back(self) -> Iteration:
        """From the K of the next piece, and the lines of this one, to its K."""
        m = self.m

        def step(state: Any, constants: Any, given: Any, t: Any, h: Any) -> Any:
            slope, above, below = given[:m], given[m : 2 * m], given[2 * m : 3 * m]
            at_top, at_bottom, top, bottom, cap = given[3 * m : 3 * m + 5]
            low, high = state[0], minimum(state[1], cap)
            upper, lower = (maximum(minimum(y, high), low) for y in (at_top, at_bottom))
            most = [slope[i] * upper + above[i] for i in range(m)]
            least = [slope[i] * lower + below[i] for i in range(m)]
            highest, lowest = tree_of(minimum, [top, *most]), tree_of(maximum, [bottom, *least])
            # an interval that is one point may seem empty by rounding
            touch = np.less(lowest, highest + 1e-9 * abs(highest) + 1e-12 * high)
            highest = np.where(touch, maximum(highest, 0.0), highest)
            return np.array([np.where(touch, minimum(lowest, highest), lowest), highest])

        return self._loop("controllable speeds", step, 2, 3 * m + 6)

    @cached_property
    def ahead(self) -> Iteration:
        """From x, the lines of a piece and the K of the next, to the largest y."""
        m = self.m

        def step(state: Any, constants: Any, given: Any, t: Any, h: Any) -> Any:
            slope, above, (low, high) = given[:m], given[m : 2 * m], given[2 * m :]
            most = [slope[i] * state[0] + above[i] for i in range(m)]
            return np.array([maximum(tree_of(minimum, [high, *most]), low)])

        return self._loop("the highest speeds", step, 1, 2 * m + 2)

    def _loop(self, name: str, step: Any, state: int, given: int) -> Iteration:
        always = {"state": (state,), "constants": (0,)}
        each = {**always, "given": (given,), "t": (), "h": ()}
        keep = record(lambda state, constants: state, name, **always)
        return Iteration(name, keep, (Stage(optimised(record(step, name, **each))),), keep)

    @cached_property
    def kernels(self) -> dict[str, tuple[IteratedKernel, IteratedKernel]]:
        """Both passes, for single paths and for many."""
        return {
            "single": (SinglePath(self.back), SinglePath(self.ahead)),
            "many": (IteratedKernel(self.back), IteratedKernel(self.ahead)),
        }

    def speeds(
        self, back: np.ndarray, ahead: np.ndarray, ends: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return x at every point of the grid of each path, (k, N + 1), and where each is blocked.

        That is the point from which on there is no way, −1 where there is one. `lines` gives `back`
        and `ahead` of every piece, (k, N, ...); the room in the second is filled with K. At the
        start and at the end of every path x is `ends`.
        """
        (count, pieces), (start, end) = back.shape[:2], ends
        first, second = self.kernels["single" if count < 4 else "many"]
        nothing, order = np.empty((count, 0)), np.arange(count)
        # from the last piece to the first
        far, step = back.strides[:2]
        given = Given(back, order * far + (pieces - 1) * step, -step)
        sets = np.empty((count, pieces, 2))
        first.run(np.full((count, 2), end), nothing, given, [sets], every=1, h=0.0)
        sets = sets[:, ::-1]
        low, high = sets[..., 0], sets[..., 1]
        ahead[:, :-1, -2], ahead[:, -1, -2] = low[:, 1:], end
        np.minimum(ahead[:, :-1, -1], high[:, 1:], out=ahead[:, :-1, -1])
        ahead[:, -1, -1] = end
        x = np.empty((count, pieces + 1, 1))
        x[:, 0] = start
        far, step = ahead.strides[:2]
        given = Given(ahead, order * far, step)
        second.run(np.full((count, 1), start), nothing, given, [x[:, 1:]], every=1, h=0.0)
        x = x[..., 0]
        ready, moving = low <= high, x[:, :-1] + x[:, 1:] > 0
        if not ((low[:, 0] <= start) & (start <= high[:, 0])).all():
            little = 1e-12 * high.max(axis=1)  # rounding, for limits at rest are steep
            ready[:, 0] &= (low[:, 0] <= start + little) & (start <= high[:, 0] + little)
        if ready.all() and moving.all():
            return x, np.full(count, -1)
        # the last point from which the end cannot be reached, or the first that is not left
        blocked = np.where(moving.all(axis=1), -1, (~moving).argmax(axis=1))
        last = pieces - 1 - (~ready[:, ::-1]).argmax(axis=1)
        return x, np.where(ready.all(axis=1), blocked, last)


def tree_of(function: Any, values: list[Any]) -> Any:
    """Return a function of two of all values, in pairs, which a processor works on side by side."""
    while len(values) > 1:
        pairs = [function(a, b) for a, b in zip(values[::2], values[1::2], strict=False)]
        values = pairs + values[len(pairs) * 2 :]
    return values[0]
