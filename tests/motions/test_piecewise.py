"""Pieces of curves in one variable."""

import numpy as np

from qddot.motions import piecewise


def test_a_quintic_and_its_rate_stay_within_the_hulls_of_their_points():
    draws = np.random.default_rng(4).normal(size=(6, 50))
    h, s = 0.7, np.linspace(0, 0.7, 40)[:, None]
    start, end = tuple(draws[:3]), tuple(draws[3:])
    points = piecewise.control_points(h, start, end)
    p, v, _ = piecewise.horner(piecewise.quintic_between(h, start, end), s)
    for value, hull in ((p, points), (v, 5 / h * np.diff(points, axis=0))):
        assert (value >= hull.min(axis=0) - 1e-12).all()
        assert (value <= hull.max(axis=0) + 1e-12).all()
