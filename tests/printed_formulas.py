"""Reads the formulas that derivations print, and computes them from the quantities that they name.

A second opinion on every printed line: what stands to the right of an = sign is worked out from
what the page, or the robot, says about its letters.
"""

from __future__ import annotations

import re

import numpy as np

from qddot.dynamics.kinematics import body_poses
from qddot.formulations.lagrange import reference
from qddot.formulations.notation import Notation
from qddot.formulations.stacked import inverse_adjoint, spatial_inertia
from qddot.model.tree import Tree
from qddot.spatial.pose import Pose
from qddot.spatial.rotation import IDENTITY

SPACE = re.compile(r"(?:\\[,;:!]|\s|\\quad|\\left|\\right|\\bigl|\\bigr)+")
STEP = 1e-5
CONSTANTS = {r"\tfrac12": 0.5, **{str(k): float(k) for k in range(10)}}


class Unreadable(Exception):
    """A formula with sums over indices, derivatives or words in it, or a letter without value."""


def bare(latex: str) -> str:
    """Return LaTeX without what makes no difference: spaces, and braces around one letter."""
    latex = SPACE.sub("", latex)
    accents = r"(\\(?:dot|ddot|mathcal|bar|vec))([A-Za-z]|\\[a-z]+)(?![a-z])"
    latex = re.sub(accents, r"\1{\2}", latex)
    return re.sub(r"([_^])([\w*])", r"\1{\2}", latex)


def given(tree: Tree, q, qd, qdd, n: Notation, formulation: str) -> dict[str, np.ndarray]:
    """Return what a page does not print, by its letters: masses, velocities, rotations, ..."""
    zero, g = np.zeros(3), np.array(tree.gravity, float)
    found = {r"\omega_{0}": zero, r"\dot\omega_{0}": zero, r"\dot v_{0}": -g, n.gravity: g}
    found |= {n.velocities: qd, n.accelerations: qdd}
    found |= {n.entry(x, -1): np.zeros(6) for x in (n.spatial_velocity, n.spatial_acceleration)}
    for i in range(tree.n):
        found |= {n.qd(i): qd[i], n.qdd(i): qdd[i]}
        found[n.of_link("rotor_inertia", i)] = tree.rotor_inertia[i]
    diagonal = ", ".join(n.of_link("rotor_inertia", i) for i in range(tree.n))
    found[rf"\mathrm{{diag}}({diagonal})"] = np.diag(np.array(tree.rotor_inertia, float))
    found[r"\mathrm{diag}(I_a)"] = np.diag(np.array(tree.rotor_inertia, float))
    found[r"I_{6N}"] = np.eye(6 * len(tree.bodies))
    X_W = {0: Pose(IDENTITY, zero)}
    for i, (body, X) in enumerate(zip(tree.bodies, tree.poses(q), strict=True)):
        k, before = i + 1, body.parent + 1
        X_W[k] = X_W[before] @ X
        letter, r = reference(body.inertia, q)
        about = body.inertia.seen_from(Pose(IDENTITY, -r))
        found |= {f"m_{{{k}}}": body.inertia.m, n.R(k, before): X.R.T, n.R(before, k): X.R}
        found |= {n.R(0, k): X_W[k].R, n.T(0, k): X_W[k].matrix()}
        P = n.of_link("centre", i) if letter == "C" else f"P_{{O_{{{k}}}}}"
        turning, moving = (_rates(tree, i, q, qd, x) for x in (None, r))
        found |= {n.rate(n.R(0, k)): turning, n.rate(P): moving}
        if body.inertia.m:
            found[rf"\bar r_{{{k}}}"] = [*(body.inertia.h / body.inertia.m), 1]
        found[n.of_link("inertia", i) if letter == "C" else f"I_{{O_{{{k}}}}}"] = about.I
        if letter == "O":
            found[n.entry(n.first_moment, i)] = body.inertia.h
        if not tree.drives[i].own:
            found[rf"\rho_{{{k}}}"] = tree.drives[i].ratio
        if formulation == "recursive":
            found[n.entry(n.spatial_inertia, i)] = spatial_inertia(body.inertia)
            A = inverse_adjoint(X)
            found |= {f"{{}}^{{{k}}}X_{{{before}}}": A, f"{{}}^{{{before}}}X_{{{k}}}^{{*}}": A.T}
    return {bare(name): np.asarray(value, float) for name, value in found.items()}


