"""Which values of a long program are at hand, as names, and where on the frame the others are.

What is needed last leaves first (L. Belady, *A Study of Replacement Algorithms*, 1966), for all
that comes is known.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from qddot.backends.ir import Emitter
from qddot.backends.llvm import vector_registers
from qddot.program.calls import BlockCall, CallResult
from qddot.program.program import Program

AT_HAND = 0.65  # of the registers: the others are for what an operation is made of


def most_waiting(program: Program) -> int:
    """Return how many values wait at the same time, at most: so many places a frame needs.

    The results of a call are there together, as long as one of them waits.
    """
    first = program.first_step
    last: dict[int, int] = {}
    for now, (op, args) in enumerate(program.steps, first):
        if not isinstance(op, CallResult):
            for i in args:
                made = program.steps[i - first] if i >= first else None
                last[made.args[0] if made and isinstance(made.op, CallResult) else i] = now
    change = [0] * (first + len(program.steps) + 1)
    for i, end in last.items():
        op = program.steps[i - first].op if i >= first else None
        size = len(op.block.results) if isinstance(op, BlockCall) else 1
        change[i] += size
        change[end + 1] -= size
    return max(accumulate(change), default=0)


@dataclass(frozen=True)
class ResultChunk:
    """Entries of the results that are stored at once, and where on the frame their values are."""

    entries: Sequence[int]
    places: Sequence[int]


@dataclass
class Border:
    """How one piece reaches what is outside: inputs, results, and names of the function around."""

    fetch: Callable[[int], dict[int, str]]  # emits entry k of the inputs, and any beside it
    put: Callable[[Sequence[int], list[str]], None]  # takes entries of the results, to be stored
    # the same of many chunks that are on a frame
    put_many: Callable[[str, list[ResultChunk]], None] | None = None
    # emits a whole input, which is put at an address
    fetch_many: Callable[[str, int], None] | None = None
    # where inputs lie that are vectors side by side, if they do
    lying_at: Callable[[Sequence[int]], str | None] = lambda numbers: None
    taken: dict[str, None] = field(default_factory=dict)  # from around, in order: "ptr %t3"

    def take(self, *arguments: str) -> None:
        """Have names of the function around handed over to the piece."""
        self.taken.update(dict.fromkeys(arguments))


@dataclass
class Region:
    """Places on the frame side by side: the results of a call, as long as one of them waits."""

    start: int
    size: int
    waiting: int = 0


class Registers:
    """The values of a program, from when they are known until nothing waits for them."""

    def __init__(
        self,
        out: Emitter,
        constants: Mapping[int, float],
        uses: dict[int, list[int]],
        frame: str,
        scratch: int,
    ):
        """Begin with everything outside.

        `constants` are the values that are known, by number; `uses` are, of every other value, the
        tasks that it waits for, last first. `frame` is the name of the frame; `scratch` is how many
        places at its front are for something else.
        """
        self.out, self.uses, self.frame, self.kind = out, uses, frame, out.lanes.type
        self.constants = {i: out.lanes.constant(c) for i, c in constants.items()}
        self.most = int(AT_HAND * vector_registers())
        self.at_hand: dict[int, str] = {}
        self.place: dict[int, int] = {}  # on the frame
        self.free: list[int] = []
        self.region_of: dict[int, Region] = {}
        self.holes: list[tuple[int, int]] = []  # where regions were: start and end, in order
        self.slots = scratch

    def get(self, i: int, border: Border) -> str:
        """Return the name of a value, fetched if it is not at hand."""
        if i in self.constants:
            return self.constants[i]
        if i not in self.at_hand:
            if i in self.place:
                at = self.at(self.place[i])
                self.keep(i, self.out.value(f"load {self.kind}, ptr {at}"))
            else:
                for k, name in border.fetch(i).items():
                    if k not in self.place and k not in self.at_hand:
                        self.keep(k, name)
        return self.at_hand[i]

    def keep(self, i: int, name: str) -> None:
        """Have a value at hand, if something waits for it."""
        if self.uses.get(i):
            self.at_hand[i] = name

    def let_go(self, values: Iterable[int]) -> None:
        """Note that a task has used its values."""
        for i in values:
            if i in self.constants:
                continue
            uses = self.uses[i]
            uses.pop()
            if not uses:
                self.at_hand.pop(i, None)
                if i in self.place:
                    self._give_back(i, self.place.pop(i))

    def _give_back(self, i: int, place: int) -> None:
        if region := self.region_of.pop(i, None):
            region.waiting -= 1
            if not region.waiting:
                self._leave_hole(region)
        else:
            self.free.append(place)

    def make_room(self) -> None:
        """Put away what is needed last, until the registers are enough."""
        while len(self.at_hand) > self.most:
            self._put_away(max(self.at_hand, key=self._next_use))

    def _next_use(self, i: int) -> int:
        return self.uses[i][-1]

    def leave(self) -> None:
        """Put everything away: the next piece finds it on the frame."""
        for i in list(self.at_hand):
            self._put_away(i)

    def leave_to_call(self, taken: Iterable[int]) -> None:
        """Put everything away but what a call takes, and not over that: it is read later."""
        free, self.free = self.free, []
        self.let_go(taken)
        given_back, self.free = self.free, free
        self.leave()
        self.free += given_back

    def _put_away(self, i: int) -> None:
        self.placed(i)
        self.at_hand.pop(i)

    def placed(self, i: int) -> int | None:
        """Return where on the frame a value is, put there if it is at hand; None if it is not."""
        if i not in self.place and i in self.at_hand:
            if not self.free:
                self.free.append(self.slots)
                self.slots += 1
            self.place[i] = self.free.pop()
            self.out.line(f"store {self.kind} {self.at_hand[i]}, ptr {self.at(self.place[i])}")
        return self.place.get(i)

    def side_by_side(self, values: Sequence[int]) -> int | None:
        """Return where on the frame values lie in this order, or None if they do not."""
        start = self.place.get(values[0])
        if start is None or any(
            self.place.get(i) != at for at, i in enumerate(values[1:], start + 1)
        ):
            return None
        return start

    def region(self, size: int, values: Mapping[int, int]) -> int:
        """Return where a region for results of a call begins; values by number, and which it is."""
        fitting = [hole for hole in self.holes if hole[1] - hole[0] >= size]
        if fitting:
            start, end = min(fitting, key=lambda hole: hole[1] - hole[0])
            at = self.holes.index((start, end))
            self.holes[at : at + 1] = [(start + size, end)] if end > start + size else []
        else:
            start, self.slots = self.slots, self.slots + size
        waiting = [i for i in values if self.uses.get(i)]
        region = Region(start, size, len(waiting))
        for i in waiting:
            self.place[i], self.region_of[i] = start + values[i], region
        if not waiting:
            self._leave_hole(region)
        return start

    def _leave_hole(self, region: Region) -> None:
        start, end = region.start, region.start + region.size
        at = bisect_left(self.holes, (start, end))
        if at < len(self.holes) and self.holes[at][0] == end:
            end = self.holes.pop(at)[1]
        if at and self.holes[at - 1][1] == start:
            start = self.holes.pop(at - 1)[0]
            at -= 1
        self.holes.insert(at, (start, end))

    def at(self, k: int) -> str:
        """Return the address of a place on the frame."""
        return self.out.value(f"getelementptr {self.kind}, ptr {self.frame}, i64 {k}")
