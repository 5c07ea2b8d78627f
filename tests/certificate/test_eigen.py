"""What certified eigenvalues rest on: factors of matrices, and bounds of the largest."""

import numpy as np
from flint import arb
from hypothesis import example, given
from hypothesis import strategies as st
from nearness import CANCELLED, assert_close
from strategies import seeds

from qddot.certificate.eigen import balance, factors, not_below_largest, smallest_pivot


def symmetric(seed, n):
    A = np.random.default_rng(seed).normal(size=(n, n))
    return A + A.T


@given(seed=seeds, n=st.integers(1, 6))
def test_factors_multiply_to_the_matrix_and_their_signs_are_those_of_its_eigenvalues(seed, n):
    """Sylvester's law of inertia: what makes a positive pivot a proof."""
    S = symmetric(seed, n) + np.diag(np.random.default_rng(seed).choice([-4, 0, 4], n))
    below, pivots = factors(S)
    L = np.eye(n) + np.array(below, dtype=float)
    size = np.abs(L).max() ** 2 * np.abs(pivots).max()
    assert np.abs(L @ np.diag(pivots) @ L.T - S).max() <= CANCELLED * size
    values = np.linalg.eigvalsh(S)
    if np.abs(values).min() > CANCELLED * size:
        assert (np.array(pivots) > 0).sum() == (values > 0).sum()
        assert (smallest_pivot(S) > 0) == (values[0] > 0)


@given(seed=seeds, n=st.integers(1, 6))
def test_the_balance_is_the_diagonal_of_the_inverse(seed, n):
    A = symmetric(seed, n)
    S = A @ A + np.eye(n)
    assert_close(np.square(balance(S)), np.diag(np.linalg.inv(S)), CANCELLED)


@given(seed=seeds, n=st.integers(1, 5), radius=st.sampled_from([0.0, 1e-12, 1e-3]))
@example(seed=890714, n=5, radius=1e-3)  # factors of the balls themselves gave 18 n radius
def test_no_matrix_in_the_balls_has_a_larger_eigenvalue(seed, n, radius):
    rng = np.random.default_rng(seed)
    A = symmetric(seed, n)
    found = not_below_largest([arb(float(x), radius) for x in A[np.triu_indices(n)]], n)
    for _ in range(5):
        D = rng.choice([-radius, radius], (n, n))
        inside = A + np.triu(D) + np.triu(D, 1).T
        largest = np.linalg.eigvalsh(inside)[-1]
        assert largest <= found + CANCELLED
    assert found <= np.linalg.eigvalsh(A)[-1] + n * radius + CANCELLED
