"""Linear algebra uses one thread where it is told to, and as many as before afterwards."""

import numpy as np
import pytest
import scipy

from qddot.blas_threads import one_thread, thread_counts


def counts():
    return [count() for count, _ in thread_counts()]


@pytest.fixture
def two_threads():
    """Two threads for each BLAS, whatever this machine has."""
    before = counts()
    for _, change in thread_counts():
        change(2)
    yield
    for (_, change), number in zip(thread_counts(), before, strict=True):
        change(number)


def test_threads_of_the_linear_algebra_are_given_back(two_threads):
    with one_thread():
        assert set(counts()) <= {1}
        assert np.linalg.eigvals(np.diag([1.0, 2.0])).tolist() == [1, 2]
    assert set(counts()) <= {2}
    with pytest.raises(ZeroDivisionError), one_thread():
        raise ZeroDivisionError
    assert set(counts()) <= {2}


def test_the_openblas_of_numpy_and_of_scipy_are_found():
    configs = [package.show_config(mode="dicts") for package in (np, scipy)]
    names = [config["Build Dependencies"]["blas"]["name"] for config in configs]
    assert len(counts()) >= sum("openblas" in name.lower() for name in names)
