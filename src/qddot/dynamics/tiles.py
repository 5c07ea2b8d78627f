"""Products and inverses of large matrices, a square tile at a time.

A tile is a function's input and its result, so that the same few functions, called often, do what
a straight line would write out. As in `stretches`, `called` calls them, as they are or as blocks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qddot.dynamics.forward import inverse
from qddot.dynamics.stretches import Array, Called
from qddot.spatial.vector import vector

SIZES = range(5, 11)  # of a tile: rows and columns
REGISTER_ROWS = 4  # rows and columns that are computed at once: as many sums as registers hold


class ProductForm(NamedTuple):
    """Which product is subtracted: a b, aᵀ b or a bᵀ."""

    a_turned: bool = False
    b_turned: bool = False


class RowForm(NamedTuple):
    """Of a row of a symmetric matrix times a column: up to which tile they are not turned."""

    last: int
    called: Called


class Tiles(NamedTuple):
    """A matrix in tiles, by row and column; of a symmetric one, those below the diagonal."""

    of: dict[tuple[int, int], Array]
    size: int  # of a tile
    rows: int  # of the matrix

    def whole(self, symmetric: bool = False) -> np.ndarray:
        """Return the matrix, without what fills its last tiles."""
        size, count = self.size, 1 + max(i for i, _ in self.of)
        columns = 1 + max(j for _, j in self.of)
        full = np.zeros((count * size, columns * size), dtype=object)
        for (i, j), tile in self.of.items():
            full[i * size : (i + 1) * size, j * size : (j + 1) * size] = tile
        full = full[: self.rows, : self.rows]
        if symmetric:
            for i in range(self.rows):
                full[i, i + 1 :] = full[i + 1 :, i]
        return full


def tile_size(n: int) -> int:
    """Return the size of tiles that fill a matrix of n rows with the fewest rows to spare."""
    return min(SIZES, key=lambda size: (-(-n // size) * size, -size))


def in_tiles(A: Array, called: Called, lower: bool = False, diagonal: int = 0) -> Tiles:
    """Return a square matrix in tiles, filled up with zeros and, on the diagonal, a number."""
    n = len(A)
    size = tile_size(n)
    count = -(-n // size)
    full = np.zeros((count * size, count * size), dtype=object)
    full[:n, :n] = A
    for i in range(n, count * size):
        full[i, i] = diagonal
    found = {}
    for i in range(count):
        for j in range(i + 1 if lower else count):
            part = full[i * size : (i + 1) * size, j * size : (j + 1) * size]
            found[i, j] = called(same, None, tile=vector([list(row) for row in part]))
    return Tiles(found, size, n)


def same(form: None, tile: Array) -> Array:
    """Return a tile: as a block, its entries lie side by side."""
    return tile


def less_product(form: ProductForm, c: Array, a: Array, b: Array) -> Array:
    """Return c − a b, with a or b turned."""
    return _less(c, a.T if form.a_turned else a, b.T if form.b_turned else b)


def minus_product(form: None, a: Array, b: Array) -> Array:
    """Return −a b."""
    return _less(np.zeros((len(a), b.shape[1]), dtype=int), a, b)


def _less(c: Array, a: Array, b: Array) -> Array:
    """Return c − a b, some rows and columns at a time: their sums stay in registers."""
    rows, columns, k = len(a), b.shape[1], a.shape[1]
    found = [list(row) for row in c]
    for i0 in range(0, rows, REGISTER_ROWS):
        for j0 in range(0, columns, REGISTER_ROWS):
            for l in range(k):
                for i in range(i0, min(i0 + REGISTER_ROWS, rows)):
                    for j in range(j0, min(j0 + REGISTER_ROWS, columns)):
                        found[i][j] = found[i][j] - a[i, l] * b[l, j]
    return vector(found)


def inverse_of_tile(form: None, tile: Array) -> tuple[Array, Array]:
    """Return the inverse of a symmetric positive definite tile, and minus that."""
    full = inverse(tile)
    P = vector([list(row) for row in full])
    return P, -P


def row_times_column(form: RowForm, **tiles: Array) -> Array:
    """Return −Σ aₖ bₖ; behind the last that the form says, aₖ is turned."""
    count = len(tiles) // 2
    total = None
    for k in range(count):
        a, b = tiles[f"a{k}"], tiles[f"b{k}"]
        if total is None:
            total = form.called(minus_product, None, a=a, b=b)
        else:
            turned = ProductForm(a_turned=k > form.last)
            total = form.called(less_product, turned, c=total, a=a, b=b)
    return total


def inverse_by_tiles(M: Tiles, called: Called) -> Tiles:
    """Return the inverse of a symmetric positive definite matrix, both by their lower tiles.

    As `forward.inverse`, from the last row of tiles on, with W = −L⁻¹ below the diagonal:

        M = Lᵀ D L        M⁻¹ = L⁻¹ D⁻¹ L⁻ᵀ
    """
    H, count = dict(M.of), 1 + max(i for i, _ in M.of)
    P: dict[int, Array] = {}
    L: dict[tuple[int, int], Array] = {}
    for k in reversed(range(count)):
        P[k], minus = called(inverse_of_tile, None, tile=H[k, k])
        for i in range(k):
            L[k, i] = called(minus_product, None, a=minus, b=H[k, i])
        for i in range(k):
            for j in range(i + 1):
                turned = ProductForm(a_turned=True)
                H[i, j] = called(less_product, turned, c=H[i, j], a=H[k, i], b=L[k, j])
    W: dict[tuple[int, int], Array] = {}
    V: dict[tuple[int, int], Array] = {}  # L⁻¹ D⁻¹
    found: dict[tuple[int, int], Array] = {}
    for i in range(count):
        for j in reversed(range(i)):
            W[i, j] = L[i, j]
            for k in range(j + 1, i):
                W[i, j] = called(less_product, ProductForm(), c=W[i, j], a=L[i, k], b=W[k, j])
            V[i, j] = called(minus_product, None, a=W[i, j], b=P[j])
        for j in range(i + 1):
            total = V.get((i, j), P[i])
            for k in range(j):
                turned = ProductForm(b_turned=True)
                total = called(less_product, turned, c=total, a=V[i, k], b=W[j, k])
            found[i, j] = total
    return Tiles(found, M.size, M.rows)


def minus_symmetric_product(A: Tiles, B: Tiles, called: Called) -> Tiles:
    """Return −A B of a symmetric A, given by its lower tiles."""
    count = 1 + max(i for i, _ in A.of)
    columns = sorted({j for _, j in B.of})
    found = {}
    for j in columns:
        for i in range(count):
            given = {f"a{k}": A.of[max(i, k), min(i, k)] for k in range(count)}
            given |= {f"b{k}": B.of[k, j] for k in range(count)}
            found[i, j] = called(row_times_column, RowForm(i, called), **given)
    return Tiles(found, A.size, A.rows)


def minus_product_with_vector(A: Tiles, x: Array, called: Called) -> Array:
    """Return −A x of a symmetric A, given by its lower tiles."""
    spare = [0] * (A.size * (1 + max(i for i, _ in A.of)) - A.rows)
    rows = vector([*x, *spare]).reshape(-1, A.size, 1)
    column = Tiles({(k, 0): row for k, row in enumerate(rows)}, A.size, A.rows)
    found = minus_symmetric_product(A, column, called)
    return vector([y for tile in found.of.values() for (y,) in tile][: A.rows])
