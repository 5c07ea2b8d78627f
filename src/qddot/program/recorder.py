"""Recording: run plain NumPy code once, and keep what it did.

    program = record(lambda q, qd: np.sin(q) * qd, q=(2,), qd=(2,))

What depends on values (`if x > 0`) cannot be recorded and says so; `np.where`, `np.clip`,
`np.minimum` and `np.maximum` can.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from operator import index
from typing import Any

import numpy as np

from qddot.errors import BadArgument, shorten
from qddot.program.operations import select
from qddot.program.ports import split
from qddot.program.program import Port, Program
from qddot.program.recorded import Recorded
from qddot.program.tape import Tape, collector_off
from qddot.scalars import atan2, sign


class RecordedArray(np.ndarray):
    """An array of recorded values, on which NumPy's functions are recorded too."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return apply(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return call(func, args, kwargs)


def minimum(a: Any, b: Any) -> Any:
    if isinstance(a, Recorded):
        return a.minimum(b)
    return b.minimum(a) if isinstance(b, Recorded) else np.minimum(a, b)


def maximum(a: Any, b: Any) -> Any:
    if isinstance(a, Recorded):
        return a.maximum(b)
    return b.maximum(a) if isinstance(b, Recorded) else np.maximum(a, b)


# what NumPy does on arrays of objects by itself, through operators and methods of the entries
BY_NUMPY = {
    *("add", "subtract", "multiply", "divide", "negative", "positive", "power", "square"),
    *("sin", "cos", "tan", "tanh", "sqrt", "exp", "log", "absolute", "conjugate", "matmul"),
    *("arcsin", "arccos", "arctan", "floor", "remainder"),
}
# what it would ask the entries' truth value for
ENTRY_BY_ENTRY = {
    "sign": np.frompyfunc(sign, 1, 1),
    "arctan2": np.frompyfunc(atan2, 2, 1),
    "minimum": np.frompyfunc(minimum, 2, 1, identity=None),
    "maximum": np.frompyfunc(maximum, 2, 1, identity=None),
    "clip": np.frompyfunc(lambda x, least, most: minimum(maximum(x, least), most), 3, 1),
    "less": np.frompyfunc(lambda a, b: a < b, 2, 1),
    "greater": np.frompyfunc(lambda a, b: a > b, 2, 1),
    "less_equal": np.frompyfunc(lambda a, b: a <= b, 2, 1),
    "greater_equal": np.frompyfunc(lambda a, b: a >= b, 2, 1),
    "equal": np.frompyfunc(lambda a, b: a == b, 2, 1),
    "not_equal": np.frompyfunc(lambda a, b: a != b, 2, 1),
}
WHERE = np.frompyfunc(select, 3, 1)


def apply(ufunc: Any, method: str, inputs: tuple, kwargs: dict) -> Any:
    """Do to recorded values what a NumPy ufunc does to numbers."""
    name = ufunc.__name__
    function = ENTRY_BY_ENTRY.get(name, ufunc if name in BY_NUMPY else None)
    if function is None:
        raise _cannot(f"np.{name}")
    if "out" in kwargs:
        kwargs = kwargs | {"out": tuple(_plain(x) for x in kwargs["out"])}
    plain = [_plain(x) for x in inputs]
    try:
        result = getattr(function, method)(*plain, **kwargs)
    except TypeError as error:
        raise _cannot(f"np.{name}", error) from None
    return _recorded(result)


def call(func: Any, args: tuple, kwargs: dict) -> Any:
    """Do to recorded values what any other function of NumPy does to numbers."""
    if func is np.where and len(args) == 3:
        return _recorded(WHERE(*(_plain(x) for x in args)))
    args = tuple(_boxed(x) for x in args)
    kwargs = {key: _boxed(x) for key, x in kwargs.items()}
    try:
        result = np.ndarray.__array_function__(np.empty(0), func, (), args, kwargs)
    except TypeError as error:
        raise _cannot(f"{func.__module__}.{func.__name__}".replace("numpy", "np"), error) from None
    return result.view(RecordedArray) if _holds_objects(result) else result


