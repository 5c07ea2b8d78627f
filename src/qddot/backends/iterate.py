"""Assembly of a whole rollout: for each block of trajectories, a loop over steps.

A block is as many trajectories as there are lanes. Its state and its constants lie on the stack,
one vector an entry, and a program fetches an entry when it first needs it: there are more of them
than registers anyway. Memory is read and written at the start and the end of a block, where a step
is given something anew, and where a state is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from qddot.backends.ir import Emitter, Lanes
from qddot.backends.loops import emit_values, module
from qddot.backends.pieces import block_function, is_long
from qddot.backends.rows import InputRows, OutputRows
from qddot.program.program import Iteration, Program

ARGUMENTS = (
    *("ptr %state", "ptr %constants", "ptr %given", "ptr %offsets", "i64 %given_step"),
    *("ptr %kept", "ptr %kept_step", "i64 %rows", "i64 %every"),
    *("i64 %count", "i64 %first", "double %h"),
)
ALIGN = 64  # [bytes], of the widest vectors


@dataclass(frozen=True)
class StackVectors:
    """Vectors on the stack, one an entry: a part of those that a loop has."""

    out: Emitter
    name: str
    start: int
    size: int

    @property
    def row_size(self) -> int:
        """Bytes of a row in memory that fills it, one lane's share."""
        return self.size * self.out.lanes.size

    def get(self, k: int) -> str:
        return self.out.value(f"load {self.out.lanes.type}, ptr {self.at(k)}")

    def put(self, k: int, value: str) -> None:
        self.out.line(f"store {self.out.lanes.type} {value}, ptr {self.at(k)}")

    def fill(self, rows: list[str]) -> None:
        """Load every entry from memory, from one row a lane."""
        source = InputRows(self.out, rows, self.size)
        for k in range(self.size):
            self.put(k, source.entry(k))

    def at(self, k: int) -> str:
        kind = self.out.lanes.type
        return self.out.value(f"getelementptr {kind}, ptr %on_stack, i64 {self.start + k}")


def on_stack(out: Emitter, sizes: dict[str, int]) -> dict[str, StackVectors]:
    """Emit where vectors lie on the stack, one part after the other, and return the parts."""
    vectors, start = {}, 0
    for name, size in sizes.items():
        vectors[name] = StackVectors(out, name, start, size)
        start += size
    out.line(f"%on_stack = alloca [{start} x {out.lanes.type}], align {ALIGN}")
    return vectors


def iteration_loop(loop: Iteration, lanes: Lanes) -> str:
    """Return a module with `run`, which takes a batch of trajectories rows × every steps further.

    Its arguments; distances are in bytes:

        state, constants   one row a trajectory; the state is read first and written last
        given              a trajectory's rows begin at offsets[i] and are given_step apart
        kept               for each output, where a row goes after every so many steps; those of
                           the next trajectory are kept_step further
        count, first       how many trajectories, and the number of the first step
        h                  how long a step is
    """
    out = Emitter(lanes)
    # what a stage takes, in its order; then where it leaves its results
    vectors = on_stack(out, {**loop.sizes, "later": loop.sizes["state"]})
    state, constants, given = (vectors[name] for name in ("state", "constants", "given"))
    outputs = loop.kept.outputs
    bases = [_element(out, "%kept", "ptr", str(k)) for k in range(len(outputs))]
    steps = [_element(out, "%kept_step", "i64", str(k)) for k in range(len(outputs))]
    out.line("%last = sub i64 %count, 1")

    with counted(out, "block", "%count", lanes.count) as first_lane:
        mine = _trajectories(out, first_lane)
        for vector in (state, constants):
            vector.fill(_rows(out, f"%{vector.name}", mine, vector.row_size))
        with counted(out, "row", "%rows") as row:
            with counted(out, "step", "%every") as step:
                number, time, length = _number(out, row, step)
                vectors["t"].put(0, time)
                vectors["h"].put(0, length)
                if given.size:
                    given.fill(_given_rows(out, mine, number))
                for k, stage in enumerate(loop.stages):
                    with counted(out, f"stage{k}", str(stage.repeats)):
                        _advance(out, stage.program, vectors)
            targets = []
            for port, base, distance in zip(outputs, bases, steps, strict=True):
                at = out.value(f"mul i64 {row}, {port.size * lanes.size}")
                start = out.value(f"getelementptr i8, ptr {base}, i64 {at}")
                targets.append(OutputRows(out, _rows(out, start, mine, distance), port.size))
            _keep(out, loop.kept, state, targets)
        after = OutputRows(out, _rows(out, "%state", mine, state.row_size), state.size)
        for k in range(state.size):
            after.put(k, state.get(k))
    out.line("ret void")
    head = f"define void @run({', '.join(ARGUMENTS)}) #0 {{\nentry:"
    return module(out, [head, *out.lines, "}"])


