"""Explicit methods: the conditions on their weights, and the steps that they make."""

import numpy as np
import pytest

import qddot
from qddot.runge_kutta import RK4, Tableau

HEUN = Tableau(A=((), (1,)), B=(1 / 2, 1 / 2), C=(0, 1))
RALSTON = Tableau(A=((), (2 / 3,)), B=(1 / 4, 3 / 4), C=(0, 2 / 3))


def test_the_weights_of_the_classical_method_meet_all_conditions_of_order_4():
    """E. Hairer, S. Nørsett, G. Wanner, *Solving Ordinary Differential Equations I*, §II.1."""
    A = np.array([[*row, *[0] * (4 - len(row))] for row in RK4.A], dtype=float)
    b, c = np.array(RK4.B), np.array(RK4.C)
    assert A.sum(axis=1) == pytest.approx(c)
    sums = [b.sum(), b @ c, b @ c**2, b @ A @ c, b @ c**3, b @ (c * (A @ c)), b @ A @ c**2]
    assert [*sums, b @ A @ A @ c] == pytest.approx(
        [1, 1 / 2, 1 / 3, 1 / 6, 1 / 4, 1 / 8, 1 / 12, 1 / 24]
    )


@pytest.mark.parametrize(("method", "order"), [(HEUN, 2), (RALSTON, 2), (RK4, 4)])
def test_halving_the_step_divides_the_error_by_two_to_the_order(method, order):
    """Of z′ = z cos t from z(0) = 1, which is exp(sin t)."""
    errors = []
    for steps in (64, 128):
        z, h = np.ones(1), 1 / steps
        for k in range(steps):
            z = method.step(lambda share, z, k=k, h=h: z * np.cos((k + share) * h), z, h)
        errors.append(abs(z[0] - np.exp(np.sin(1.0))))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.1)


def test_a_recorded_step_combines_four_stages_in_nine_operations_an_entry():
    """z + h/2 k three times, and six for the end; h/2, h/6 are shared."""

    def step(z, h, k0, k1, k2, k3):
        rates = iter((k0, k1, k2, k3))
        seen = []

        def rate(share, z):
            seen.append(z)
            return next(rates)

        return {"end": RK4.step(rate, z, h), "seen": np.concatenate(seen[1:])}

    shapes = {"z": (5,), "h": (), **{f"k{i}": (5,) for i in range(4)}}
    program = qddot.record(step, **shapes)
    assert len(program) == 5 * (3 * 2 + 6) + 2
