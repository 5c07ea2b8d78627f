"""One solution of an inverse kinematics problem: that it exists, that it is alone, and where.

With the errors F(q) = [skew part of R(q) R_Xᵀ; p(q) − p_X], J = ∂F/∂q on balls over a box q̂ ± ρ,
and A ≈ J(q̂)⁻¹ a matrix of floats (R. Krawczyk, *Newton-Algorithmen zur Bestimmung von Nullstellen
mit Fehlerschranken*, Computing, 1969):

    K = |A F(q̂)| + |1 − A J(q̂ ± ρ)| ρ

- If K < ρ, then F has exactly one zero in the box, within |A F| / (1 − ‖1 − A J‖) of q̂ in the norm
  whose unit box is ± ρ. A rotation whose skew part is zero is 1 or a half turn; its trace over the
  box says which. X is a ball too, so this holds for each pose in it.
- With fewer joints than equations, ‖1 − A J‖ < 1 says that no pose is taken twice in the box; that
  a pose within the ball is taken there is seen at q̂ itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flint import arb, arb_mat

from qddot.certificate.rounding import above
from qddot.certificate.serial_chain import SerialChain
from qddot.equations.values import many_digits

CERTAINLY = 1 - 1e-12  # more than the roundings of three operations
TRIES = (0.05, 0.01, 1e-3, 1e-4, 1e-5)  # ρ of slides and turns


@dataclass(frozen=True)
class ChainSolution:
    """A zero of F near q."""

    q: np.ndarray  # of the joints of a chain, shape (m,)
    radius: np.ndarray  # every pose meant has its solution within q ± radius, shape (m,)
    alone: np.ndarray  # and no other within q ± alone
    for_each: bool  # whether each pose meant has one; else some pose does


class PoseProblem:
    """F and J of a chain and the poses within a distance of X.

    Args:
        chain: The joints.
        X: The pose, shape (4, 4).
        within: By how much any entry of the poses meant may differ from X's.
        position: Whether the position alone is asked for.
    """

    def __init__(self, chain: SerialChain, X: np.ndarray, within: float, position: bool):
        self.chain, self.X, self.within, self.position = chain, X, within, position
        self.target = [[arb(float(x), within) for x in row] for row in X[:3]]

    def equations(self, q: list[arb]) -> tuple[arb_mat, arb_mat, arb]:
        """Return F (k, 1), J (k, m) and the trace of R(q) R_Xᵀ at balls."""
        *frames, X = self.chain.frames(q)
        R = arb_mat([[X[i, j] for j in range(3)] for i in range(3)])
        D = R * arb_mat([row[:3] for row in self.target]).transpose()
        error = [X[i, 3] - self.target[i][3] for i in range(3)]
        rows = [] if self.position else _skew(D)
        columns = []
        for frame, turns in zip(frames, self.chain.turns, strict=True):
            z = [frame[i, 2] for i in range(3)]
            if turns:
                arm = [X[i, 3] - frame[i, 3] for i in range(3)]
                cross = arb_mat([[0, -z[2], z[1]], [z[2], 0, -z[0]], [-z[1], z[0], 0]])
                moved = cross * arb_mat([[a] for a in arm])
                turned = [] if self.position else _skew(cross * D)
                columns.append([*turned, *(moved[i, 0] for i in range(3))])
            else:
                columns.append([*([] if self.position else [arb(0)] * 3), *z])
        return (
            arb_mat([[x] for x in [*rows, *error]]),
            arb_mat(columns).transpose(),
            D[0, 0] + D[1, 1] + D[2, 2],
        )

    def improved(self, q: np.ndarray, rcond: float = 1e-14) -> np.ndarray:
        """Return a zero of F near q by Newton's method; small singular values count as zero."""
        for _ in range(12):
            F, J, _ = self.equations([arb(float(x)) for x in q])
            step = np.linalg.lstsq(_floats(J), _floats(F)[:, 0], rcond=rcond)[0]
            step *= min(1.0, 0.5 / max(float(np.abs(step).max()), 1e-300))
            q = q - step
            if np.abs(step).max() < 1e-15:
                break
        return q

    def walked(self, q: np.ndarray, step: float, count: int) -> list[np.ndarray]:
        """Return where a walk leads from q along what hardly moves the frame, while X is taken."""
        found: list[np.ndarray] = []
        ahead = np.zeros_like(q)
        for _ in range(count):
            J = _floats(self.equations([arb(float(x)) for x in q])[1])
            v = np.linalg.svd(J)[2][-1]
            ahead = -v if v @ ahead < 0 else v
            there = self.improved(q + step * ahead, 1e-6)
            # Newton's method leads back where there is no curve
            if (there - q) @ ahead / step < 0.5 or not self.taken(there):
                break
            found.append(there)
            q = there
        return found

    def proved(self, start: np.ndarray, half: np.ndarray) -> ChainSolution | None:
        """Return the solution in a box, or None if it cannot be proved that there is just one.

        Boxes are tried that are as wide in all joints; then, for an arm near a singularity, the
        given box, and wider ones where K says that it must be.
        """
        with many_digits():
            q = self.improved(start)
            F, J, _ = self.equations([arb(float(x)) for x in q])
            A = arb_mat(np.linalg.pinv(_floats(J)).tolist())
            for_each = len(q) == F.nrows()
            if not for_each and not self.taken(q):
                return None
            shift = np.array([above(abs(x)) for x in (A * F).entries()])
            around = 1.05 * (np.abs(start - q) + half) + 2 * shift
            for rho in [*(np.full(len(q), rho) for rho in TRIES), *[around] * 4]:
                rest = self._rest(A, q, rho)
                K = shift + rest @ rho
                if (rho * CERTAINLY > K).all():
                    # in units of ρ the rows of the rest sum to less than 1
                    most = float((rest @ rho / rho).max())
                    radius = rho * float((shift / rho).max()) / (1 - most) / CERTAINLY
                    return ChainSolution(q, radius, rho, for_each)
                if rho is around and np.isfinite(K).all():
                    around[:] = np.maximum(around, 1.3 * K)
        return None

    def _rest(self, A: arb_mat, q: np.ndarray, rho: np.ndarray) -> np.ndarray:
        """Return bounds of |1 − A J| over a box; infinite if a half turn is possible in it."""
        _, J, trace = self.equations([arb(float(x), float(r)) for x, r in zip(q, rho, strict=True)])
        m = len(q)
        if not (self.position or trace > arb(1)):
            return np.full((m, m), np.inf)
        off = A * J
        sizes = [[above(abs(off[i, k] - int(i == k))) for k in range(m)] for i in range(m)]
        return np.array(sizes)

    def misses(self, q: np.ndarray, half: np.ndarray) -> bool:
        """Return whether no pose meant is taken in a box."""
        with many_digits():
            balls = [arb(float(x), float(r)) for x, r in zip(q, half, strict=True)]
            X = self.chain.frames(balls)[-1]
            entries = [(i, j) for i in range(3) for j in self._columns]
            return any(not X[i, j].overlaps(self.target[i][j]) for i, j in entries)

    def bent(self, q: np.ndarray) -> float:
        """Return how near to singular the arm is: the smallest singular value of J, relative."""
        _, J, _ = self.equations([arb(float(x)) for x in q])
        values = np.linalg.svd(_floats(J), compute_uv=False)
        return float(values[-1] / values[0]) if values[0] else 0.0

    @property
    def _columns(self) -> tuple[int, ...]:
        return (3,) if self.position else (0, 1, 2, 3)

    def taken(self, q: np.ndarray) -> bool:
        """Return whether the pose at q is one of those meant."""
        X = self.chain.frames([arb(float(x)) for x in q])[-1]
        return all(
            bool(abs(X[i, j] - arb(float(self.X[i, j]))) <= arb(self.within))
            for i in range(3)
            for j in self._columns
        )


def _skew(D: arb_mat) -> list[arb]:
    """Return the vector of the skew part of a 3×3 matrix."""
    return [(D[2, 1] - D[1, 2]) / 2, (D[0, 2] - D[2, 0]) / 2, (D[1, 0] - D[0, 1]) / 2]


def _floats(M: arb_mat) -> np.ndarray:
    return np.array([[float(M[i, j].mid()) for j in range(M.ncols())] for i in range(M.nrows())])
