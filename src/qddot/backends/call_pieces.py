"""What the assembly of a builtin function is put together from: fields, checks, new results.

What differs from function to function or from run to run stands in a table of addresses, so that
code can be kept, and shared by all of the same form.
"""

from __future__ import annotations

from qddot.backends.gufunc import BYTE_ORDER, DESCR, FLAGS, NATIVE, TYPE_NUMBER, TYPE_NUMBERS
from qddot.backends.ir import Emitter, Lanes

CONTIGUOUS_AND_ALIGNED, WRITEABLE = 0x0001 | 0x0100, 0x0400
TYPE, LENGTH = 8, 16  # where any object has its type, and a tuple its length [bytes]
ITEMS = tuple.__basicsize__  # and its items; before them stands a hash since Python 3.14

# addresses, in this order, and two numbers of states; behind them stand the addresses of the
# layout's keywords, words and keys of dicts
TABLE = (
    *("link", "next", "state", "loop", "array type", "dtype", "new array", "new scalar"),
    *("vectorcall", "new tuple", "results", "text type", "dict type", "tuple type"),
    *("compare texts", "item of dict", "length of dict", "take", "let go"),
    *("let others run", "go on alone", "most states", "many states"),
)


class CallPieces(Emitter):
    """Lines in the making, for a call whose arguments are looked at one by one."""

    def __init__(self, lanes: Lanes, named: bool):
        super().__init__(lanes)
        self.named = named  # whether several results come in a tuple of a type of its own
        self.head: list[str] = []  # memory of its own, which must be asked for first
        self.elsewhere = "general"  # where a call goes whose arrays are others

    def field(self, pointer: str, offset: int, kind: str = "ptr") -> str:
        where = self.value(f"getelementptr i8, ptr {pointer}, i64 {offset}")
        return self.value(f"load {kind}, ptr {where}")

    def entry(self, what: str, kind: str = "ptr") -> str:
        return self.field("%table", 8 * TABLE.index(what), kind)

    def same(self, a: str, b: str, kind: str = "ptr") -> str:
        return self.value(f"icmp eq {kind} {a}, {b}")

    def both(self, a: str, b: str) -> str:
        return self.value(f"and i1 {a}, {b}")

    def choose(self, condition: str, kind: str, a: str | int, b: str | int) -> str:
        return self.value(f"select i1 {condition}, {kind} {a}, {kind} {b}")

    def must(self, condition: str, otherwise: str = "") -> None:
        """Go on only if so."""
        otherwise = otherwise or self.elsewhere
        self.fresh += 1
        label = f"b{self.fresh}"
        self.line(f"br i1 {condition}, label %{label}, label %{otherwise}")
        self.lines.append(f"{label}:")

    def own_memory(self, kind: str = "", count: int = 1) -> str:
        self.fresh += 1
        name = f"%m{self.fresh}"
        self.head.append(f"  {name} = alloca {kind or self.lanes.name}, i64 {count}")
        return name

    # arrays

    def check_kind(self, x: str, more_flags: int = 0) -> None:
        """Go on only with an array of the right type, contiguous and aligned."""
        self.must(self.same(self.field(x, TYPE), self.entry("array type")))
        flags = CONTIGUOUS_AND_ALIGNED | more_flags
        have = self.value(f"and i32 {self.field(x, FLAGS, 'i32')}, {flags}")
        self.must(self.same(have, str(flags), "i32"))
        dtype = self.field(x, DESCR)  # each array that was pickled has one of its own
        number = self.field(dtype, TYPE_NUMBER, "i32")
        kind = self.same(number, str(TYPE_NUMBERS[self.lanes.size]), "i32")
        order = self.same(self.field(dtype, BYTE_ORDER, "i8"), str(NATIVE), "i8")
        self.must(self.both(kind, order))

    def check_lengths(self, lengths: str, wanted: tuple[int | str, ...]) -> None:
        """Go on only if these are the lengths of axes that stand there."""
        fit = ""
        for d, length in enumerate(wanted):
            same = self.same(self.field(lengths, 8 * d, "i64"), str(length), "i64")
            fit = self.both(fit, same) if fit else same
        if fit:
            self.must(fit)

    def check_apart(self, written: str, size: str | int, read: str, read_size: str | int) -> None:
        """Go on only if nothing is read where results are written; sizes in bytes."""
        end, stop = (
            self.value(f"getelementptr i8, ptr {start}, i64 {length}")
            for start, length in ((written, size), (read, read_size))
        )
        before = self.value(f"icmp ule ptr {stop}, {written}")
        behind = self.value(f"icmp ule ptr {end}, {read}")
        self.must(self.value(f"or i1 {before}, {behind}"))

    def new_array(self, shape: tuple[int | str, ...]) -> str:
        lengths = self.own_memory("i64", len(shape))
        for d, length in enumerate(shape):
            self.store("i64", length, lengths, d)
        made = self.value(
            f"call ptr {self.entry('new array')}(ptr {self.entry('array type')}, "
            f"i32 {len(shape)}, ptr {lengths}, i32 {TYPE_NUMBERS[self.lanes.size]}, "
            "ptr null, ptr null, i32 0, i32 0, ptr null)"
        )
        self.must(self.value(f"icmp ne ptr {made}, null"), "failed")
        return made

    def store(self, kind: str, x: str | int, where: str, k: int) -> None:
        at = self.value(f"getelementptr {kind}, ptr {where}, i64 {k}")
        self.line(f"store {kind} {x}, ptr {at}")

    def count(self, what: str, objects: list[str]) -> None:
        """Count a reference more to each ("take"), or one less ("let go")."""
        for x in objects:
            self.line(f"call void {self.entry(what)}(ptr {x})")

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
