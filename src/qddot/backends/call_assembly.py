"""The assembly of a builtin function that checks its arguments and takes the short way.

`call(self, args, nargs, names)` has the form in which the interpreter calls. It goes along a chain
of links, one for each layout that calls have had. A link looks whether a call has its layout: the
same keywords, the same words, arrays where it has arrays. If it has, and every array is exactly
what the program wants, of one state or in rows of states, the link makes the result's arrays, runs
the program, and returns. A call of another layout is for the next link; one with other arrays goes
to the owner, as does the end of the chain.
"""

from __future__ import annotations

from qddot.backends.call_batch import emit_batch
from qddot.backends.call_layout import ArrayPlace, CallLayout
from qddot.backends.call_pieces import ITEMS, LENGTH, TABLE, TYPE, WRITEABLE, CallPieces
from qddot.backends.gufunc import DATA, NDIM, SHAPE
from qddot.backends.ir import Lanes
from qddot.program.program import Port, Program

ARGUMENTS = "ptr %self, ptr %args, i64 %nargs, ptr %names"


def texts_of(layout: CallLayout) -> list[str | None]:
    """Return the objects whose addresses stand at the end of a table."""
    keys = [place.key for place in layout.inputs if isinstance(place.key, str)]
    return [*layout.keywords, *(word for _, word in layout.words), *keys]


def link_module(
    layout: CallLayout,
    program: Program,
    lanes: Lanes,
    *,
    named: bool = False,
    guarded: bool = False,
    batches: bool = False,
) -> str:
    """Return a module with `call`, which finds the chain, and with `link`.

    The layout says where the arguments have the arrays; there is one lane, of the type of the
    arrays. `named`: several results come in a tuple of a type of its own. `guarded`: the last
    result says by 1 that the others are right; if they are not, it is a call for the owner.
    `batches`: these go this way too.
    """
    lines = [
        f"define ptr @call({ARGUMENTS}) #0 {{",
        f"  %chain.at = getelementptr i8, ptr %self, i64 {ITEMS}",
        "  %chain = load ptr, ptr %chain.at",
        f"  %first.at = getelementptr i8, ptr %chain, i64 {DATA}",
        "  %first = load ptr, ptr %first.at",
        "  %table = load ptr, ptr %first",
        "  %link = load ptr, ptr %table",
        f"  %answer = tail call ptr %link({ARGUMENTS}, ptr %table)",
        "  ret ptr %answer",
        "}",
        f"define ptr @link({ARGUMENTS}, ptr %table) #0 {{",
        *CallLink(layout, program, lanes, named, guarded).text(batches),
        "}",
        "attributes #0 = { nounwind }",
        "",
    ]
    return "\n".join(lines)


