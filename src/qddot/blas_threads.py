"""Threads of the linear algebra of NumPy and SciPy: one alone for many small factorisations."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path

CALLERS = ("numpy.linalg._umath_linalg", "scipy.linalg._flapack")  # compiled, linked with a BLAS
COUNTS = (  # names of the functions that return and set the number of threads of a BLAS
    ("scipy_openblas_get_num_threads64_", "scipy_openblas_set_num_threads64_"),  # NumPy's wheels
    ("scipy_openblas_get_num_threads", "scipy_openblas_set_num_threads"),  # SciPy's wheels
    ("openblas_get_num_threads64_", "openblas_set_num_threads64_"),
    ("openblas_get_num_threads", "openblas_set_num_threads"),  # of a system
    ("MKL_Get_Max_Threads", "MKL_Set_Num_Threads"),
)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let linear algebra use one thread meanwhile: it is quickest for many small factorisations.

    With as many threads as cores, OpenBLAS spends its time waiting: on two busy cores the factors
    of a log took from 20 to 200 times as long. A BLAS of another name keeps its threads.
    """
    before = [(change, count()) for count, change in thread_counts()]
    try:
        for change, _ in before:
            change(1)
        yield
    finally:
        for change, number in before:
            change(number)


@cache
def thread_counts() -> list[tuple[Callable[[], int], Callable[[int], object]]]:
    """Return the functions that return and set the number of threads, of each BLAS found."""
    files = [Path(spec.origin) for x in CALLERS if (spec := find_spec(x)) and spec.origin]
    # a name is looked up in what the caller is linked with too, but not on Windows
    for site, package in [(file.parents[2], file.parents[1].name) for file in files]:
        files += site.glob(f"{package}.libs/*openblas*.dll")
    libraries = [ctypes.CDLL(str(file)) for file in files]
    pairs = [[getattr(x, name, None) for name in names] for x in libraries for names in COUNTS]
    return [(count, change) for count, change in pairs if count and change]
