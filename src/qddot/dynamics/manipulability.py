"""How well a frame can be moved: Yoshikawa's manipulability, one number of its Jacobian."""

from __future__ import annotations

import numpy as np

from qddot.dynamics.effective_mass import is_zero
from qddot.dynamics.kinematics import jacobian
from qddot.model.tree import Tree
from qddot.scalars import ConfigVec, Scalar, sqrt

TINY = 1e-30  # no length, but one that single precision has
ROWS = {"linear": slice(3, 6), "angular": slice(0, 3), "all": slice(0, 6)}  # of J


def manipulability(tree: Tree, q: ConfigVec, frame: str, axes: str = "linear") -> Scalar:
    """Return w = √det(J Jᵀ), the product of the singular values of J.

    Rows of J that are zero whatever q is are left out. Where more rows are left than joints move
    the frame, it is √det(Jᵀ J), the product of as many singular values as there are joints. The
    rows (or columns) are made orthogonal one after the other, and w is the product of what is left
    of their lengths: J Jᵀ, whose condition is squared, is never formed (Yoshikawa, *Foundations of
    Robotics*, MIT Press 1990, section 4.2).

    The frame is a link or a frame by name; the axes are "linear" for the velocity of the frame's
    origin, "angular" for its turning, "all" for both, which mixes units.
    """
    J = jacobian(tree, q, frame)[ROWS[axes]]
    vectors, columns = ([x for x in side if not all(map(is_zero, x))] for side in (J, J.T))
    if len(vectors) > len(columns):
        vectors = columns
    product: Scalar = 1 if vectors else 0
    while vectors:
        first, *rest = vectors
        length = sqrt(first @ first)
        product = product * length
        if is_zero(length):
            return 0
        unit = first / np.maximum(length, TINY)
        vectors = [x - (x @ unit) * unit for x in rest]
    return product
