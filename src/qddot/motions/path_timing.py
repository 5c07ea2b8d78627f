"""The equation of motion along a path, and its limits, as programs compiled once for a robot.

Along q = Q(s) the equation is linear in u = s̈ and x = ṡ², but for friction φ, which is taken by
its tangent at some x:

    τ = M Q′ u + (M Q″ + c(q, Q′)) x + g + φ(Q′ √x)

With u constant on a piece of a grid of length Δ, from x to y:

    u = (y − x)/(2 Δ)

so that limits of torque and of acceleration are strips of the plane (x, y), which `path_passes`
takes, and limits of velocity are the largest x and y.

Bobrow, Dubowsky, Gibson, Time-Optimal Control of Robotic Manipulators Along Specified Paths,
International Journal of Robotics Research 4(3), 1985.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, reduce
from threading import local
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.friction import friction_torque, rubbing_velocities
from qddot.dynamics.regroup import regrouped
from qddot.dynamics.rnea import elastic_torque, rigid_body_torque
from qddot.model.tree import Tree
from qddot.motions.path_passes import Passes, lines
from qddot.motions.piecewise import horner
from qddot.program.differentiate import jacobian
from qddot.program.optimise import optimised
from qddot.program.program import flat
from qddot.program.recorder import maximum, record

KEPT = 1e-6  # of every limit, what is kept in reserve for what is passed between grid points
NODES = 4  # even places of a piece at which it is looked at, and through which a cubic is put
BETWEEN = (0.1, 0.2, 0.45, 0.55, 0.65, 0.75, 0.85, 0.925)  # where that is, of half a piece
FULL = 0.98  # the share from which on a limit counts as used


@dataclass(frozen=True, eq=False)
class PathPrograms:
    """What is compiled once for a robot and for which of its joints have which limits."""

    tree: Tree
    effort: tuple[int, ...]
    velocity: tuple[int, ...]
    acceleration: tuple[int, ...]

    @property
    def rows(self) -> int:
        """How many strips an end of a piece has."""
        return len(self.effort) + len(self.acceleration)

    @cached_property
    def passes(self) -> Passes:
        """The two passes over pieces with so many strips."""
        return Passes(2 * self.rows)

    @cached_property
    def _rooms(self) -> local:
        return local()

    def room(self, name: str, *shape: int) -> np.ndarray:
        """Return an array to work in, the same for the same thread: memory anew takes longer."""
        kept = self._rooms.__dict__
        if name not in kept or kept[name].shape != shape:
            kept[name] = np.empty(shape)
        return kept[name]

    @property
    def damped(self) -> bool:
        """Whether joints are coupled by springs and dampers."""
        return bool(self.tree.elastics)

    @property
    def parts(self) -> int:
        """How many vectors of n numbers are known of a place."""
        return 6 if self.damped else 5

    @cached_property
    def friction(self) -> tuple[Any, Any]:
        """The programs of φ at a speed ṡ and of dφ/dṡ."""
        n = self.tree.n

        def torque(slope: Any, direction: Any, damping: Any, v: Any) -> Any:
            rubbing = friction_torque(self.tree, slope * v, direction)
            return rubbing + damping * v if self.damped else rubbing

        shapes = {"slope": (n,), "direction": (len(self.tree.shafts),), "damping": (n,), "v": ()}
        program = record(torque, "friction along a path", **shapes)
        return program, jacobian(program, ["v"])

    def _signs(self, slope: Any) -> np.ndarray:
        """Return the signs that dry friction has along the path."""
        return np.array([np.sign(rate) for rate in rubbing_velocities(self.tree, slope)])

    @cached_property
    def rubs(self) -> bool:
        """Whether friction depends on the speed."""
        _, rise = self.friction
        known = range(rise.input_size, rise.first_step)
        zeros = {i for i in known if rise.constants[i - rise.input_size] == 0}
        return not zeros.issuperset(rise.results)

    @lru_cache  # noqa: B019 -- as long as the robot, which keeps this object
    def terms(self, degree: int) -> Kernel:
        """Return from a piece of a path, and how far along it, to the terms of the equation.

        These are Q′, Q″, M Q′, M Q″ + c(q, Q′), the torque of gravity and springs, and where joints
        are coupled, that of their dampers at ṡ = 1.
        """
        tree = regrouped(self.tree)
        still = np.zeros(tree.n, dtype=int)
        floating = replace(tree, gravity=np.zeros(3, dtype=int))

        def along(curve: Any, u: Any) -> Any:
            q, slope, bend = horner(curve, u)
            slope, bend = slope + 0 * q, bend + 0 * q
            hold = elastic_torque(tree, q, still)
            found = [
                *(slope, bend),
                mass_matrix(tree, q) @ slope,
                rigid_body_torque(floating, q, slope, bend),
                rigid_body_torque(tree, q, still, still) + hold,
            ]
            if self.damped:
                found.append(elastic_torque(tree, q, slope) - hold)
            return np.concatenate(found)

        return Kernel(optimised(record(along, "path", curve=(degree + 1, tree.n), u=())))

    def split(self, place: Any) -> Any:
        """Return the terms at a place, the last one zero where joints are not coupled."""
        parts = list(np.reshape(place, (self.parts, self.tree.n)))
        return parts if self.damped else [*parts, np.zeros(self.tree.n, dtype=int)]

    @lru_cache  # noqa: B019 -- as above
    def strips(self, both: bool) -> Kernel:
        """Return from what is known at the ends of a piece to what `lines` gives of it."""
        n, size = self.tree.n, self.parts * self.tree.n
        phi, rise = self.friction
        effort, acceleration = list(self.effort), list(self.acceleration)

        def end(place: Any, near: Any, tangent: Any, direction: Any, unit: Any) -> list[Any]:
            slope, bend, a, b, g, damping = self.split(place)
            v = np.sqrt(near)
            given = flat([slope, direction, damping, v])
            c = g + phi.results_at(given)
            if self.rubs:
                by_x = tangent * np.array(rise.results_at(given)) / (2 * v)
                b, c = b + by_x, c - by_x * near
            torque, rate = unit[effort], unit[[2 * n + k for k in acceleration]]
            none = np.zeros(len(acceleration), dtype=int)
            return [
                np.concatenate([a[effort] * torque, slope[acceleration] * rate]),
                np.concatenate([b[effort] * torque, bend[acceleration] * rate]),
                np.concatenate([c[effort] * torque, none]),
            ]

        def speed(place: Any, unit: Any, spare: Any) -> Any:
            share = [(place[k] * unit[n + k]) ** 2 for k in self.velocity]
            return spare / (reduce(maximum, share, 0.0) + 1e-200)

        def all_strips(
            start: Any,
            middle: Any,
            finish: Any,
            delta: Any,
            near: Any,
            near_finish: Any,
            tangent: Any,
            unit: Any,
            margin: Any,
        ) -> dict[str, Any]:
            direction = self._signs(middle[:n])
            w, half = 1 - KEPT - margin, 0.5 / delta
            a, b, c = end(start, near, tangent, direction, unit)
            a2, b2, c2 = end(finish, near_finish, tangent, direction, unit)
            alpha = np.concatenate([b - a * half, -a2 * half])
            beta = np.concatenate([a * half, b2 + a2 * half])
            width = np.concatenate([w[:-1], w[:-1]])
            caps = speed(start, unit, w[-1]), speed(finish, unit, w[-1])
            return lines(alpha, beta, np.concatenate([c, c2]), width, caps, both)

        places = dict.fromkeys(("start", "middle", "finish"), (size,))
        each = dict.fromkeys(("delta", "near", "near_finish", "tangent"), ())
        shapes = {**places, **each, "unit": (3 * n,), "margin": (self.rows + 1,)}
        return Kernel(optimised(record(all_strips, "limits along a path", **shapes)))

    @cached_property
    def looks(self) -> Kernel:
        """From what is known at the places of a piece, and how it is gone, to how it uses limits.

        The largest share of a limit that is used, of velocities squared; that of each strip and of
        the velocities, at the start, at the end and anywhere; for which part of the piece a limit
        is used; and the share that friction takes because of the speed.
        """
        n, size = self.tree.n, self.parts * self.tree.n
        phi, _ = self.friction
        effort, acceleration = list(self.effort), list(self.acceleration)

        def used(places: Any, share: Any, x: Any, y: Any, delta: Any, unit: Any) -> dict[str, Any]:
            direction = self._signs(places[1][:n])
            u, nodes, rubbing = (y - x) * (0.5 / delta), [], 0.0
            for place, part in zip(places, share, strict=True):
                slope, bend, a, b, g, damping = self.split(place)
                here = maximum(x + part * (y - x), 0.0)
                still, moving = (
                    np.array(phi.results_at(flat([slope, direction, damping, v])))[effort]
                    for v in (0.0, np.sqrt(here))
                )
                tau = (a * u + b * here + g)[effort] + moving
                qdd = (slope * u + bend * here)[acceleration]
                nodes.append(
                    [
                        *(tau * unit[effort]),
                        *(qdd * unit[[2 * n + k for k in acceleration]]),
                        *((slope[k] * unit[n + k]) ** 2 * here for k in self.velocity),
                    ]
                )
                rubbing = reduce(maximum, abs((moving - still) * unit[effort]), rubbing)
            peaks = [cubic_peak(values) for values in zip(*nodes, strict=True)]
            full: Any = 0
            for values, weight in zip(nodes, (1, 2, 2, 1), strict=True):
                most_used = reduce(maximum, [abs(value) for value in values])
                full = full + np.where(most_used < FULL, 0.0, weight / 6)
            speeds = peaks[self.rows :] or [(0.0, 0.0, 0.0)]
            fastest = [reduce(maximum, some) for some in zip(*speeds, strict=True)]
            start, end, peak = np.array([*peaks[: self.rows], fastest]).T
            return {
                "use": reduce(maximum, peak),
                "start": start,
                "end": end,
                "peak": peak,
                "full": full,
                "rubbing": rubbing,
            }

        each = dict.fromkeys(("x", "y", "delta"), ())
        shapes = {"places": (NODES, size), "share": (NODES,), **each, "unit": (3 * n,)}
        return Kernel(optimised(record(used, "use of limits", **shapes)))


def cubic_peak(values: Any) -> tuple[Any, Any, Any]:
    """Return |p| at both ends of the cubic through four even places, and the largest anywhere.

    With z from −1 to 1, p(±z) = even(z) ± odd(z), so |even| + |odd| is the larger of the two.
    """
    first, second, third, last = values
    even_1, odd_1 = (last + first) / 2, (last - first) / 2
    even_2, odd_2 = (third + second) / 2, (third - second) * 1.5
    # even = e₀ + e₂ z² and odd = o₁ z + o₃ z³, through z = 1 and z = ⅓
    e2, o3 = (even_1 - even_2) * (9 / 8), (odd_1 - odd_2) * (9 / 8)
    e0, o1 = even_1 - e2, odd_1 - o3
    found = [*(abs(value) for value in values), abs(e0)]
    for z in BETWEEN:
        found.append(abs(e0 + e2 * (z * z)) + abs(o1 * z + o3 * z**3))
    return abs(first), abs(last), reduce(maximum, found)
