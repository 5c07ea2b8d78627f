"""Reading typed values out of XML elements, collecting every problem with its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from qddot.errors import BadExpression, Problem, Severity, shorten
from qddot.readers.xml import Element
from qddot.scalars.reader import read_number

ZERO = (0, 0, 0)
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

    def child(self, tag: str) -> XmlNode | None:
        """Return the only child of this tag, or None where there is none."""
        found = [element for element in self.element.children if element.tag == tag]
        if not found:
            return None
        if len(found) > 1:
            second = XmlNode(found[1], self.place, self.findings)
            second.problem(f"there are {len(found)} <{tag}> elements", "Keep one of them.")
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
                if near := self._slip(key, [name for name in known if not self.has(name)]):
                    self._about(key, "there is no such attribute", f"Did you mean {near!r}?")
                else:
                    where = f"in <{element.tag}>"
                    self.findings.stray(where, shorten(key, 40), self.place, self.line)
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
            remedy = f'Values are attributes, like <{element.tag} name="value">.'
            self.problem(f"<{element.tag}> holds text ({shorten(element.text, 40)!r})", remedy)

    def _slip(self, name: str, candidates: list[str]) -> str:
        if len(self.findings.strays) > MOST_STRAYS:
            return ""
        near = get_close_matches(name[:40].lower(), candidates, n=1, cutoff=0.6)
        return near[0] if near else ""

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
