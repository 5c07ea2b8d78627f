"""Programs of long chains: stretches are blocks, recorded and compiled once for equal ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from qddot.dynamics import crba, derivatives, rnea, stretches, tiles
from qddot.dynamics.friction import friction_torque
from qddot.model.tree import Tree
from qddot.program.blocks import Block, record_block

# Bodies from which on a robot is long; measured in batches, times to record and compile are those
# of the processor:
#   slopes    of 32 bodies run equally fast, and compile in 0.5 s instead of 6.5; of 64 they run
#             in about 0.7 of the time (20 µs, 28 µs), and compile in 1 s instead of 25
#   torques   of 64 bodies run 1.1 times as fast, and compile in 0.2 s instead of 0.8
#   matrices  M and C of 64 bodies take 1.15 times as long, but compile in 0.5 and 0.7 s instead
#             of 6 and 14
LONG = {"slopes": 32, "torques": 48, "matrices": 64}


def is_long(tree: Tree, what: str) -> bool:
    """Return whether what `stretches` computes of a robot is recorded a stretch at a time."""
    return len(tree.bodies) >= LONG[what] and derivatives.applies(tree)


def inverse_dynamics(tree: Tree, q: Any, qd: Any, qdd: Any, **acting: Any) -> Any:
    """Return inverse dynamics, of a long chain on which nothing acts by blocks."""
    if acting or not is_long(tree, "torques"):
        return rnea.inverse_dynamics(tree, q, qd, qdd, **acting)
    tau = stretches.rigid_body_torque(tree, q, qd, qdd, as_block)
    return tau + friction_torque(tree, qd) + rnea.elastic_torque(tree, q, qd)


def mass_matrix(tree: Tree, q: Any) -> Any:
    """Return the mass matrix, of a long chain by blocks."""
    if is_long(tree, "matrices"):
        return stretches.mass_matrix(tree, q, as_block)
    return crba.mass_matrix(tree, q)


def bias_torque(tree: Tree, q: Any, qd: Any, **acting: Any) -> Any:
    """Return the torque at q̈ = 0, of a long chain on which nothing acts by blocks."""
    return inverse_dynamics(tree, q, qd, np.zeros(tree.n, dtype=int), **acting)


def forward_slopes(tree: Tree, torque_slopes: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that gives ∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂τ by blocks, matrices in tiles.

    `torque_slopes` gives ∂τ/∂q and ∂τ/∂q̇ at q, q̇, q̈.
    """

    def slopes(q: Any, qd: Any, tau: Any) -> tuple[Any, ...]:
        M = tiles.in_tiles(stretches.mass_matrix(tree, q, as_block), as_block, True, diagonal=1)
        inverse = tiles.inverse_by_tiles(M, as_block)
        missing = bias_torque(tree, q, qd) - tau
        qdd = tiles.minus_product_with_vector(inverse, missing, as_block)
        both = (tiles.in_tiles(x, as_block) for x in torque_slopes(q, qd, qdd))
        found = (tiles.minus_symmetric_product(inverse, x, as_block).whole() for x in both)
        return *found, inverse.whole(symmetric=True)

    return slopes


def as_block(function: Callable[..., Any], form: Any, **arrays: Any) -> Any:
    """Call a function of `dynamics.stretches` as a block."""
    shapes = tuple((name, np.shape(array)) for name, array in arrays.items())
    return _block(function, form, shapes)(*arrays.values())


@lru_cache(maxsize=256)
def _block(
    function: Callable[..., Any], form: Any, shapes: tuple[tuple[str, tuple[int, ...]], ...]
) -> Block:
    names = [name for name, _ in shapes]

    def of_arrays(*arrays: Any) -> Any:
        return function(form, **dict(zip(names, arrays, strict=True)))

    return record_block(of_arrays, function.__name__, **dict(shapes))
