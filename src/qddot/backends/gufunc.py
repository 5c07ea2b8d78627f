"""NumPy from the inside: its tables of C functions, and a compiled loop as a real gufunc of it.

A gufunc broadcasts and lets go of the GIL. NumPy's own constructor is called through its table of C
functions, so nothing has to be compiled against NumPy's headers. All of it is part of NumPy's
binary interface, which programs compiled years ago still rely on; it is checked once, before
anything is built on it.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

import numpy as np

from qddot.backends.llvm import MachineCode
from qddot.program.program import Port, Program

# where the fields of an array object are, in bytes (NumPy 1 and 2, 64 bit)
DATA, NDIM, SHAPE, DESCR, FLAGS = 16, 24, 32, 56, 64
BYTE_ORDER, TYPE_NUMBER = 26, 28  # and those of a dtype
NATIVE = ord("=")  # the order of bytes that the processor has
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
        and [_number_and_order(np.dtype(x)) for x in ("=f8", "=f4")]
        == [(TYPE_NUMBERS[size], NATIVE) for size in (8, 4)]
        and _number_and_order(np.dtype(np.float64).newbyteorder())[1] != NATIVE
        and array_table()[2] == id(np.ndarray)
    )


def address(array: np.ndarray) -> int:
    """Return where the entries of an array begin; NumPy's own way takes seven times as long."""
    if not as_assumed():
        return array.ctypes.data
    return ctypes.c_void_p.from_address(id(array) + DATA).value or 0


def _number_and_order(dtype: np.dtype) -> tuple[int, int]:
    number = ctypes.c_int32.from_address(id(dtype) + TYPE_NUMBER).value
    return number, ctypes.c_int8.from_address(id(dtype) + BYTE_ORDER).value


# where the fields of a gufunc object are, in words; the owner is "obj" in NumPy's headers
FUNCTIONS, TYPES, OWNER = 4, 8, 11


def make_gufunc(program: Program, code: MachineCode, dtype: np.dtype) -> Any:
    """Return the gufunc whose inner loop is the function `loop` of the machine code."""
    ports = [*program.inputs, *program.outputs]
    # NumPy keeps pointers to these, so they must live as long as the gufunc does
    functions = (ctypes.c_void_p * 1)(code.address("loop"))
    data = (ctypes.c_void_p * 1)(None)
    types = (ctypes.c_char * len(ports))(*[TYPE_NUMBERS[dtype.itemsize]] * len(ports))
    name, doc = program.name.encode(), b""
    text = signature(program).encode()
    inputs, outputs = len(program.inputs), len(program.outputs)
    gufunc = _constructor()(
        ctypes.addressof(functions),
        ctypes.addressof(data),
        ctypes.addressof(types),
        *(1, inputs, outputs, -1, name, doc, 0, text),
    )
    _keep_alive(gufunc, (functions, data, types, name, doc, text, code))
    return gufunc


def _keep_alive(gufunc: Any, parts: tuple) -> None:
    """Hand the parts to the gufunc, which lets go of them when it goes itself."""
    field = (ctypes.c_void_p * 12).from_address(id(gufunc))
    as_assumed = field[FUNCTIONS] == ctypes.addressof(parts[0]) and field[OWNER] is None
    if as_assumed and field[TYPES] == ctypes.addressof(parts[2]):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(parts))
        field[OWNER] = id(parts)
    else:
        _alive.append((gufunc, parts))


_alive: list[tuple] = []  # for good: a gufunc may be referred to from anywhere


def signature(program: Program) -> str:
    """Return the core shapes as NumPy writes them: (7),(7)->(7,7)."""

    def shapes(ports: tuple[Port, ...]) -> str:
        return ",".join(f"({','.join(str(k) for k in port.shape)})" for port in ports)

    return f"{shapes(program.inputs)}->{shapes(program.outputs)}"


@cache
def _constructor() -> Any:
    prototype = ctypes.PYFUNCTYPE(
        ctypes.py_object,
        *[ctypes.c_void_p] * 3,
        *[ctypes.c_int] * 4,
        *[ctypes.c_char_p] * 2,
        ctypes.c_int,
        ctypes.c_char_p,
    )
    return prototype(ufunc_table()[GUFUNC_NEW])
