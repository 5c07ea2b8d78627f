"""Which columns of a matrix can be told apart, and which only act together.

In the order in which they are named, columns are kept as long as they add a direction. A column d
that adds none is a combination of kept ones, y_d = Σ K_kd y_k, so its parameter joins theirs:

    Y φ = Σ y_k (φ_k + Σ K_kd φ_d) = Y_b β        β = B φ

Parameters nearer to the base come first, so this finds the groups of Khalil's rules: the mass of
a link joins the first and second moments of the link before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

TOLERANCE = 1e-7  # a column with less than this of its own adds no direction
SILENCE = 1e-12  # a column this small beside the largest has no effect
ROUNDING = 1e-9  # of a coefficient as it is written
RESIDUE = 1e-11  # a share this small is a zero that was computed


@dataclass(frozen=True)
class Grouping:
    """The columns of a regressor, sorted out."""

    kept: tuple[int, ...]  # one per group, the first of its members
    none: tuple[int, ...]  # without effect
    B: np.ndarray  # (rank, p): β = B φ
    texts: dict[tuple[int, int], str]  # how a coefficient of B is written, where not as a decimal


def sorted_out(
    Y: np.ndarray, tolerance: float = TOLERANCE, symbols: Mapping[str, float] | None = None
) -> Grouping:
    """Return which columns of a matrix of numbers are kept, and how the others depend on them.

    A share of a column must be its own, of 1. Coefficients are written by lengths where they fit.
    """
    p = Y.shape[1]
    R = triangle(Y) if len(Y) > p else Y
    length = np.linalg.norm(R, axis=0)
    none = length <= SILENCE * length.max(initial=0)
    kept: list[int] = []
    Q = np.zeros((len(R), 0))
    for k in np.flatnonzero(~none).tolist():
        own = R[:, k] / length[k]
        for _ in range(2):  # once more, for what rounding has left
            own = own - Q @ (Q.T @ own)
        distance = np.linalg.norm(own)
        if distance > tolerance:
            kept.append(k)
            Q = np.column_stack([Q, own / distance])
    return Grouping(
        tuple(kept),
        tuple(int(k) for k in np.flatnonzero(none)),
        *_combination(R, length, none, kept, tolerance, symbols or {}),
    )


def _combination(
    R: np.ndarray,
    length: np.ndarray,
    none: np.ndarray,
    kept: list[int],
    tolerance: float,
    symbols: Mapping[str, float],
) -> tuple[np.ndarray, dict[tuple[int, int], str]]:
    """Return B, rounding residue removed, and the texts of its coefficients."""
    p = R.shape[1]
    B = np.zeros((len(kept), p))
    texts: dict[tuple[int, int], str] = {}
    if not kept:
        return B, texts
    rest = [k for k in range(p) if not none[k] and k not in kept]
    B[range(len(kept)), kept] = 1
    if rest:
        scaled = R[:, kept] / length[kept]
        shares = np.linalg.lstsq(scaled, R[:, rest] / length[rest], rcond=None)[0]
        shares[np.abs(shares) < (RESIDUE if tolerance <= TOLERANCE else tolerance)] = 0
        B[:, rest] = shares * length[rest] / length[kept][:, None]
    known = monomials(symbols)
    for i, k in np.argwhere(B).tolist():
        value = float(B[i, k])
        near = round(value, 6)
        B[i, k] = near if abs(near - value) < 1e-12 * max(1, abs(near)) else value
        text = written(value, known)
        if text:
            texts[i, k] = text
    return B, texts


def monomials(symbols: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return products of one or two lengths, also doubled, with their values; simplest first."""
    found = list(symbols.items())
    for (a, x), (b, y) in combinations_with_replacement(symbols.items(), 2):
        found.append((f"{a}²" if a == b else f"{a}·{b}", x * y))
    return found + [(f"2·{name}", 2 * value) for name, value in found]


def written(value: float, known: Sequence[tuple[str, float]]) -> str:
    """Return a coefficient in symbols, or nothing where none fits; 1 stays a number."""
    if abs(abs(value) - 1) < ROUNDING:
        return ""
    for name, size in known:
        if abs(abs(value) - abs(size)) < ROUNDING * abs(size):
            return name if value * size > 0 else f"-{name}"
    return ""


def combination_text(
    names: Sequence[str], row: np.ndarray, first: int, texts: Mapping[int, str]
) -> str:
    """Return Σ c·name, the first member in front, coefficients in symbols or short decimals."""
    order = [first, *(int(k) for k in np.flatnonzero(row) if k != first)]
    parts: list[str] = []
    for k in order:
        text = texts.get(k) or f"{row[k]:.4g}"
        minus = text.startswith("-")
        size = text.lstrip("-")
        if "+" in size or "-" in size.replace("e-", ""):
            size, minus = f"({text})", False
        term = names[k] if size == "1" else f"{size}·{names[k]}"
        if parts:
            parts.append(f" {'-' if minus else '+'} {term}")
        else:
            parts.append(f"{'-' if minus else ''}{term}")
    return "".join(parts)


def triangle(A: np.ndarray, *, overwrite: bool = False) -> np.ndarray:
    """Return R of A = Q R; A may be overwritten if it is stored column after column."""
    from scipy.linalg import get_lapack_funcs

    if not A.size:
        return np.zeros((0, A.shape[1]))
    (geqrf,) = get_lapack_funcs(("geqrf",), dtype=np.dtype(float))
    packed: Any = geqrf(A, overwrite_a=overwrite)[0]
    return np.triu(packed[: min(A.shape)])


def condition(Y: Any) -> float:
    """Return the condition number of a matrix whose columns are scaled to the same length."""
    length = np.linalg.norm(Y, axis=0)
    if not length.size:
        return 1.0
    if not length.all():
        return float("inf")
    values = np.linalg.svd(Y / length, compute_uv=False)
    return float(values[0] / values[-1]) if len(values) == len(length) else float("inf")
