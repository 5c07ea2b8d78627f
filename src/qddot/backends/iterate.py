"""Assembly of a whole rollout: for each block of trajectories, a loop over steps.

A block is as many trajectories as there are lanes. Its state and its constants lie on the stack,
one vector an entry, and a program fetches an entry when it first needs it: there are more of them
than registers anyway. Memory is read and written at the start and the end of a block, where a step
is given something anew, and where a state is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from qddot.backends.ir import Emitter, Lanes
from qddot.backends.loops import emit_values, module
from qddot.backends.pieces import Border, emit_in_pieces, is_long
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
    """Vectors on the stack, one an entry."""

    out: Emitter
    name: str
    size: int

    @property
    def row_size(self) -> int:
        """Bytes of a row in memory that fills it, one lane's share."""
        return self.size * self.out.lanes.size

    @property
    def where(self) -> str:
        return f"%on_stack.{self.name}"

    @property
    def declaration(self) -> str:
        kind = f"[{max(self.size, 1)} x {self.out.lanes.type}]"
        return f"{self.where} = alloca {kind}, align {ALIGN}"

    def get(self, k: int) -> str:
        return self.out.value(f"load {self.out.lanes.type}, ptr {self._at(k)}")

    def put(self, k: int, value: str) -> None:
        self.out.line(f"store {self.out.lanes.type} {value}, ptr {self._at(k)}")

    def fill(self, rows: list[str]) -> None:
        """Load every entry from memory, from one row a lane."""
        source = InputRows(self.out, rows, self.size)
        for k in range(self.size):
            self.put(k, source.entry(k))

    def _at(self, k: int) -> str:
        return self.out.value(f"getelementptr {self.out.lanes.type}, ptr {self.where}, i64 {k}")


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
    vectors = [
        StackVectors(out, name, loop.sizes[name]) for name in ("state", "constants", "given")
    ]
    state, constants, given = vectors
    for vector in vectors:
        out.line(vector.declaration)
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
                number, time = _number(out, row, step)
                if given.size:
                    given.fill(_given_rows(out, mine, number))
                for k, stage in enumerate(loop.stages):
                    with counted(out, f"stage{k}", str(stage.repeats)):
                        _advance(out, stage.program, vectors, time)
            targets = []
            for port, base, distance in zip(outputs, bases, steps, strict=True):
                at = out.value(f"mul i64 {row}, {port.size * lanes.size}")
                start = out.value(f"getelementptr i8, ptr {base}, i64 {at}")
                targets.append(OutputRows(out, _rows(out, start, mine, distance), port.size))
            _keep(out, loop.kept, vectors, targets)
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


def _advance(out: Emitter, program: Program, vectors: list[StackVectors], time: list[str]) -> None:
    """Emit a program from a state to the next; its results are stored when all is read."""
    if is_long(program, out.lanes):
        _advance_in_pieces(out, program, vectors, time)
        return
    state = vectors[0]
    sources = [partial(vector.get, k) for vector in vectors for k in range(vector.size)]
    fetched: dict[int, str] = {}

    def entry(k: int) -> str:
        fetched[k] = sources[k]() if k < len(sources) else time[k - len(sources)]
        return fetched[k]

    results: dict[int, str] = {}
    emit_values(out, program, entry, results.__setitem__)
    for k, value in results.items():
        if value != fetched.get(k):  # an entry that stays as it is lies there already
            state.put(k, value)


def _advance_in_pieces(
    out: Emitter, program: Program, vectors: list[StackVectors], time: list[str]
) -> None:
    """Emit the same of a long program, whose results wait on the stack."""
    state, kind = vectors[0], out.lanes.type
    later = StackVectors(out, f"later{out.fresh}", state.size)
    out.lines.insert(0, f"  {later.declaration}")
    places = [(vector, k) for vector in vectors for k in range(vector.size)]

    def border() -> Border:
        def fetch(k: int) -> dict[int, str]:
            if k >= len(places):
                x = time[k - len(places)]
                own.take(f"{kind} {x}")
                return {k: x}
            vector, at = places[k]
            own.take(f"ptr {vector.where}")
            return {k: vector.get(at)}

        def put(entries: Sequence[int], values: list[str]) -> None:
            own.take(f"ptr {later.where}")
            later.put(entries[0], values[0])

        own = Border(fetch, put)
        return own

    changed = [k for k, i in enumerate(program.results) if i != k]
    emit_in_pieces(out, program, border, [(k,) for k in changed])
    for k in changed:
        state.put(k, later.get(k))


def _keep(
    out: Emitter, program: Program, vectors: list[StackVectors], targets: list[OutputRows]
) -> None:
    """Emit what is kept of a state."""
    sources = [partial(vector.get, k) for vector in vectors[:2] for k in range(vector.size)]
    places = [(target, k) for target in targets for k in range(target.size)]

    def put(k: int, value: str) -> None:
        target, at = places[k]
        target.put(at, value)

    emit_values(out, program, lambda k: sources[k](), put)


def _trajectories(out: Emitter, first: str) -> list[str]:
    """Return the trajectory of each lane; lanes beyond the last one do the last one again."""
    mine = []
    for lane in range(out.lanes.count):
        number = out.value(f"add i64 {first}, {lane}")
        beyond = out.value(f"icmp sgt i64 {number}, %last")
        mine.append(out.value(f"select i1 {beyond}, i64 %last, i64 {number}"))
    return mine


def _number(out: Emitter, row: str, step: str) -> tuple[str, list[str]]:
    """Return the number k of the step, and its time k h and length h in all lanes."""
    before = out.value(f"mul i64 {row}, %every")
    inside = out.value(f"add i64 {before}, {step}")
    number = out.value(f"add i64 %first, {inside}")
    count = out.value(f"sitofp i64 {number} to double")
    return number, [_everywhere(out, x) for x in (out.value(f"fmul double {count}, %h"), "%h")]


def _everywhere(out: Emitter, x: str) -> str:
    lanes = out.lanes
    if lanes.single:
        x = out.value(f"fptrunc double {x} to float")
    if lanes.count == 1:
        return x
    first = out.value(f"insertelement {lanes.type} poison, {lanes.name} {x}, i32 0")
    zeros = f"<{lanes.count} x i32> zeroinitializer"
    return out.value(f"shufflevector {lanes.type} {first}, {lanes.type} poison, {zeros}")


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
