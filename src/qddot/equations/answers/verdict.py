"""What a check found: whether an answer is right, and if not, where, by how much and why."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from qddot.errors import printable
from qddot.plain_text import fitted
from qddot.results import in_notebook

EntryPlace = tuple[int, ...]  # of an entry, counted from 1; () for a quantity that is one formula


@dataclass(frozen=True)
class WrongEntry:
    """An entry that is not right: by how much, and the simplest state that shows it."""

    place: EntryPlace
    difference: str  # yours − right, in closed form; nothing for a function
    state: str  # "q2 = π/2, every parameter 1"
    yours: float
    right: float

    def __str__(self) -> str:
        closed = f"yours − right = {self.difference}; " if self.difference else ""
        return f"{closed}{self.state}: yours is {self.yours:.6g}, right is {self.right:.6g}"


@dataclass(frozen=True)
class Explanation:
    """What a wrong answer looks like; `proved`, if it is exactly what the mistake gives."""

    kinds: tuple[str, ...]  # "steiner_missing"; two where two mistakes are needed
    words: str
    places: tuple[EntryPlace, ...] = ()  # which entries it explains; none: all of the answer
    proved: bool = True
    of: str = ""  # what it explains, if not the answer itself: "C q̇"

    def __str__(self) -> str:
        entries = [place for place in self.places if place]
        what, verb = self.of or "your answer", "is"
        if entries:
            word, verb = ("entry", "is") if len(entries) == 1 else ("entries", "are")
            what = f"{word} {listed(entries)}" + (f" of {self.of}" if self.of else "")
        how = "exactly" if self.proved else "at every state that was tried"
        return f"{what} {verb} {how} what one gets if {self.words}."


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right.

    `ok` is True, False, or None where that could not be decided; `reason` says why in a sentence,
    `wrong` which entries are not right, `mistakes` what they look like.
    """

    robot: str
    quantity: str
    ok: bool | None
    reason: str
    how: str = "exactly"  # or "numerically", which is no proof
    wrong: tuple[WrongEntry, ...] = ()
    mistakes: tuple[Explanation, ...] = ()
    notes: tuple[str, ...] = ()  # what was understood, and what else is worth knowing
    entries: int = 0  # how many of the right ones are not 0; none where the shape is another

    @property
    def right(self) -> bool:
        """Whether the answer was shown to be right."""
        return self.ok is True

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong, a sentence each; nothing if the answer is right."""
        if self.ok:
            return ()
        entries = [f"{listed([e.place])}: {e}" if e.place else str(e) for e in self.wrong]
        first, same = self.mistakes[:1], self.mistakes[1:]
        said = [str(m) if m.places else f"the same comes out if {m.words}." for m in same]
        return (self.reason, *entries, *map(capitalised, (*first, *said)))

    @fitted
    def __str__(self) -> str:
        lines = self.problems or (self.reason,)
        return printable("\n  ".join([*lines, *self.notes]))

    __repr__ = __str__
    _repr_html_ = in_notebook("certificates.verdict_html")

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, as `--json` prints it."""
        return asdict(self)


def listed(places: Any) -> str:
    """Return places of entries as people write them: [1, 2] and [2, 1]."""
    texts = [f"[{', '.join(map(str, place))}]" for place in places]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def capitalised(sentence: Any) -> str:
    text = str(sentence)
    return text[0].upper() + text[1:]
