"""‖D‖₂, the largest viscous damping: a matrix that does not depend on q.

It holds the viscous friction of the joints and the dampers between them, D = diag(Fᵥ) + Σ d e eᵀ.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb

from qddot.certificate.eigen import not_below_largest
from qddot.certificate.exact import ball_in, below
from qddot.certificate.field import Ground
from qddot.equations.balls import many_digits


class Damping:
    """The largest eigenvalue of D, from both sides."""

    sense = 1

    def __init__(self, ground: Ground):
        self.n, tree = ground.tree.n, ground.tree
        self.lo = np.zeros(0)
        with many_digits():
            D = [[arb(0)] * self.n for _ in range(self.n)]
            for i, friction in enumerate(tree.friction):
                D[i][i] = ball_in(friction.viscous)
            for elastic in tree.elastics:
                e, d = [ball_in(x) for x in elastic.direction], ball_in(elastic.damping)
                for i in range(self.n):
                    for j in range(self.n):
                        D[i][j] = D[i][j] + d * e[i] * e[j]
            self.D = D
        self.upper = [D[i][j] for i in range(self.n) for j in range(i, self.n)]
        self.origin = np.array(ground.box.lower)

    @property
    def trivial(self) -> float:
        if all(x.is_zero() for x in self.upper):
            return 0.0
        return not_below_largest(self.upper, self.n)

    def attain(self) -> tuple[float, np.ndarray, dict[str, Any]]:
        D = np.array([[float(x.mid()) for x in row] for row in self.D])
        vector = [arb(float(x)) for x in np.linalg.eigh(D)[1][:, -1]]
        with many_digits():
            pairs = [(i, j) for i in range(self.n) for j in range(self.n)]
            top = sum((vector[i] * vector[j] * self.D[i][j] for i, j in pairs), arb(0))
            quotient = top / sum((v * v for v in vector), arb(0))
        return max(0.0, below(quotient)), self.origin, {}
