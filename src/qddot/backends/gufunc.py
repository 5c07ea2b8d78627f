"""A compiled loop as a real NumPy gufunc: it broadcasts and lets go of the GIL.

NumPy's own constructor is called through its table of C functions, so nothing has to be compiled
against NumPy's headers.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from qddot.backends.llvm import MachineCode
from qddot.backends.numpy_tables import GUFUNC_NEW, TYPE_NUMBERS, ufunc_table
from qddot.program.program import Port, Program

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
