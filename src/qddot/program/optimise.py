"""What is done to every program before it is lowered."""

from __future__ import annotations

from qddot.program.program import Program
from qddot.program.reassociate import reassociated
from qddot.program.schedule import scheduled


def optimised(program: Program) -> Program:
    """Return an equal program with fewer operations, in a better order."""
    return scheduled(reassociated(program))
