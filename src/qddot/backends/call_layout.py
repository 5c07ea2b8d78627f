"""How a call is laid out: which of its arguments hold the arrays of a program, which are words.

    robot.inverse_dynamics(q, qd, qdd, wrenches={"tool": f})        robot.jacobian(q, "tool")

What a method makes of such a call is a `KernelCall`. Its arrays are looked for among the arguments:
an array may be one itself, or stand in a dict or a tuple that is one. Words (texts, and None) say
which program it is; a call with the same words in the same places has the same layout.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np


class KernelCall(NamedTuple):
    """A kernel and the arrays that it is to be called with: a call that has not been made yet."""

    kernel: Any
    arrays: tuple[Any, ...]
    out: Any = None
    otherwise: Callable[..., Any] | None = None  # the general way, where it is not the kernel's

    def __call__(self) -> Any:
        return (self.otherwise or self.kernel.general)(*self.arrays, out=self.out)

    def code(self) -> str | None:
        """Return which code takes the arrays as they are.

        "state" where they are those of one state, "loop" where some are rows of states, few enough
        to be computed at once; None where they are anything else.
        """
        inputs, dtype = self.kernel.program.inputs, self.kernel.dtype
        if len(inputs) != len(self.arrays):
            return None
        states = 0
        for port, x in zip(inputs, self.arrays, strict=True):
            if type(x) is not np.ndarray or x.dtype != dtype:
                return None
            if x.shape != port.shape:
                if x.shape[1:] != port.shape or len(x) != (states or len(x)):
                    return None
                states = len(x)
                if not 0 < states <= self.kernel.at_once:
                    return None
            flags = x.flags
            if not (flags.c_contiguous and flags.aligned):
                return None
        return "loop" if states else "state"


class ArrayPlace(NamedTuple):
    """Where an array is: the number of an argument, and its key where that is a dict or tuple."""

    argument: int
    key: str | int | None = None


@dataclass(frozen=True)
class CallLayout:
    """Where the arguments of a call have what a program takes."""

    positional: int  # arguments without a name
    keywords: tuple[str, ...]  # the names of the others, which stand behind them
    words: tuple[tuple[int, str | None], ...]  # arguments that choose, and what they are
    holders: tuple[tuple[int, str, int], ...]  # "dict" or "tuple" arguments, and their lengths
    inputs: tuple[ArrayPlace, ...]
    outputs: tuple[ArrayPlace, ...]  # none where the results are new arrays


def layout_of(
    asked: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> CallLayout | None:
    """Return the layout of a call; None where its arrays cannot be told from its arguments.

    `asked` gives the `KernelCall` of such arguments. It gets views of the arrays in them, so that
    an array that is given twice is told apart.
    """
    found: dict[int, ArrayPlace] = {}
    words: list[tuple[int, str | None]] = []
    holders: list[tuple[int, str, int]] = []
    views: list[Any] = []  # kept, as what is gone may have the id of another

    def placed(x: Any, place: ArrayPlace) -> Any:
        if type(x) is not np.ndarray:
            raise LookupError
        views.append(x.view())
        found[id(views[-1])] = place
        return views[-1]

    def seen(k: int, value: Any) -> Any:
        if value is None or type(value) is str:
            words.append((k, value))
            return value
        if type(value) is dict and all(type(key) is str for key in value):
            holders.append((k, "dict", len(value)))
            return {key: placed(x, ArrayPlace(k, key)) for key, x in value.items()}
        if type(value) is tuple:
            holders.append((k, "tuple", len(value)))
            return tuple(placed(x, ArrayPlace(k, j)) for j, x in enumerate(value))
        return placed(value, ArrayPlace(k))

    try:
        first = [seen(k, value) for k, value in enumerate(args)]
        rest = {name: seen(k, x) for k, (name, x) in enumerate(kwargs.items(), len(args))}
        call = asked(*first, **rest)
        inputs = tuple(found[id(x)] for x in call.arrays)
        given = call.out if type(call.out) is tuple else (call.out,)
        outputs = () if call.out is None else tuple(found[id(x)] for x in given)
    except LookupError:  # something is no array, or the kernel gets another one
        return None
    if len({*inputs, *outputs}) != len(found):
        return None
    if outputs and len(outputs) != len(call.kernel.result_ports):
        return None
    return CallLayout(len(args), tuple(kwargs), tuple(words), tuple(holders), inputs, outputs)
