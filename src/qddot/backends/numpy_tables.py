"""NumPy from the inside: its tables of C functions, and where the fields of an array are.

All of it is part of NumPy's binary interface, which programs compiled years ago still rely on; it
is checked once, before anything is built on it.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

import numpy as np

# where the fields of an array object are, in bytes (NumPy 1 and 2, 64 bit)
DATA, NDIM, SHAPE, DESCR, FLAGS = 16, 24, 32, 56, 64
TYPE_NUMBERS = {8: 12, 4: 11}  # of float64 and float32, by size
ARRAY_NEW, SCALAR_NEW = 93, 60  # their places in the table of array functions
GUFUNC_NEW = 31  # its place in the table of ufunc functions


def array_table() -> Any:
    """Return the addresses of NumPy's array functions."""
    return _table("_ARRAY_API", 300)


def ufunc_table() -> Any:
    """Return the addresses of NumPy's ufunc functions."""
    return _table("_UFUNC_API", 64)


@cache
def _table(name: str, size: int) -> Any:
    from numpy._core import _multiarray_umath as core  # type: ignore[attr-defined]  # private, but stable since NumPy 1.7

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return (ctypes.c_void_p * size).from_address(pointer(getattr(core, name), None))


@cache
def as_assumed() -> bool:
    """Return whether this interpreter and this NumPy lay out their objects as assumed here."""
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    if not getattr(sys, "_is_gil_enabled", lambda: True)() or hasattr(sys, "gettotalrefcount"):
        return False
    probe = np.arange(6.0).reshape(2, 3)
    at = id(probe)
    shape = ctypes.c_int64.from_address(at + SHAPE).value
    return (
        ctypes.c_int64.from_address(at + 8).value == id(np.ndarray)
        and ctypes.c_int64.from_address(at + DATA).value == probe.ctypes.data
        and ctypes.c_int32.from_address(at + NDIM).value == 2
        and [ctypes.c_int64.from_address(shape + 8 * k).value for k in (0, 1)] == [2, 3]
        and ctypes.c_int64.from_address(at + DESCR).value == id(np.dtype(np.float64))
        and ctypes.c_int32.from_address(at + FLAGS).value & 0x0103 == 0x0101
        and array_table()[2] == id(np.ndarray)
    )
