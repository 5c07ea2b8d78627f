"""A compiled Python function for one state: NumPy arrays in, NumPy array out, in 0.2 µs.

It looks at its arguments as the interpreter does, and takes the short way when each is exactly
what a program wants (an array of the right shape and type, contiguous and aligned). For anything
else it calls the general way with the same arguments. Arguments that choose a program (the name of
a frame, axes, which wrenches there are) and keywords are part of what it knows: each layout of a
call is compiled when it first comes with one state, so looking at it costs nothing.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from inspect import Parameter, Signature, getdoc, signature
from itertools import pairwise
from typing import Any

import numpy as np

from qddot.backends.call_assembly import TABLE, link_module, texts_of
from qddot.backends.call_layout import CallLayout, KernelCall, layout_of
from qddot.backends.gufunc import ARRAY_NEW, SCALAR_NEW, array_table, as_assumed
from qddot.backends.ir import Lanes
from qddot.backends.llvm import MachineCode, compile_module

METH_FASTCALL_KEYWORDS = 0x0080 | 0x0002
MOST_LAYOUTS = 64  # of a function; more take the general way


class MethodDefinition(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def make_fastcall(name: str, general: Callable[..., Any], asked: Callable[..., Any]) -> Any:
    """Return a builtin function for one state that hands everything unusual to the general way.

    Args:
        name: What the function is called.
        general: What it does, for any arguments; its signature and text are the function's.
        asked: Takes the same arguments and gives the `KernelCall` that this is, not made yet; or
            the result itself, where it is no single call of a kernel.
    """
    return FastCall(name, general, asked).function() if as_assumed() else general


class FastCall:
    """What stands behind the builtin function and keeps alive what that runs."""

    def __init__(self, name: str, general: Callable[..., Any], asked: Callable[..., Any]):
        self.general, self.asked = general, asked
        self.links: dict[CallLayout, tuple[Any, ...]] = {}  # and what each of them needs
        self.code: list[MachineCode] = []  # of every `call` that has ever been the function
        self.first = np.zeros(1, np.int64)  # the address of the table of the chain's first link
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
        # a tuple keeps what it holds while the garbage collector takes a cycle apart, and the
        # function looks at its definition until it is gone itself
        owner = Owner((self.first, self, self.definition))
        return new(ctypes.addressof(self.definition), owner, None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        call = self.asked(*args, **kwargs)
        if not isinstance(call, KernelCall):
            return call
        if call.is_one_state() and self._linked(args, kwargs, call):
            return self.function()(*args, **kwargs)
        return call()

    def _linked(self, args: tuple, kwargs: dict[str, Any], call: KernelCall) -> bool:
        """Compile a link for calls as this one, if there is none yet and there may be one."""
        layout = layout_of(self.asked, args, kwargs)
        if layout is None or layout in self.links or len(self.links) >= MOST_LAYOUTS:
            return False
        kernel = call.kernel
        lanes, results = Lanes(1, single=kernel.dtype == np.float32), kernel.results
        state: MachineCode = kernel.one_state
        named, guarded = results is not tuple, kernel.otherwise is not None
        code = compile_module(link_module(layout, kernel.program, lanes, named, guarded))
        texts = texts_of(layout)
        addresses = {
            "link": code.address("link"),
            "next": 0,
            "state": state.address("state"),
            "new tuple": _address("PyType_GenericAlloc" if named else "PyTuple_New"),
            "results": id(results),
            "dtype": id(kernel.dtype),
            **_fixed_addresses(),
        }
        table = np.array([*(addresses[what] for what in TABLE), *map(id, texts)], np.int64)
        # of several threads that are here at once one is first, and each makes the same chain
        self.links.setdefault(layout, (table, texts, code, state, kernel.dtype, results))
        tables = [each for each, *_ in list(self.links.values())]
        for one, following in pairwise(tables):
            one[TABLE.index("next")] = following.ctypes.data
        self.first[0] = tables[0].ctypes.data
        self.definition.function = code.address("call")
        self.code.append(code)
        return True


class Owner(tuple):
    """What a builtin function holds, and belongs to: (its chain's start, `FastCall`, definition).

    Python pickles a builtin function by its name as an attribute of what it belongs to; for that,
    an owner stands for what has the general way as its method.
    """

    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self[1](*args, **kwargs)

    def __reduce__(self) -> tuple:
        return _itself, (getattr(self[1].general, "__self__", None),)


def _itself(whose: Any) -> Any:
    return whose


def _documentation(name: str, general: Callable[..., Any]) -> str:
    """Return signature and text in the form in which builtin functions carry them."""
    known = signature(general).parameters.values()
    bare = [p.replace(annotation=Parameter.empty) for p in known]
    first = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    text = str(Signature([first, *bare])).replace("(self", "($self", 1)
    return f"{name}{text}\n--\n\n{getdoc(general) or ''}"


def _fixed_addresses() -> dict[str, int]:
    return {
        "array type": id(np.ndarray),
        "text type": id(str),
        "dict type": id(dict),
        "tuple type": id(tuple),
        "new array": array_table()[ARRAY_NEW],
        "new scalar": array_table()[SCALAR_NEW],
        "vectorcall": _address("PyObject_Vectorcall"),
        "compare texts": _address("PyUnicode_Compare"),
        "item of dict": _address("PyDict_GetItem"),
        "length of dict": _address("PyDict_Size"),
        "take": _address("Py_IncRef"),
        "let go": _address("Py_DecRef"),
    }


def _address(name: str) -> int:
    """Return where a function of the interpreter is."""
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
