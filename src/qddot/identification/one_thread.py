"""Many small factorisations are quickest on one thread of the linear algebra library.

With as many threads as cores, OpenBLAS spends its time waiting: on two busy cores the factors of a
log took from 20 to 200 times as long.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@contextmanager
def one_thread() -> Iterator[None]:
    """Let linear algebra use one thread meanwhile."""
    with controller().limit(limits=1, user_api="blas"):
        yield


@cache
def controller() -> Any:
    """Return what knows the linear algebra libraries of this process."""
    import scipy.linalg  # noqa: F401  # which brings its own
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
