"""The arrays that go into a program and come out of it: names, shapes, and whether arrays fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeVar

import numpy as np

from qddot.errors import BadArgument, WrongValue, listing, printable

T = TypeVar("T")
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Port:
    """An input or output of a program: an array with a name."""

    name: str
    shape: Shape

    @property
    def size(self) -> int:
        return prod(self.shape)

    def __str__(self) -> str:
        return f"{printable(self.name)} {'×'.join(map(str, self.shape))}".rstrip()


Refusal = Callable[[Port, Shape], Exception]


def split(ports: Iterable[Port], entries: Sequence[T]) -> list[tuple[Port, Sequence[T]]]:
    """Return each port with its part of the entries of all of them."""
    found, at = [], 0
    for port in ports:
        found.append((port, entries[at : at + port.size]))
        at += port.size
    return found


def check_count(name: str, ports: Sequence[Port], arrays: Sequence[Any]) -> None:
    """Refuse another number of arrays than a program takes."""
    if len(arrays) != len(ports):
        names = listing(port.name for port in ports)
        raise BadArgument(f"{name} takes {len(ports)} arrays ({names}), not {len(arrays)}.")


def wrong_shape(port: Port, shape: Shape) -> Exception:
    """Return the error for an array that cannot have this shape."""
    wanted = ", ".join(["...", *map(str, port.shape)])
    return WrongValue(port.name, f"has shape {shape}", f"it must have shape ({wanted})")


def broadcast(*batches: Shape) -> Shape:
    """Return the batch that several make; a ValueError where they do not fit together."""
    return batches[0] if len(set(batches)) == 1 else np.broadcast_shapes(*batches)


def batch_of(
    ports: Sequence[Port],
    shapes: Sequence[Shape],
    refuse: Refusal = wrong_shape,
    broadcast: Callable[..., Shape] = broadcast,
) -> Shape:
    """Return the batch that arrays make by the axes in front of their ports', or refuse them.

    `refuse` makes the error for a shape that does not end in that of its port; `broadcast` brings
    batches together, where it is not NumPy.
    """
    batches = []
    for port, shape in zip(ports, shapes, strict=True):
        lead = len(shape) - len(port.shape)
        if lead < 0 or shape[lead:] != port.shape:
            raise refuse(port, shape)
        batches.append(shape[:lead])
    try:
        return broadcast(*batches)
    except (ValueError, RuntimeError):
        said = ", ".join(f"{port.name} {shape}" for port, shape in zip(ports, shapes, strict=True))
        raise BadArgument(
            f"The batches do not fit together: {said}. Leading axes must be equal or 1."
        ) from None
