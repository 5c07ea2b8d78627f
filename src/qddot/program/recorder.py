"""Recording: run plain NumPy code once, and keep what it did.

    program = record(lambda q, qd: np.sin(q) * qd, q=(2,), qd=(2,))

What depends on values (`if x > 0`) cannot be recorded and says so; `np.where`, `np.clip`,
`np.minimum` and `np.maximum` can.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from qddot.program.passes import without_dead_code
from qddot.program.program import Port, Program
from qddot.program.recorded import Recorded, Tape
from qddot.program.recorded_array import array_of


def record(function: Callable[..., Any], name: str = "", /, **shapes: tuple[int, ...]) -> Program:
    """Return the program of a function of arrays, recorded by running it once.

    Args:
        function: Plain NumPy code: arithmetic, `@`, np.sin and the like. It returns an array, a
            scalar, or a tuple or dict of these.
        name: What the program is called; the function's name if not given.
        shapes: The arguments of the function and their shapes; () is a scalar.

    Example:
        >>> program = record(lambda q: np.sin(q) + 2 * q, q=(2,))
        >>> len(program)
        6
    """
    inputs = tuple(Port(key, tuple(shape)) for key, shape in shapes.items())
    tape = Tape(sum(port.size for port in inputs))
    arguments, at = [], 0
    for port in inputs:
        values = [Recorded(tape, at + i) for i in range(port.size)]
        arguments.append(array_of(values).reshape(port.shape) if port.shape else values[0])
        at += port.size
    returned = function(*arguments)
    if not isinstance(returned, dict):
        parts = returned if isinstance(returned, tuple) else (returned,)
        many = len(parts) > 1
        returned = {f"out{i}" if many else "out": part for i, part in enumerate(parts)}
    outputs, results = [], []
    for key, value in returned.items():
        entries = np.asarray(value, dtype=object)
        outputs.append(Port(key, entries.shape))
        for entry in entries.reshape(-1):
            if isinstance(entry, Recorded):
                results.append(entry.plain())
            else:
                results.append(tape.constant(float(entry)))
    name = name or getattr(function, "__name__", "program").strip("<>")
    return without_dead_code(tape.program(name, inputs, tuple(outputs), results))
