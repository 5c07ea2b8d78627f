"""A recorded controller: checked once, then replayed inside whatever is being recorded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from qddot.errors import BadArgument, listing
from qddot.program.ports import split
from qddot.program.program import Port, Program
from qddot.scalars import JointVec, Scalar

STATE = ("t", "q", "qd", "x")  # inputs that it always gets


@dataclass(frozen=True)
class Law:
    """A program from t, q, q̇, its own state x and further inputs to τ, and to ẋ if it has x."""

    program: Program
    n: int

    @property
    def digest(self) -> str:
        return self.program.digest

    @property
    def m(self) -> int:
        """How many numbers its own state has."""
        return next((port.size for port in self.program.inputs if port.name == "x"), 0)

    @cached_property
    def more(self) -> tuple[Port, ...]:
        """Its further inputs, which every trajectory is given once."""
        return tuple(port for port in self.program.inputs if port.name not in STATE)

    def __call__(
        self, t: Scalar, q: JointVec, qd: JointVec, x: JointVec, more: list[Scalar]
    ) -> tuple[JointVec, JointVec]:
        """Return τ and ẋ."""
        known, rest = {"t": [t], "q": list(q), "qd": list(qd), "x": list(x)}, iter(more)
        entries: list[Scalar] = []
        for port in self.program.inputs:
            entries += known.get(port.name) or [next(rest) for _ in range(port.size)]
        parts = split(self.program.outputs, self.program.results_at(entries))
        found = {"xd": []} | {port.name: list(part) for port, part in parts}
        return _array(found[self.output]), _array(found["xd"])

    @property
    def output(self) -> str:
        """The name of the output that is the torque."""
        names = [port.name for port in self.program.outputs if port.name != "xd"]
        return names[0] if len(names) == 1 else "tau"


def law_of(controller: Any, n: int, nq: int | None = None) -> Law | None:
    """Return the law of a recorded controller, or of what holds one; None of anything else.

    Raises:
        BadArgument: If the program cannot be a controller of a robot with n joints, whose
            positions are nq numbers (n, if not given).
    """
    program = (
        controller if isinstance(controller, Program) else getattr(controller, "program", None)
    )
    if not isinstance(program, Program):
        return None
    law = Law(program, n)
    inputs = {port.name: port.shape for port in program.inputs}
    outputs = {port.name: port.shape for port in program.outputs}
    wanted = {"t": (), "q": (n if nq is None else nq,), "qd": (n,)}
    for name, shape in wanted.items():
        if inputs.get(name, shape) != shape:
            raise _misfit(law, f"its input {name!r} has shape {inputs[name]}, not {shape}")
    if law.output not in outputs:
        names = listing(outputs)
        raise _misfit(law, f"it gives {names}, and none of them is named 'tau'")
    if outputs[law.output] != (n,):
        shape = outputs[law.output]
        raise _misfit(law, f"its output {law.output!r} has shape {shape}, not ({n},)")
    if len(inputs.get("x", (0,))) != 1 or inputs.get("x") != outputs.get("xd"):
        raise _misfit(
            law,
            f"its own state x has shape {inputs.get('x', 'none')} and its rate xd "
            f"{outputs.get('xd', 'none')}; both must be there and be vectors of one length",
        )
    return law


def _misfit(law: Law, why: str) -> BadArgument:
    return BadArgument(
        f"The controller {law.program.name!r} does not fit a robot with {law.n} joints: {why}.\n"
        "  It takes any of t (), q (n,), qd (n,), x (m,) and inputs of its own,\n"
        "  and gives tau (n,), and xd (m,) if it has a state x."
    )


def _array(entries: list[Scalar]) -> np.ndarray:
    array = np.empty(len(entries), dtype=object)
    array[:] = entries
    return array
