"""The assembly of a builtin function that checks its arguments and takes the short way.

`call(self, args, nargs, names)` has the form in which the interpreter calls. It goes along a chain
of links, one for each layout that calls have had. A link looks whether a call has its layout: the
same keywords, the same words, arrays where it has arrays. If it has, and every array is exactly
what the program wants, the link makes the result's arrays, runs the program, and returns. A call of
another layout is for the next link; one with other arrays goes to the owner, as does the end of the
chain.

What differs from link to link or from run to run stands in a table, so that code can be kept, and
shared by all links of the same form.
"""

from __future__ import annotations

from qddot.backends.call_layout import ArrayPlace, CallLayout
from qddot.backends.gufunc import DATA, DESCR, FLAGS, NDIM, SHAPE, TYPE_NUMBERS
from qddot.backends.ir import Emitter, Lanes
from qddot.program.program import Port, Program

CONTIGUOUS_AND_ALIGNED, WRITEABLE = 0x0001 | 0x0100, 0x0400
TYPE, LENGTH = 8, 16  # where any object has its type, and a tuple its length [bytes]
ITEMS = tuple.__basicsize__  # and its items; before them stands a hash since Python 3.14

# addresses, in this order; behind them those of the layout's keywords, words and keys of dicts
TABLE = (
    *("link", "next", "state", "array type", "dtype", "new array", "new scalar", "vectorcall"),
    *("new tuple", "results", "text type", "dict type", "tuple type", "compare texts"),
    *("item of dict", "length of dict", "take", "let go"),
)
ARGUMENTS = "ptr %self, ptr %args, i64 %nargs, ptr %names"


def texts_of(layout: CallLayout) -> list[str | None]:
    """Return the objects whose addresses stand at the end of a table."""
    keys = [place.key for place in layout.inputs if isinstance(place.key, str)]
    return [*layout.keywords, *(word for _, word in layout.words), *keys]