class CallLink(CallPieces):
    """The lines of `link`."""

    def __init__(
        self, layout: CallLayout, program: Program, lanes: Lanes, named: bool, guarded: bool
    ):
        super().__init__(lanes, named)
        self.layout, self.program, self.guarded = layout, program, guarded
        self.results = program.outputs[:-1] if guarded else program.outputs
        self.texts = len(TABLE)  # the next entry behind the fixed ones

    def text(self, batches: bool) -> list[str]:
        """Return all of them."""
        self.check_names()
        for argument, word in self.layout.words:
            self.check_word(self.argument(argument), word)
        for holder in self.layout.holders:
            self.check_holder(*holder)
        objects = [self.object_at(place) for place in self.layout.inputs]
        given = [self.object_at(place) for place in self.layout.outputs]
        self.elsewhere = "batch" if batches else "general"
        self.one_state(objects, given)
        if batches:
            self.lines.append("batch:")
            self.elsewhere = "general"
            emit_batch(self, self.program, objects, given)
        self.ends()
        return [*self.head, *self.lines]

    def one_state(self, objects: list[str], given: list[str]) -> None:
        inputs, outputs = self.program.inputs, self.results
        for x, port in zip(objects, inputs, strict=True):
            self.check_array(x, port)
        for x, port in zip(given, outputs, strict=False):
            self.check_array(x, port, WRITEABLE)
        data = [self.field(x, DATA) for x in objects]
        size = self.lanes.size
        for x, port in zip(given, outputs, strict=False):
            written = self.field(x, DATA)
            for read, of in zip(data, inputs, strict=True):
                self.check_apart(written, port.size * size, read, of.size * size)
        state = self.entry("state")
        self.must(self.value(f"icmp ne ptr {state}, null"))
        made = given or [self.new_array(port.shape) if port.shape else "" for port in outputs]
        places = [self.field(x, DATA) if x else self.own_memory() for x in made]
        guard = [self.own_memory()] if self.guarded else []
        pointers = ", ".join(f"ptr {x}" for x in (*data, *places, *guard))
        self.line(f"call void {state}({pointers})")
        for flag in guard:
            self.check_guard(flag, made if not given else [])
        made = [x or self.new_scalar(place) for x, place in zip(made, places, strict=True)]
        self.count("take", given)
        self.give_back(made)

    def next_text(self) -> str:
        self.texts += 1
        return self.field("%table", 8 * (self.texts - 1))

    def argument(self, k: int) -> str:
        return self.field("%args", 8 * k)

    # whether a call has this layout

    def check_names(self) -> None:
        self.must(self.same("%nargs", str(self.layout.positional), "i64"), "next")
        if not self.layout.keywords:
            self.must(self.same("%names", "null"), "next")
            return
        self.must(self.value("icmp ne ptr %names, null"), "next")
        count = str(len(self.layout.keywords))
        self.must(self.same(self.field("%names", LENGTH, "i64"), count, "i64"), "next")
        for k in range(len(self.layout.keywords)):
            name = self.field("%names", ITEMS + 8 * k)
            self.must(self.same(name, self.next_text()), "next")  # the interpreter has one of each

    def check_word(self, x: str, word: str | None) -> None:
        known = self.next_text()
        same = self.same(x, known)
        if word is None:
            self.must(same, "next")
            return
        self.fresh += 1
        other, done = f"other{self.fresh}", f"done{self.fresh}"
        self.line(f"br i1 {same}, label %{done}, label %{other}")
        self.lines.append(f"{other}:")
        self.must(self.same(self.field(x, TYPE), self.entry("text type")), "next")
        order = self.value(f"call i32 {self.entry('compare texts')}(ptr {x}, ptr {known})")
        self.line(f"br i1 {self.same(order, '0', 'i32')}, label %{done}, label %next")
        self.lines.append(f"{done}:")

    def check_holder(self, argument: int, kind: str, length: int) -> None:
        x = self.argument(argument)
        self.must(self.same(self.field(x, TYPE), self.entry(f"{kind} type")), "next")
        if kind == "dict":
            size = self.value(f"call i64 {self.entry('length of dict')}(ptr {x})")
        else:
            size = self.field(x, LENGTH, "i64")
        self.must(self.same(size, str(length), "i64"), "next")

    def object_at(self, place: ArrayPlace) -> str:
        x = self.argument(place.argument)
        if isinstance(place.key, int):
            return self.field(x, ITEMS + 8 * place.key)
        if place.key is None:
            return x
        item = self.value(f"call ptr {self.entry('item of dict')}(ptr {x}, ptr {self.next_text()})")
        self.must(self.value(f"icmp ne ptr {item}, null"), "next")
        return item

    # whether its arrays are exactly those that the program wants

    def check_array(self, x: str, port: Port, more_flags: int = 0) -> None:
        self.check_kind(x, more_flags)
        self.must(self.same(self.field(x, NDIM, "i32"), str(len(port.shape)), "i32"))
        if port.shape:
            self.check_lengths(self.field(x, SHAPE), port.shape)

    def new_scalar(self, place: str) -> str:
        new, dtype = self.entry("new scalar"), self.entry("dtype")
        return self.value(f"call ptr {new}(ptr {place}, ptr {dtype}, ptr null)")

    def check_guard(self, flag: str, made: list[str]) -> None:
        """Go on if the program says that it is right; else let go of its results."""
        self.fresh += 1
        right, wrong = f"right{self.fresh}", f"wrong{self.fresh}"
        said = self.value(f"load {self.lanes.name}, ptr {flag}")
        one = self.value(f"fcmp oeq {self.lanes.name} {said}, {self.lanes.constant(1.0)}")
        self.line(f"br i1 {one}, label %{right}, label %{wrong}")
        self.lines.append(f"{wrong}:")
        self.count("let go", list(filter(None, made)))
        self.line("br label %general")
        self.lines.append(f"{right}:")

    def ends(self) -> None:
        """Emit where calls go that are not for this link."""
        self.lines.append("next:")
        following = self.entry("next")
        self.line(f"%end = icmp eq ptr {following}, null")
        self.line("br i1 %end, label %general, label %on")
        self.lines.append("on:")
        link = self.field(following, 0)
        self.line(f"%passed = tail call ptr {link}({ARGUMENTS}, ptr {following})")
        self.line("ret ptr %passed")
        self.lines.append("general:")
        self.line(f"%answer = tail call ptr {self.entry('vectorcall')}({ARGUMENTS})")
        self.line("ret ptr %answer")
        self.lines.append("failed:")
        self.line("ret ptr null")
