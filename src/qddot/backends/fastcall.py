"""A compiled Python function for one state or a batch: NumPy arrays in, NumPy array out, in 0.2 µs.

It looks at its arguments as the interpreter does, and takes the short way when each is exactly
what a program wants (an array of the right type, contiguous and aligned, its shape that of one
state or of rows of them). For anything else it calls the general way with the same arguments.
Arguments that choose a program (the name of a frame, axes, which wrenches there are) and keywords
are part of what it knows: each layout of a call is compiled when it first comes so, and the code
behind it when that is first wanted, so looking at it costs nothing.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from inspect import Parameter, Signature, getdoc, signature
from itertools import pairwise
from typing import Any

import numpy as np

from qddot.backends.call_assembly import link_module, texts_of
from qddot.backends.call_layout import CallLayout, KernelCall, layout_of
from qddot.backends.call_pieces import TABLE
from qddot.backends.gufunc import ARRAY_NEW, SCALAR_NEW, array_table, as_assumed
from qddot.backends.ir import Lanes
from qddot.backends.llvm import MachineCode, compile_module

METH_FASTCALL_KEYWORDS = 0x0080 | 0x0002
MOST_LAYOUTS = 64  # of a function; more take the general way
WORTH_LETTING_GO = 200_000  # operations, about 10 µs; from then on other Python threads may run


class MethodDefinition(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def make_fastcall(name: str, general: Callable[..., Any], asked: Callable[..., Any]) -> Any:
    """Return a builtin function that hands everything unusual to the general way.

    The general way works for any arguments; its signature and text are the function's. `asked`
    takes the same arguments and gives the `KernelCall` that this is, not made yet; or the result
    itself, where it is no single call of a kernel.
    """
    return FastCall(name, general, asked).function() if as_assumed() else general


class FastCall:
    """What stands behind the builtin function and keeps alive what that runs."""

    def __init__(self, name: str, general: Callable[..., Any], asked: Callable[..., Any]):
        self.general, self.asked = general, asked
        self.links: dict[CallLayout, tuple[Any, ...]] = {}  # and what each of them needs
        self.code: list[MachineCode] = []  # of links, and of what they call
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
        code = call.code()
        if code and self._linked(args, kwargs, call, code):
            return self.function()(*args, **kwargs)
        return call()

    def _linked(self, args: tuple, kwargs: dict[str, Any], call: KernelCall, code: str) -> bool:
        """Give calls as this one a link and its code, if they have none yet and may have one."""
        layout = layout_of(self.asked, args, kwargs)
        if layout is None:
            return False
        if layout not in self.links:
            if len(self.links) >= MOST_LAYOUTS:
                return False
            self._add_link(layout, call.kernel)
        table, at = self.links[layout][0], TABLE.index(code)
        if table[at]:
            return False
        machine_code: MachineCode = call.kernel.code(code)
        self.code.append(machine_code)
        table[at] = machine_code.address(code)
        return True

    def _add_link(self, layout: CallLayout, kernel: Any) -> None:
        lanes, results = Lanes(1, single=kernel.dtype == np.float32), kernel.results
        named, at_once = results is not tuple, kernel.at_once
        text = link_module(
            layout,
            kernel.program,
            lanes,
            named=named,
            guarded=kernel.otherwise is not None,
            batches=at_once > 0,
        )
        code = compile_module(text)
        texts = texts_of(layout)
        entries = {
            "link": code.address("link"),
            "next": 0,
            "state": 0,
            "loop": 0,
            "new tuple": _address("PyType_GenericAlloc" if named else "PyTuple_New"),
            "results": id(results),
            "dtype": id(kernel.dtype),
            "most states": at_once,
            "many states": WORTH_LETTING_GO // max(len(kernel.program), 1),
            **_fixed_addresses(),
        }
        table = np.array([*(entries[what] for what in TABLE), *map(id, texts)], np.int64)
        # of several threads that are here at once one is first, and each makes the same chain
        self.links.setdefault(layout, (table, texts, kernel.dtype, results))
        tables = [each for each, *_ in list(self.links.values())]
        for one, following in pairwise(tables):
            one[TABLE.index("next")] = following.ctypes.data
        self.first[0] = tables[0].ctypes.data
        self.definition.function = code.address("call")
        self.code.append(code)


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
        "let others run": _address("PyEval_SaveThread"),
        "go on alone": _address("PyEval_RestoreThread"),
    }


def _address(name: str) -> int:
    """Return where a function of the interpreter is."""
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