def link_module(
    layout: CallLayout, program: Program, lanes: Lanes, named: bool = False, guarded: bool = False
) -> str:
    """Return a module with `call`, which finds the chain, and with `link`.

    Args:
        layout: Where the arguments have the arrays.
        program: What they are for.
        lanes: One lane, of the type of the arrays.
        named: Whether several results come in a tuple of a type of its own.
        guarded: Whether the last result says if the others are right, by 1; if not, it is a call
            for the owner.
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
        *CallLink(layout, program, lanes, named, guarded).text(),
        "}",
        "attributes #0 = { nounwind }",
        "",
    ]
    return "\n".join(lines)


class CallLink(Emitter):
    """The lines of `link`."""

    def __init__(
        self, layout: CallLayout, program: Program, lanes: Lanes, named: bool, guarded: bool
    ):
        super().__init__(lanes)
        self.layout, self.program, self.named, self.guarded = layout, program, named, guarded
        self.results = program.outputs[:-1] if guarded else program.outputs
        self.head: list[str] = []  # memory of its own, which must be asked for first
        self.texts = len(TABLE)  # the next entry behind the fixed ones

    def text(self) -> list[str]:
        """Return all of them."""
        self.check_names()
        for argument, word in self.layout.words:
            self.check_word(self.argument(argument), word)
        for holder in self.layout.holders:
            self.check_holder(*holder)
        inputs, outputs = self.program.inputs, self.results
        objects = [self.object_at(place) for place in self.layout.inputs]
        given = [self.object_at(place) for place in self.layout.outputs]
        for x, port in zip(objects, inputs, strict=True):
            self.check_array(x, port)
        for x, port in zip(given, outputs, strict=False):
            self.check_array(x, port, WRITEABLE)
        data = [self.field(x, DATA) for x in objects]
        for x, port in zip(given, outputs, strict=False):
            self.check_apart(self.field(x, DATA), port, data)
        made = given or [self.new_array(port) if port.shape else "" for port in outputs]
        places = [self.field(x, DATA) if x else self.own_memory() for x in made]
        guard = [self.own_memory()] if self.guarded else []
        pointers = ", ".join(f"ptr {x}" for x in (*data, *places, *guard))
        self.line(f"call void {self.entry('state')}({pointers})")
        for flag in guard:
            self.check_guard(flag, made if not given else [])
        made = [x or self.new_scalar(place) for x, place in zip(made, places, strict=True)]
        for x in given:
            self.line(f"call void {self.entry('take')}(ptr {x})")
        self.give_back(made)
        self.ends()
        return [*self.head, *self.lines]

    # pieces

    def field(self, pointer: str, offset: int, kind: str = "ptr") -> str:
        where = self.value(f"getelementptr i8, ptr {pointer}, i64 {offset}")
        return self.value(f"load {kind}, ptr {where}")

    def entry(self, what: str) -> str:
        return self.field("%table", 8 * TABLE.index(what))

    def next_text(self) -> str:
        self.texts += 1
        return self.field("%table", 8 * (self.texts - 1))

    def argument(self, k: int) -> str:
        return self.field("%args", 8 * k)

    def same(self, a: str, b: str, kind: str = "ptr") -> str:
        return self.value(f"icmp eq {kind} {a}, {b}")

    def both(self, a: str, b: str) -> str:
        return self.value(f"and i1 {a}, {b}")

    def must(self, condition: str, otherwise: str = "general") -> None:
        """Go on only if so."""
        self.fresh += 1
        label = f"b{self.fresh}"
        self.line(f"br i1 {condition}, label %{label}, label %{otherwise}")
        self.lines.append(f"{label}:")

    def own_memory(self, kind: str = "", count: int = 1) -> str:
        self.fresh += 1
        name = f"%m{self.fresh}"
        self.head.append(f"  {name} = alloca {kind or self.lanes.name}, i64 {count}")
        return name

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
        self.must(self.same(self.field(x, TYPE), self.entry("array type")))
        flags = CONTIGUOUS_AND_ALIGNED | more_flags
        rank = self.same(self.field(x, NDIM, "i32"), str(len(port.shape)), "i32")
        kind = self.same(self.field(x, DESCR), self.entry("dtype"))
        have = self.value(f"and i32 {self.field(x, FLAGS, 'i32')}, {flags}")
        self.must(self.both(self.both(rank, kind), self.same(have, str(flags), "i32")))
        if port.shape:
            lengths = self.field(x, SHAPE)
            fit = [
                self.same(self.field(lengths, 8 * d, "i64"), str(length), "i64")
                for d, length in enumerate(port.shape)
            ]
            for other in fit[1:]:
                fit[0] = self.both(fit[0], other)
            self.must(fit[0])

    def check_apart(self, written: str, port: Port, read: list[str]) -> None:
        """Go on only if nothing is read where results are written."""
        size = self.lanes.size
        end = self.value(f"getelementptr i8, ptr {written}, i64 {port.size * size}")
        for start, of in zip(read, self.program.inputs, strict=True):
            stop = self.value(f"getelementptr i8, ptr {start}, i64 {of.size * size}")
            before = self.value(f"icmp ule ptr {stop}, {written}")
            behind = self.value(f"icmp ule ptr {end}, {start}")
            self.must(self.value(f"or i1 {before}, {behind}"))

    # results

    def new_array(self, port: Port) -> str:
        lengths = self.own_memory("i64", len(port.shape))
        for d, length in enumerate(port.shape):
            where = self.value(f"getelementptr i64, ptr {lengths}, i64 {d}")
            self.line(f"store i64 {length}, ptr {where}")
        made = self.value(
            f"call ptr {self.entry('new array')}(ptr {self.entry('array type')}, "
            f"i32 {len(port.shape)}, ptr {lengths}, i32 {TYPE_NUMBERS[self.lanes.size]}, "
            "ptr null, ptr null, i32 0, i32 0, ptr null)"
        )
        self.must(self.value(f"icmp ne ptr {made}, null"), "failed")
        return made

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
        for x in filter(None, made):
            self.line(f"call void {self.entry('let go')}(ptr {x})")
        self.line("br label %general")
        self.lines.append(f"{right}:")

    def give_back(self, made: list[str]) -> None:
        if len(made) == 1:
            self.line(f"ret ptr {made[0]}")
            return
        new, count = self.entry("new tuple"), len(made)
        if self.named:
            together = self.value(f"call ptr {new}(ptr {self.entry('results')}, i64 {count})")
        else:
            together = self.value(f"call ptr {new}(i64 {count})")
        self.must(self.value(f"icmp ne ptr {together}, null"), "failed")
        if self.named and ITEMS > LENGTH + 8:  # no hash has been computed
            where = self.value(f"getelementptr i8, ptr {together}, i64 {LENGTH + 8}")
            self.line(f"store i64 -1, ptr {where}")
        for k, x in enumerate(made):
            where = self.value(f"getelementptr i8, ptr {together}, i64 {ITEMS + 8 * k}")
            self.line(f"store ptr {x}, ptr {where}")
        self.line(f"ret ptr {together}")

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
