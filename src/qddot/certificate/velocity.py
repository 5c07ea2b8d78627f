"""c_b, from inside: a q and a v at which ‖Γ(v, v)‖/‖v‖² is attained. From outside it is k_c."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from flint import arb

from qddot.backends.kernel import Kernel
from qddot.certificate.exact import above, below
from qddot.certificate.field import Field
from qddot.certificate.fields import whole
from qddot.certificate.problem import Of
from qddot.certificate.search import best_point, compass
from qddot.certificate.squares import SquareNorm
from qddot.equations.balls import many_digits


class VelocityTorque:
    """c_b: where ‖Γ(v, v)‖ is attained; what bounds it from above is k_c."""

    sense = 1

    def __init__(self, field: Field, norm: int | float, above_it: Of):
        self.field, self.norm, self.above_it = field, norm, above_it
        self.m = field.m
        self.lo = np.append(field.lo, -np.ones(field.n))
        self.hi = np.append(field.hi, np.ones(field.n))

    @cached_property
    def torque(self) -> Kernel:
        n, index = self.field.n, whole(self.field.n)

        def c(A: Any, v: Any) -> Any:
            return (A.reshape(n, -1)[:, index] @ v) @ v

        return self.field.fused(c, "velocity_torque", v=(n,))

    def value(self, x: np.ndarray) -> np.ndarray:
        v = x[..., self.m :]
        size = np.maximum(np.linalg.norm(v, self.norm, axis=-1), 1e-12)
        c = self.torque(self.field.full(x[..., : self.m]), v / size[..., None])
        return np.linalg.norm(c, self.norm, axis=-1)

    @property
    def trivial(self) -> float:
        return self.above_it.trivial  # type: ignore[attr-defined]  # every problem has one

    @property
    def routes(self) -> list[Any]:
        return [self.above_it]

    def attain(self) -> tuple[float, np.ndarray, dict[str, Any]]:
        start = best_point(self.above_it)  # type: ignore[arg-type]
        v = np.random.default_rng(1).uniform(-1, 1, (256, self.field.n))
        extra = np.concatenate([np.broadcast_to(start, (256, self.m)), v], axis=1)
        x = compass(self.value, self.lo, self.hi, 1, extra)
        if self.norm == 2 and isinstance(self.above_it, SquareNorm):
            G = self.above_it.full(self.field.at(x[None, : self.m]))
            polished = np.append(x[: self.m], self.above_it.ascent(G, 300)[1][0])
            x = max((x, polished), key=lambda y: float(self.value(y)))
            self.above_it.found = x[: self.m]  # type: ignore[attr-defined]
        return self.inner(x), self.field.full(x[: self.m]), {"qd": x[self.m :].tolist()}

    def inner(self, x: np.ndarray) -> float:
        """Return what ‖Γ(v, v)‖/‖v‖² is not below at one q and v."""
        n, index = self.field.n, whole(self.field.n)
        balls = np.array(self.field.enclosed(x[: self.m]), dtype=object).reshape(n, -1)
        v = [arb(float(a)) for a in x[self.m :]]
        with many_digits():
            pairs = [(i, j) for i in range(n) for j in range(n)]
            c = [sum((row[index[i, j]] * v[i] * v[j] for i, j in pairs), arb(0)) for row in balls]
            size, length = ball_norm(c, self.norm), ball_norm(v, self.norm)
            if not above(length) > 0:
                return 0.0
            return max(0.0, below(arb(max(0.0, below(size))) / arb(above(length)) ** 2))


def ball_norm(balls: list[Any], norm: int | float) -> arb:
    """Return the norm of a vector of balls."""
    if norm == 1:
        return sum((abs(b) for b in balls), arb(0))
    if norm == 2:
        return sum((b * b for b in balls), arb(0)).sqrt()
    largest = abs(balls[0])
    for b in balls[1:]:
        largest = largest.max(abs(b))
    return largest
