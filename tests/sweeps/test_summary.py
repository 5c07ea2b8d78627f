"""Figures of values that come in pieces: those of all of them at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nearness import ROUND_OFF
from strategies import seeds

from qddot.sweeps.summary import StreamedMoments

SPREAD = 1e-9  # of a spread of 1 about a mean of a million, whose squares have lost twelve digits
PLACES = {"p05": 0.0, "median": 0.0, "p95": 0.0}


@given(seed=seeds, far=st.sampled_from([0.0, 1e6]), pieces=st.integers(1, 6))
def test_pieces_have_the_figures_of_the_whole(seed, far, pieces):
    """Also far from zero, where a sum of squares less the square of a sum has no digits left."""
    rng = np.random.default_rng(seed)
    values = far + rng.normal(size=40)
    values[rng.integers(40, size=3)] = [np.nan, np.inf, -np.inf]
    found = StreamedMoments()
    for piece in np.split(values, np.sort(rng.integers(0, 41, pieces - 1))):
        found.add(piece)
    spread, good = found.spread(PLACES), values[np.isfinite(values)]
    assert (spread.count, spread.missing) == (len(good), 40 - len(good))
    assert (spread.min, spread.max) == (good.min(), good.max())
    assert spread.mean == pytest.approx(good.mean(), rel=ROUND_OFF, abs=ROUND_OFF)
    assert spread.std == pytest.approx(good.std(), rel=SPREAD)


def test_without_a_finite_value_nothing_is_known():
    found = StreamedMoments()
    found.add(np.array([np.nan, np.inf]))
    found.add(np.array([]))
    spread = found.spread(PLACES)
    assert (spread.count, spread.missing) == (0, 2)
    assert np.isnan([spread.mean, spread.std, spread.min, spread.max]).all()