def _rates(tree: Tree, i: int, q, qd, point) -> np.ndarray:
    """Return how fast the orientation of a link, or a point of it, changes, by differences."""

    def at(x):
        X = body_poses(tree, x)[i]
        return X.R if point is None else X.point(point)

    return (at(q + STEP * qd) - at(q - STEP * qd)) / (2 * STEP)


def names(steps, known: dict, n: Notation) -> dict[str, np.ndarray]:
    """Return the values of all letters: those that are given and those of the steps."""
    found = dict(known)
    vectors = {n.mass_matrix, n.links_mass_matrix, n.velocity_torques, n.gravity_torques}
    for step in steps:
        for name in [step.symbol] if "|" in step.symbol else step.symbol.split(" = "):
            value = np.asarray(step.value, float)
            column = value.ndim == 2 and value.shape[1] == 1 and n.screw_axis in name
            found[bare(name)] = value[:, 0] if column else value
            if value.ndim and step.symbol in vectors:
                found |= {bare(n.entry(name, *at)): value[at] for at in np.ndindex(value.shape)}
    return found


def computed(formula: str, letters: dict[str, np.ndarray]) -> np.ndarray:
    """Return the value of a formula."""
    reader = _Reader(bare(formula), letters)
    value = reader.sum()
    if reader.rest:
        raise Unreadable(reader.rest)
    return value


class _Reader:
    def __init__(self, formula: str, letters: dict[str, np.ndarray]):
        self.rest, self.letters = formula, letters
        self.symbols = sorted(letters, key=len, reverse=True)

    def take(self, *starts: str) -> str:
        for start in starts:
            if start and self.rest.startswith(start):
                self.rest = self.rest[len(start) :]
                return start
        return ""

    def sum(self):
        total = -self.crossed() if self.take("-") else self.crossed()
        while sign := self.take("+", "-"):
            total = total + self.crossed() if sign == "+" else total - self.crossed()
        return total

    def crossed(self):
        left = self.product()
        while sign := self.take(r"\times^{*}", r"\times"):
            right = self.product()
            if len(left) == 6:
                w, v = (_skew(x) for x in (left[:3], left[3:]))
                ad = np.block([[w, np.zeros((3, 3))], [v, w]])
                left = (-ad.T if sign.endswith("}") else ad) @ right
            else:
                left = np.cross(left, right)
        return left

    def product(self):
        total = None
        while (factor := self.factor()) is not None:
            if total is None:
                total = factor
            elif total.ndim == 0 or factor.ndim == 0:
                total = total * factor
            else:
                total = total @ factor
        if total is None:
            raise Unreadable(self.rest)
        return total

    def factor(self):
        if self.rest[:1] in ("", "+", "-", ")", "="):
            return None
        if self.take(r"\mathrm{tr}("):
            value = np.trace(self.inside())
        elif self.rest.startswith(r"\times"):
            return None
        elif found := self.take(*self.symbols):
            value = self.letters[found]
        elif self.take("("):
            value = self.inside()
        elif found := self.take(*CONSTANTS):
            value = np.asarray(CONSTANTS[found])
        else:
            raise Unreadable(self.rest)
        while raised := self.take("^{T}", "^{2}", r"^{\vee}", "^{-1}"):
            if raised == "^{T}":
                value = value.T
            elif raised == "^{-1}":
                value = np.linalg.inv(value)
            elif raised == "^{2}":
                value = value * value
            else:
                value = np.array([value[2, 1], value[0, 2], value[1, 0]])
        return np.asarray(value)

    def inside(self):
        value = self.sum()
        if not self.take(")"):
            raise Unreadable(self.rest)
        return value


def _skew(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
