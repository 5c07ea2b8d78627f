"""Reading typed values out of XML elements, collecting every problem with its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from qddot.errors import BadExpression, Problem, Severity, shorten
from qddot.readers.xml import Element
from qddot.scalars.reader import read_number

ZERO = (0, 0, 0)
OWN = "of a maker's own"  # kind of stray
MOST_TOLD = 3  # elements of which there should be one
# what attributes are where they are not given; a misspelt one that says the same changes nothing
USUAL = {
    ("origin", "xyz"): ZERO,
    ("origin", "rpy"): ZERO,
    ("dynamics", "damping"): (0,),
    ("dynamics", "friction"): (0,),
    ("mimic", "multiplier"): (1,),
    ("mimic", "offset"): (0,),
}
MOST_STRAYS = 100  # kinds of elements and attributes that mean nothing; more is no slip


class Findings:
    """What is wrong with a document; what means nothing in it is reported once."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.strays: dict[tuple[str, str], list[tuple[str, int]]] = {}

    def stray(self, kind: str, what: str, place: str, line: int) -> None:
        """Note something that means nothing where it stands."""
        if len(self.strays) > MOST_STRAYS:
            what = "more of this kind"
        self.strays.setdefault((kind, what), []).append((place, line))

    def all(self) -> list[Problem]:
        """Return every problem, in the order of the document."""
        told = [self._told(*key, places) for key, places in self.strays.items()]
        return sorted([*self.problems, *told], key=lambda problem: problem.line or 0)

    def _told(self, kind: str, what: str, places: list[tuple[str, int]]) -> Problem:
        place, line = places[0]
        others = len(places) - 1
        more = f" (and {others} more time{'s' * (others > 1)})" if others else ""
        if what.startswith("<xacro:"):
            remedy = "Name the file .xacro, or expand it first: xacro in.xacro > out.urdf."
            return Problem("error", place, f"{what} is an instruction to xacro", remedy, line)
        if kind == OWN:
            remedy = "What they mean is not published: give measured damping and friction."
            return Problem("warning", place, f"{what}: not used{more}", remedy, line)
        message = f"{what} means nothing {kind} and is ignored{more}"
        return Problem("warning", place, message, "Remove it, or check its spelling.", line)


