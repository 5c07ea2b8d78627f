"""A compiled Python function for one state: NumPy arrays in, NumPy array out, in 0.2 µs.

It looks at its arguments as the interpreter does, and takes the short way when each is exactly
what a program wants (an array of the right shape and type, contiguous and aligned). For anything
else it calls the general way with the same arguments. It is compiled when it is first called with
one state, so looking at it costs nothing.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from inspect import Parameter, Signature, getdoc, signature
from types import MethodType
from typing import Any

import numpy as np

from qddot.backends.call_assembly import TABLE, call_function
from qddot.backends.gufunc import ARRAY_NEW, SCALAR_NEW, array_table, as_assumed
from qddot.backends.ir import Lanes
from qddot.backends.llvm import MachineCode, compile_module
from qddot.backends.loops import module, single_state
from qddot.program.program import Program
from qddot.progress import message_if_slow

METH_FASTCALL_KEYWORDS = 0x0080 | 0x0002


class MethodDefinition(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def make_fastcall(
    name: str, general: Callable[..., Any], program: Callable[[], Program], dtype: np.dtype
) -> Any:
    """Return a builtin function for one state that hands everything unusual to `general`.

    Args:
        name: What the function is called.
        general: What it does, for any arguments; its signature and text are the function's.
        program: Gives the program of one state, when that is needed.
        dtype: The type that exact arrays have.
    """
    return FastCall(name, general, program, dtype).function() if as_assumed() else general


class FastCall:
    """What stands behind the builtin function and keeps alive what that runs."""

    def __init__(
        self, name: str, general: Callable[..., Any], program: Callable[[], Program], dtype: Any
    ):
        self.general, self.program, self.dtype = general, program, dtype
        self.wanted: list[tuple] = []
        self.code: list[MachineCode] = []
        # calling its owner has the form of such a function: what runs until there is a better one
        self.definition = MethodDefinition(
            name.encode(),
            _address("PyObject_Vectorcall"),
            METH_FASTCALL_KEYWORDS,
            _documentation(name, general).encode(),
        )

    def function(self) -> Any:
        """Return the builtin function."""
        new = ctypes.pythonapi.PyCFunction_NewEx
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
        # a method and a tuple keep what they hold while the garbage collector takes a cycle apart,
        # and the function looks at its definition until it is gone itself
        owner = MethodType(_call, Owner((self, self.definition)))
        return new(ctypes.addressof(self.definition), owner, None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.code and not kwargs and self._is_one_state(args):
            self._compile()
            return self.function()(*args)
        return self.general(*args, **kwargs)

    def _is_one_state(self, args: tuple) -> bool:
        self.wanted = self.wanted or [(port.shape, self.dtype) for port in self.program().inputs]
        return self.wanted == [(x.shape, x.dtype) for x in args if type(x) is np.ndarray]

    def _compile(self) -> None:
        program = self.program()
        lanes = Lanes(1, single=self.dtype == np.float32)
        with message_if_slow(f"compiling {program.name}"):
            out, state = single_state(program, lanes)
            code = compile_module(module(out, [*state, *call_function(program, lanes)]))
        table = (ctypes.c_int64 * len(TABLE)).from_address(code.address("table"))
        table[:] = _addresses(self.dtype)
        self.code.append(code)  # one more where threads were here at once: none may go
        self.definition.function = code.address("call")


class Owner(tuple):
    """What a builtin function holds. It pickles as what has the general way for its method."""

    __slots__ = ()

    def __reduce__(self) -> tuple:
        return Reached, (getattr(self[0].general, "__self__", None),)


class Reached:
    """Stands for an owner while a method of it is read from a pickle.

    Python pickles a builtin function by its name as an attribute of what it belongs to, and that
    again, which is a method of an owner, as `_call` of the owner.
    """

    def __init__(self, whose: Any) -> None:
        self._call = whose


def _call(owner: tuple, *args: Any, **kwargs: Any) -> Any:
    return owner[0](*args, **kwargs)


def _documentation(name: str, general: Callable[..., Any]) -> str:
    """Return signature and text in the form in which builtin functions carry them."""
    known = signature(general).parameters.values()
    bare = [p.replace(annotation=Parameter.empty) for p in known]
    first = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    text = str(Signature([first, *bare])).replace("(self", "($self", 1)
    return f"{name}{text}\n--\n\n{getdoc(general) or ''}"


def _addresses(dtype: np.dtype) -> list[int]:
    return [
        id(np.ndarray),
        id(dtype),
        array_table()[ARRAY_NEW],
        _address("PyObject_Vectorcall"),
        _address("PyTuple_New"),
        array_table()[SCALAR_NEW],
    ]


def _address(name: str) -> int:
    """Return where a function of the interpreter is."""
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
