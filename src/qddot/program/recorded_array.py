"""Arrays of recorded values, on which NumPy's own functions are recorded too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from qddot.errors import BadArgument
from qddot.program.operations import SELECT
from qddot.program.recorded import Recorded


class RecordedArray(np.ndarray):
    """An array of recorded values, on which NumPy's functions are recorded too."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return apply(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func is np.where and len(args) == 3:
            return _entry_by_entry(choose, args)
        if func is np.clip:
            return np.minimum(np.maximum(args[0], args[1]), args[2])
        return super().__array_function__(func, types, args, kwargs)


# what NumPy does on arrays of objects by itself, through operators and methods of the entries
BY_NUMPY = frozenset(
    [
        "add",
        "subtract",
        "multiply",
        "divide",
        "negative",
        "positive",
        "power",
        "square",
        "sin",
        "cos",
        "tan",
        "tanh",
        "sqrt",
        "exp",
        "log",
        "absolute",
        "conjugate",
        "matmul",
    ]
)
UFUNCS: dict[str, Callable[..., Any]] = {
    "sign": lambda a: a.sign() if isinstance(a, Recorded) else np.sign(a),
    "minimum": lambda a, b: _extreme("minimum", a, b),
    "maximum": lambda a, b: _extreme("maximum", a, b),
    "less": lambda a, b: a < b,
    "greater": lambda a, b: a > b,
    "less_equal": lambda a, b: a <= b,
    "greater_equal": lambda a, b: a >= b,
}


def apply(ufunc: Any, method: str, inputs: tuple, kwargs: dict) -> Any:
    """Do to recorded values what a NumPy function does to numbers."""
    name = ufunc.__name__
    plain = [_plain_array(x) for x in inputs]
    if name in BY_NUMPY or method == "reduce":
        result = getattr(ufunc, method)(*plain, **kwargs)
    elif name in UFUNCS and method == "__call__":
        result = _entry_by_entry(UFUNCS[name], plain)
    else:
        known = ", ".join(sorted(BY_NUMPY | set(UFUNCS)))
        raise BadArgument(f"np.{name} cannot be recorded. These can: {known}, where, clip.")
    return result.view(RecordedArray) if isinstance(result, np.ndarray) else result


def _entry_by_entry(function: Callable[..., Any], arrays: Any) -> Any:
    result = np.vectorize(function, otypes=[object])(*(_plain_array(x) for x in arrays))
    return result.view(RecordedArray) if result.ndim else result[()]


def _plain_array(x: Any) -> Any:
    if isinstance(x, Recorded):
        box = np.empty((), dtype=object)
        box[()] = x
        return box
    return x.view(np.ndarray) if isinstance(x, RecordedArray) else x


def _extreme(name: str, a: Any, b: Any) -> Any:
    if isinstance(a, Recorded):
        return getattr(a, name)(b)
    return getattr(b, name)(a) if isinstance(b, Recorded) else getattr(np, name)(a, b)


def choose(condition: Any, a: Any, b: Any) -> Any:
    if not isinstance(condition, Recorded):
        return a if condition else b
    choice = [condition._lift(x).plain() for x in (a, b)]
    return condition._wrap(condition.tape.step(SELECT, condition.plain(), *choice))


def array_of(values: list[Recorded]) -> RecordedArray:
    """Return recorded values as an array."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array.view(RecordedArray)