class XmlNode:
    """One element, read attribute by attribute; what is wrong goes to `findings`."""

    def __init__(self, element: Element, place: str, findings: Findings):
        self.element, self.place, self.findings = element, place, findings
        self.line = element.line

    def problem(self, message: str, remedy: str, severity: Severity = "error") -> None:
        """Note something wrong with this element."""
        self.findings.problems.append(Problem(severity, self.place, message, remedy, self.line))

    # attributes

    def has(self, key: str) -> bool:
        return key in self.element.attributes

    def text(self, key: str) -> str:
        """Return a text that must be given."""
        value = self.element.attributes.get(key)
        if value is None:
            self._missing(key)
        return value or ""

    def required(self, key: str) -> float:
        """Return a number that must be given."""
        if not self.has(key):
            self._missing(key)
            return 0
        return self.number(key, 0)

    def number(self, key: str, default: float) -> float:
        """Return a number, or the default where it is not given."""
        value = self.element.attributes.get(key)
        return default if value is None else self._number(key, value)

    def vector(self, key: str, default: tuple = ZERO, count: int = 3) -> tuple:
        """Return as many numbers as `count` says, or the default where they are not given."""
        value = self.element.attributes.get(key)
        if value is None:
            return default
        spaced = value.replace(",", " ").split(maxsplit=count)
        if value.count(",") == count - 1 and len(spaced) == count:
            remedy = f'Separate them by spaces: {key}="{shorten(" ".join(spaced))}".'
            self._about(key, f"{shorten(value)!r} has commas between its numbers", remedy)
            return default
        parts = value.split(maxsplit=count)
        if len(parts) != count:
            size = str(len(parts)) if len(parts) < count else f"more than {count}"
            remedy = f"Give {count} numbers, separated by spaces."
            self._about(key, f"{shorten(value)!r} is {size} numbers", remedy)
            return default
        return tuple(self._number(key, part) for part in parts)

    # children

    def child(self, tag: str, first_of: bool = False) -> XmlNode | None:
        """Return the child of this tag, or None where there is none.

        Several are refused, unless they are alike or the first of them is the one that counts.
        """
        found = [element for element in self.element.children if element.tag == tag]
        if not found:
            return None
        if len(found) > 1:
            message = f"there are {len(found)} <{tag}> elements"
            different = dict.fromkeys(each.written() for each in found)
            severity: Severity = "error"
            if first_of or len(different) == 1:
                severity, shown = "warning", [shorten(x, 80) for x in [*different][:MOST_TOLD]]
                which = " and ".join(shown) if len(shown) > 1 else "all alike"
                message += f" ({which}); the first is taken"
            second = XmlNode(found[1], self.place, self.findings)
            second.problem(message, "Keep one of them.", severity)
        return XmlNode(found[0], self.place, self.findings)

    def children(self, tag: str) -> Iterator[XmlNode]:
        """Yield every child of this tag, named in problems by its own name."""
        for element in self.element.children:
            if element.tag == tag:
                name = element.attributes.get("name", "")
                place = f"{tag} {shorten(name)!r}" if name else f"a <{tag}> without a name"
                yield XmlNode(element, place, self.findings)

    # what is there and should not be

    def only(self, attributes: Iterable[str], children: Iterable[str] = ()) -> None:
        """Refuse what looks like a slip of the pen, and note the rest that was not read.

        A slip is a name that resembles a known one which is not there itself.
        """
        element = self.element
        known = list(attributes)
        for key in element.attributes:
            if key not in known:
                near = self._slip(key, [name for name in known if not self.has(name)])
                if near and not self._says_the_usual(key, near):
                    self._about(key, "there is no such attribute", f"Did you mean {near!r}?")
                else:
                    what = f" (perhaps {near}, with the value that it has anyway)" if near else ""
                    where = f"in <{element.tag}>"
                    self.findings.stray(where, shorten(key, 40) + what, self.place, self.line)
        known = list(children)
        there = {child.tag for child in element.children}
        for child in element.children:
            if child.tag not in known:
                if near := self._slip(child.tag, [tag for tag in known if tag not in there]):
                    slip = XmlNode(child, self.place, self.findings)
                    what = f"there is no element <{shorten(child.tag, 40)}>"
                    slip.problem(what, f"Did you mean <{near}>?")
                else:
                    what = f"<{shorten(child.tag, 40)}>"
                    self.findings.stray(f"in <{element.tag}>", what, self.place, child.line)
        if element.text:
            said = f"<{element.tag}> holds text ({shorten(element.text, 40)!r})"
            if known:  # no value: what it holds are elements
                self.problem(f"{said}, which means nothing", "Remove it.", "warning")
            else:
                remedy = f'Values are attributes, like <{element.tag} name="value">.'
                self.problem(said, remedy)

    def _slip(self, name: str, candidates: list[str]) -> str:
        if len(self.findings.strays) > MOST_STRAYS:
            return ""
        near = get_close_matches(name[:40].lower(), candidates, n=1, cutoff=0.6)
        return near[0] if near else ""

    def _says_the_usual(self, key: str, meant: str) -> bool:
        """Return whether a misspelt attribute says what the one meant is without it."""
        try:
            said = tuple(read_number(part) for part in self.element.attributes[key].split(None, 9))
        except BadExpression:
            return False
        return said == USUAL.get((self.element.tag, meant))

    # inside

    def _missing(self, key: str) -> None:
        tag = self.element.tag
        self.problem(f"<{tag}> has no {key}", f'Add it: <{tag} {key}="...">.')

    def _about(self, key: str, message: str, remedy: str) -> None:
        self.problem(f"<{self.element.tag}> {shorten(key, 40)}: {message}", remedy)

    def _number(self, key: str, text: str) -> float:
        try:
            return read_number(text)
        except BadExpression as error:
            if "$" in text:
                remedy = "Name the file .xacro, or expand it first: xacro in.xacro > out.urdf."
                self._about(key, f"{shorten(text)!r} is a xacro expression", remedy)
            else:
                what, _, why = str(error).partition(": ")
                self._about(key, what, f"{why[:1].upper()}{why[1:]}")
            return 0
