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
from qddot.program.ports import split
from qddot.program.program import Port, Program
from qddot.program.recorded import Recorded
from qddot.program.recorded_array import array_of
from qddot.program.tape import Tape


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
