"""A compiled Python function for one state: NumPy arrays in, NumPy array out, in 0.2 µs.

It looks at its arguments as the interpreter does, and takes the short way when each is exactly
what a program wants (an array of the right shape and type, contiguous and aligned). For anything
else it calls the general way with the same arguments. It is compiled when it is first called with
one state, so looking at it costs nothing.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from inspect import Parameter, Signature, getdoc, signature
from types import MethodType
from typing import Any

import numpy as np

from qddot.backends.ir import Lanes
from qddot.backends.llvm import MachineCode, compile_module
from qddot.backends.loops import module, single_state
from qddot.patience import patience
from qddot.program.program import Program

# where the fields of an array object are, in bytes (NumPy 1 and 2, 64 bit)
DATA, NDIM, SHAPE, DESCR, FLAGS = 16, 24, 32, 56, 64
CONTIGUOUS_AND_ALIGNED = 0x0001 | 0x0100
METH_FASTCALL_KEYWORDS = 0x0080 | 0x0002
ARRAY_NEW, SCALAR_NEW = 93, 60  # their places in NumPy's table of array functions
TYPE_NUMBERS = {8: 12, 4: 11}  # of float64 and float32, by size

# the addresses that differ from run to run stand in a table, so that the code can be kept
TABLE = ("array type", "dtype", "new array", "vectorcall", "new tuple", "new scalar")


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
    return Front(name, general, program, dtype).function() if supported() else general


class Front:
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
        owner = MethodType(_call, (self, self.definition))
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
        with patience(f"compiling {program.name}"):
            out, state = single_state(program, lanes)
            code = compile_module(module(out, [*state, *call_function(program, lanes)]))
        table = (ctypes.c_int64 * len(TABLE)).from_address(code.address("table"))
        table[:] = _addresses(self.dtype)
        self.code.append(code)  # one more where threads were here at once: none may go
        self.definition.function = code.address("call")


def _call(owner: tuple, *args: Any, **kwargs: Any) -> Any:
    return owner[0](*args, **kwargs)


def _documentation(name: str, general: Callable[..., Any]) -> str:
    """Return signature and text in the form in which builtin functions carry them."""
    known = signature(general).parameters.values()
    bare = [p.replace(annotation=Parameter.empty) for p in known]
    first = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    text = str(Signature([first, *bare])).replace("(self", "($self", 1)
    return f"{name}{text}\n--\n\n{getdoc(general) or ''}"


def call_function(program: Program, lanes: Lanes) -> list[str]:
    """Return the assembly of `call(self, args, nargs, kwnames)`."""
    inputs, outputs = program.inputs, program.outputs
    lines = [
        f"@table = global [{len(TABLE)} x i64] zeroinitializer",
        "define ptr @call(ptr %self, ptr %args, i64 %nargs, ptr %names) #0 {",
        "entry:",
        "  %named = icmp ne ptr %names, null",
        f"  %few = icmp ne i64 %nargs, {len(inputs)}",
        "  %odd = or i1 %named, %few",
        f"  br i1 %odd, label %general, label %{'check0' if inputs else 'ready'}",
    ]
    for k, port in enumerate(inputs):
        following = f"check{k + 1}" if k + 1 < len(inputs) else "ready"
        lines += _check_argument(k, port.shape, following)
    lines.append("ready:")
    for k, port in enumerate(outputs):
        if port.shape:
            lines += _new_array(k, port.shape, lanes)
        else:
            lines.append(f"  %rd{k} = alloca {lanes.scalar}")
    for k in range(len(inputs)):
        lines += [
            f"  %p{k} = getelementptr i8, ptr %o{k}, i64 {DATA}",
            f"  %d{k} = load ptr, ptr %p{k}",
        ]
    pointers = [f"ptr %d{k}" for k in range(len(inputs))]
    pointers += [f"ptr %rd{k}" for k in range(len(outputs))]
    lines.append(f"  call void @state({', '.join(pointers)})")
    for k, port in enumerate(outputs):
        if not port.shape:
            lines += _new_scalar(k)
    lines += _return(len(outputs))
    general = _entry("vectorcall", "vc")
    lines += [
        "general:",
        *general,
        "  %answer = call ptr %vc(ptr %self, ptr %args, i64 %nargs, ptr %names)",
        "  ret ptr %answer",
        "failed:",
        "  ret ptr null",
        "}",
    ]
    return lines


def _entry(what: str, name: str) -> list[str]:
    at = TABLE.index(what)
    return [
        f"  %{name}.at = getelementptr [{len(TABLE)} x i64], ptr @table, i64 0, i64 {at}",
        f"  %{name} = load ptr, ptr %{name}.at",
    ]


def _check_argument(k: int, shape: tuple[int, ...], following: str) -> list[str]:
    """Go on only with an array of exactly this shape, of the right type, contiguous, aligned."""
    lines = [
        f"check{k}:",
        *_entry("array type", f"at{k}"),
        *_entry("dtype", f"dt{k}"),
        f"  %a{k} = getelementptr ptr, ptr %args, i64 {k}",
        f"  %o{k} = load ptr, ptr %a{k}",
        f"  %ty.at{k} = getelementptr i8, ptr %o{k}, i64 8",
        f"  %ty{k} = load ptr, ptr %ty.at{k}",
        f"  %is{k} = icmp eq ptr %ty{k}, %at{k}",
        f"  br i1 %is{k}, label %fields{k}, label %general",
        f"fields{k}:",
        f"  %nd.at{k} = getelementptr i8, ptr %o{k}, i64 {NDIM}",
        f"  %nd{k} = load i32, ptr %nd.at{k}",
        f"  %de.at{k} = getelementptr i8, ptr %o{k}, i64 {DESCR}",
        f"  %de{k} = load ptr, ptr %de.at{k}",
        f"  %fl.at{k} = getelementptr i8, ptr %o{k}, i64 {FLAGS}",
        f"  %fl{k} = load i32, ptr %fl.at{k}",
        f"  %set{k} = and i32 %fl{k}, {CONTIGUOUS_AND_ALIGNED}",
        f"  %x{k} = icmp eq i32 %nd{k}, {len(shape)}",
        f"  %y{k} = icmp eq ptr %de{k}, %dt{k}",
        f"  %z{k} = icmp eq i32 %set{k}, {CONTIGUOUS_AND_ALIGNED}",
        f"  %xy{k} = and i1 %x{k}, %y{k}",
        f"  %xyz{k} = and i1 %xy{k}, %z{k}",
        f"  br i1 %xyz{k}, label %size{k}, label %general",
        f"size{k}:",
        f"  %sh.at{k} = getelementptr i8, ptr %o{k}, i64 {SHAPE}",
        f"  %sh{k} = load ptr, ptr %sh.at{k}",
        f"  %fit{k}.0 = icmp eq i64 0, 0",
    ]
    for d, length in enumerate(shape):
        lines += [
            f"  %le.at{k}.{d} = getelementptr i64, ptr %sh{k}, i64 {d}",
            f"  %le{k}.{d} = load i64, ptr %le.at{k}.{d}",
            f"  %eq{k}.{d} = icmp eq i64 %le{k}.{d}, {length}",
            f"  %fit{k}.{d + 1} = and i1 %fit{k}.{d}, %eq{k}.{d}",
        ]
    return [*lines, f"  br i1 %fit{k}.{len(shape)}, label %{following}, label %general"]


def _new_array(k: int, shape: tuple[int, ...], lanes: Lanes) -> list[str]:
    lines = [f"  %shape{k} = alloca i64, i64 {len(shape)}"]
    for d, length in enumerate(shape):
        lines += [
            f"  %s{k}.{d} = getelementptr i64, ptr %shape{k}, i64 {d}",
            f"  store i64 {length}, ptr %s{k}.{d}",
        ]
    call = (
        f"call ptr %new{k}(ptr %type{k}, i32 {len(shape)}, ptr %shape{k}, "
        f"i32 {TYPE_NUMBERS[lanes.size]}, ptr null, ptr null, i32 0, i32 0, ptr null)"
    )
    return [
        *lines,
        *_entry("new array", f"new{k}"),
        *_entry("array type", f"type{k}"),
        f"  %r{k} = {call}",
        f"  %null{k} = icmp eq ptr %r{k}, null",
        f"  br i1 %null{k}, label %failed, label %made{k}",
        f"made{k}:",
        f"  %rp{k} = getelementptr i8, ptr %r{k}, i64 {DATA}",
        f"  %rd{k} = load ptr, ptr %rp{k}",
    ]


def _new_scalar(k: int) -> list[str]:
    return [
        *_entry("new scalar", f"ns{k}"),
        *_entry("dtype", f"nt{k}"),
        f"  %r{k} = call ptr %ns{k}(ptr %rd{k}, ptr %nt{k}, ptr null)",
    ]


def _return(outputs: int) -> list[str]:
    if outputs == 1:
        return ["  ret ptr %r0"]
    lines = [*_entry("new tuple", "nt"), f"  %tuple = call ptr %nt(i64 {outputs})"]
    lines += ["  %none = icmp eq ptr %tuple, null", "  br i1 %none, label %failed, label %fill"]
    lines.append("fill:")
    for k in range(outputs):
        # the items of a tuple stand behind its head, which has a hash in it since Python 3.14
        lines += [
            f"  %item{k} = getelementptr i8, ptr %tuple, i64 {tuple.__basicsize__ + 8 * k}",
            f"  store ptr %r{k}, ptr %item{k}",
        ]
    return [*lines, "  ret ptr %tuple"]


@cache
def supported() -> bool:
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
        and _array_table()[2] == id(np.ndarray)
    )


@cache
def _array_table() -> Any:
    from numpy._core import _multiarray_umath as core  # type: ignore[attr-defined]  # private, but stable since NumPy 1.7

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return (ctypes.c_void_p * 300).from_address(pointer(core._ARRAY_API, None))


def _addresses(dtype: np.dtype) -> list[int]:
    return [
        id(np.ndarray),
        id(dtype),
        _array_table()[ARRAY_NEW],
        _address("PyObject_Vectorcall"),
        _address("PyTuple_New"),
        _array_table()[SCALAR_NEW],
    ]


def _address(name: str) -> int:
    """Return where a function of the interpreter is."""
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