@contextmanager
def counted(out: Emitter, name: str, limit: str, by: int = 1) -> Iterator[str]:
    """Repeat what is emitted inside for 0, by, 2 by, ... below a limit, and at least once."""
    if limit == "1":
        yield "0"
        return
    out.line(f"br label %{name}.enter")
    out.lines.append(f"{name}.enter:")
    out.line(f"br label %{name}")
    out.lines.append(f"{name}:")
    out.line(f"%{name}.i = phi i64 [0, %{name}.enter], [%{name}.next, %{name}.end]")
    yield f"%{name}.i"
    out.line(f"br label %{name}.end")
    out.lines.append(f"{name}.end:")
    out.line(f"%{name}.next = add i64 %{name}.i, {by}")
    out.line(f"%{name}.more = icmp slt i64 %{name}.next, {limit}")
    out.line(f"br i1 %{name}.more, label %{name}, label %{name}.done")
    out.lines.append(f"{name}.done:")


def _advance(out: Emitter, program: Program, vectors: dict[str, StackVectors]) -> None:
    """Emit a program from a state to the next; its results are stored when all is read.

    A long one is a block that is called: what it takes lies there as it wants it.
    """
    state, later = vectors["state"], vectors["later"]
    if is_long(program, out.lanes):
        taken = [vectors[port.name].at(0) for port in program.inputs]
        places = [f"ptr {place}" for place in (*taken, later.at(0))]
        out.call_piece(block_function(out, program), places)
        for k in range(state.size):
            if program.results[k] != k:
                state.put(k, later.get(k))
        return
    fetched: dict[int, str] = {}
    results: dict[int, str] = {}

    def entry(k: int) -> str:
        fetched[k] = state.get(k)  # the first of all that lies there
        return fetched[k]

    emit_values(out, program, entry, results.__setitem__)
    for k, value in results.items():
        if value != fetched.get(k):  # an entry that stays as it is lies there already
            state.put(k, value)


def _keep(out: Emitter, program: Program, state: StackVectors, targets: list[OutputRows]) -> None:
    """Emit what is kept of a state and of the constants, which lie behind it."""
    places = [(target, k) for target in targets for k in range(target.size)]

    def put(k: int, value: str) -> None:
        target, at = places[k]
        target.put(at, value)

    emit_values(out, program, state.get, put)


def _trajectories(out: Emitter, first: str) -> list[str]:
    """Return the trajectory of each lane; lanes beyond the last one do the last one again."""
    mine = []
    for lane in range(out.lanes.count):
        number = out.value(f"add i64 {first}, {lane}")
        beyond = out.value(f"icmp sgt i64 {number}, %last")
        mine.append(out.value(f"select i1 {beyond}, i64 %last, i64 {number}"))
    return mine


def _number(out: Emitter, row: str, step: str) -> tuple[str, str, str]:
    """Return the number k of the step, and its time k h and length h in all lanes."""
    before = out.value(f"mul i64 {row}, %every")
    inside = out.value(f"add i64 {before}, {step}")
    number = out.value(f"add i64 %first, {inside}")
    count = out.value(f"sitofp i64 {number} to double")
    time = out.value(f"fmul double {count}, %h")
    return number, _everywhere(out, time), _everywhere(out, "%h")


def _everywhere(out: Emitter, x: str) -> str:
    if out.lanes.single:
        x = out.value(f"fptrunc double {x} to float")
    return out.everywhere(x)


def _rows(out: Emitter, base: str, mine: list[str], distance: int | str) -> list[str]:
    """Return where the row of each lane's trajectory is."""
    steps = [out.value(f"mul i64 {number}, {distance}") for number in mine]
    return [out.value(f"getelementptr i8, ptr {base}, i64 {step}") for step in steps]


def _given_rows(out: Emitter, mine: list[str], number: str) -> list[str]:
    """Return where each lane's row for a step is."""
    step = out.value(f"mul i64 {number}, %given_step")
    now = out.value(f"getelementptr i8, ptr %given, i64 {step}")
    offsets = [_element(out, "%offsets", "i64", trajectory) for trajectory in mine]
    return [out.value(f"getelementptr i8, ptr {now}, i64 {offset}") for offset in offsets]


def _element(out: Emitter, array: str, kind: str, k: str) -> str:
    where = out.value(f"getelementptr {kind}, ptr {array}, i64 {k}")
    return out.value(f"load {kind}, ptr {where}")
