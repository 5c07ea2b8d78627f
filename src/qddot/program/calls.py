"""Calls: operations whose meaning is another program, the block.

A call is a step like any other. Its value is all results of the block at once; a further step, a
part, takes one of them. So every step still has one value, and whatever goes through steps goes
through calls as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from qddot.errors import BadArgument
from qddot.program.operations import Operation
from qddot.scalars import Scalar

if TYPE_CHECKING:
    from qddot.program.program import Program

DEEPEST = 64  # calls within calls


def _none(*_: Any) -> Any:
    """Stand where a call has no partial derivatives: `differentiate` calls another block."""
    raise BadArgument("A call has no partial derivatives; differentiate the program it is in.")


@dataclass(frozen=True, eq=False)
class BlockCall(Operation):
    """A program called with a number for each entry of its inputs."""

    block: Program = None  # type: ignore[assignment]  # `of` gives it

    @staticmethod
    def of(block: Program) -> BlockCall:
        """Return the call of a program; calls of equal programs are equal."""

        def apply(*args: Scalar) -> Any:
            tape = next((x.tape for x in args if hasattr(x, "tape")), None)
            return RecordedCall(tape, call, args) if tape else block.results_at(args)

        call = BlockCall(f"call {block.digest}", block.input_size, apply, _none, block=block)
        return call

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BlockCall) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple:
        return BlockCall.of, (self.block,)


@dataclass(frozen=True, eq=False)
class CallResult(Operation):
    """One of the results of a call."""

    index: int = 0

    @staticmethod
    @cache
    def of(index: int) -> CallResult:
        return CallResult(f"part {index}", 1, lambda results: results[index], _none, index=index)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CallResult) and self.index == other.index

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple:
        return CallResult.of, (self.index,)


class RecordedCall:
    """The results of a call that is being recorded: a part is recorded when it is asked for."""

    def __init__(self, tape: Any, call: BlockCall, args: Sequence[Scalar]):
        from qddot.program.recorded import Recorded  # which is made of operations, as this is

        def number(x: Scalar) -> int:
            if not isinstance(x, Recorded):
                return tape.constant(float(x))
            if x.tape is not tape:
                raise BadArgument("A recorded function uses a value of another recording.")
            return x.plain()

        self.value = tape.step(call, *map(number, args))
        self.part = lambda k: Recorded(tape, tape.step(CallResult.of(k), self.value))

    def __getitem__(self, k: int) -> Any:
        return self.part(k)
