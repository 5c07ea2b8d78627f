"""The equation of motion as labelled terms, as lecture decks name them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qddot.equations.readable import readable_latex
from qddot.scalars import JointMat, JointVec, Scalar


@dataclass(frozen=True)
class Term:
    """One labelled term of the equation of motion."""

    label: str  # effective inertia, coupling inertia, centripetal, Coriolis, gravity
    symbol: str  # D12: of torque 1 and acceleration 2
    value: Scalar

    def _repr_markdown_(self) -> str:
        return f"{self.label}: {self._repr_latex_()}"

    def _repr_latex_(self) -> str:
        return readable_latex(self.value, f"D_{{{self.symbol[1:]}}}")


def labelled(M: JointMat, gamma: np.ndarray, g: JointVec) -> tuple[Term, ...]:
    """Return every entry of the mass matrix, the Christoffel symbols and gravity with its label."""
    n, found = len(g), []
    for i, j in np.ndindex(n, n):
        label = "effective inertia" if i == j else "coupling inertia"
        found.append(Term(label, f"D{i + 1}{j + 1}", M[i, j]))
    for i, j, k in np.ndindex(n, n, n):
        label = "centripetal" if j == k else "Coriolis"
        found.append(Term(label, f"D{i + 1}{j + 1}{k + 1}", gamma[i, j, k]))
    found += [Term("gravity", f"D{i + 1}", torque) for i, torque in enumerate(g)]
    return tuple(found)