def array_of(values: list[Recorded]) -> RecordedArray:
    """Return recorded values as an array."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array.view(RecordedArray)


def _cannot(name: str, why: object = "") -> BadArgument:
    known = ", ".join(sorted([*BY_NUMPY, *ENTRY_BY_ENTRY, "where"]))
    reason = f" ({why})" if str(why) else ""
    return BadArgument(
        f"{name} cannot be recorded{reason}.\n  These can, and what NumPy makes of them: {known}."
    )


def _plain(x: Any) -> Any:
    """Return what NumPy treats as an array of any objects."""
    if isinstance(x, Recorded):
        box = np.empty((), dtype=object)
        box[()] = x
        return box
    return x.view(np.ndarray) if isinstance(x, RecordedArray) else x


def _boxed(x: Any) -> Any:
    return _plain(x).view(RecordedArray) if isinstance(x, Recorded) else x


def _recorded(result: Any) -> Any:
    if not _holds_objects(result):
        return result
    return result.view(RecordedArray) if result.ndim else result[()]


def _holds_objects(result: Any) -> bool:
    return isinstance(result, np.ndarray) and result.dtype == object


def record(function: Callable[..., Any], name: str = "", /, **shapes: tuple[int, ...]) -> Program:
    """Return the program of a function of arrays, recorded by running it once.

    Args:
        function: Plain NumPy code: arithmetic, `@`, np.sin and the like. It returns an array, a
            scalar, or a tuple or dict of these.
        name: What the program is called; the function's name if not given.
        shapes: The arguments of the function and their shapes; () is a scalar. They are handed
            over by name where the function has arguments of these names, else in order.

    Example:
        >>> program = record(lambda q: np.sin(q) + 2 * q, q=(2,))
        >>> len(program)
        6
    """
    with collector_off():
        return _recorded_program(function, name, shapes)


def _recorded_program(function: Callable[..., Any], name: str, shapes: dict[str, Any]) -> Program:
    inputs = tuple(Port(key, _shape(key, shape)) for key, shape in shapes.items())
    tape = Tape(sum(port.size for port in inputs))
    arguments = {}
    for port, numbers in split(inputs, range(tape.inputs)):
        values = [Recorded(tape, i) for i in numbers]
        arguments[port.name] = array_of(values).reshape(port.shape) if port.shape else values[0]
    outputs, results = [], []
    for key, value in _parts(_run(function, arguments)).items():
        entries = np.asarray(value, dtype=object)
        outputs.append(Port(str(key), entries.shape))
        results += [_number(tape, key, entry) for entry in entries.reshape(-1)]
    name = name or getattr(function, "__name__", "program").strip("<>")
    return tape.program(name, inputs, tuple(outputs), results)


def _shape(name: str, shape: Any) -> tuple[int, ...]:
    try:
        lengths = tuple(index(k) for k in shape)
    except TypeError:
        lengths = (-1,)
    if any(k < 0 for k in lengths):
        raise BadArgument(f"{name} is {shape!r}; give its shape as a tuple, () for a scalar.")
    return lengths


def _run(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Call a function by the names of its arguments if it has them, else in their order."""
    try:
        known = signature(function).parameters.values()
    except (TypeError, ValueError):
        known = ()
    by_name = {p.name for p in known if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    # constants that become infinite or NaN are data, as when the program runs
    with np.errstate(all="ignore"):
        if arguments.keys() <= by_name:
            return function(**arguments)
        return function(*arguments.values())


def _parts(returned: Any) -> dict[str, Any]:
    """Return the outputs by name."""
    if not isinstance(returned, dict):
        parts = returned if isinstance(returned, tuple) else (returned,)
        many = len(parts) > 1
        returned = {f"out{i}" if many else "out": part for i, part in enumerate(parts)}
    if not returned:
        raise BadArgument("A recorded function must return something.")
    return returned


def _number(tape: Tape, output: str, entry: Any) -> int:
    """Return the number of the value that an entry of an output has."""
    if isinstance(entry, Recorded):
        if entry.tape is not tape:
            raise BadArgument("A recorded function returns a value of another recording.")
        return entry.plain()
    try:
        return tape.constant(float(entry))
    except (TypeError, ValueError):
        raise BadArgument(
            f"A recorded function returns {shorten(repr(entry))} in {output!r}; it must return "
            "real numbers: an array, a scalar, or a tuple or dict of these."
        ) from None
