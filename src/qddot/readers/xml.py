"""Reading XML from any source: strict, with line numbers, and nothing fetched or expanded.

On the standard library's expat. DTDs are refused the moment they begin, so no entity is ever
declared, let alone expanded or fetched; depth and number of elements are limited while parsing.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat
from xml.parsers.expat import errors
from xml.sax.saxutils import escape, quoteattr

from qddot.errors import BadFile, shorten

DEEPEST = 300  # elements in elements
MOST_ELEMENTS = 100_000  # ten times the largest robot description we know of
LONGEST_TEXT = 1000  # characters of an element's text that are kept

ZERO_IS_TEXT = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b"<\0", b"\0<")  # the starts of UTF-16


@dataclass(slots=True)
class Element:
    """One element: what it is called, what it says, what is in it, and where it stands."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The words between its tags, those of its children aside."""
        return "".join(self.words).strip()

    def written(self) -> str:
        """Return it as XML, with all that is in it; comments and indentation are gone."""
        attributes = "".join(f" {key}={quoteattr(x)}" for key, x in self.attributes.items())
        inner = escape(self.text) + "".join(child.written() for child in self.children)
        end = f">{inner}</{self.tag}>" if inner else "/>"
        return f"<{self.tag}{attributes}{end}"


def nothing(tag: str) -> bool:
    """Skip no element."""
    return False


def read_xml(
    data: bytes | str,
    path: str,
    skip: Callable[[str], bool] = nothing,
    most: Mapping[str, int] | None = None,
    longest_text: int = LONGEST_TEXT,
    whole: Container[str] = (),
) -> Element:
    """Return the root element of an XML document.

    Tags to `skip` are left out, with all that is in them. `most` says of which tags the root may
    have how many children; of those in `whole`, nothing is skipped or cut.

    Raises:
        BadFile: If it is not well-formed, or declares a DTD, or is beyond reason.
    """
    return _Reader(path, skip, most or {}, longest_text, whole).read(data)


class _Reader:
    """The handlers of one parse, and the elements that are still open."""

    def __init__(
        self,
        path: str,
        skip: Callable[[str], bool],
        most: Mapping[str, int],
        longest: int,
        whole: Container[str],
    ):
        self.path, self.skip, self.most, self.longest = path, skip, most, longest
        self.left, self.whole = dict(most), whole
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.words
        self.parser.StartDoctypeDeclHandler = self.refuse_dtd
        self.parser.EntityDeclHandler = self.refuse_entity
        self.parser.ExternalEntityRefHandler = self.refuse_entity
        self.root: Element | None = None
        self.open: list[Element] = []
        self.skipped = 0  # how deep we are in an element that is left out
        self.count = 0

    def read(self, data: bytes | str) -> Element:
        self.refuse_binary(data)
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            raise self.malformed(error, data) from None
        except BadFile:  # from a handler; a ValueError too
            raise
        except (LookupError, ValueError) as error:  # an encoding that Python cannot map
            raise self.bad(f"its encoding cannot be read ({error})", "Save it as UTF-8.") from None
        if self.root is None:
            raise self.bad("it holds no XML element", "Is it the right file?")
        return self.root

    # what expat calls

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MOST_ELEMENTS:
            why = f"it has more than {MOST_ELEMENTS} elements"
            raise self.bad(why, "Is it the right file? A robot has far fewer.")
        if len(self.open) + self.skipped >= DEEPEST:
            why = f"<{shorten(tag, 40)}> is nested more than {DEEPEST} elements deep"
            raise self.bad(why, "Close the elements before it; no robot is nested that deep.")
        if self.skipped or (self.root and self.skip(tag) and not self.in_whole):
            self.skipped += 1
            return
        if len(self.open) == 1 and tag in self.left:
            self.refuse_crowd(tag)
        # what another namespace adds to an element is not for us
        own = {key: value for key, value in attributes.items() if ":" not in key and key != "xmlns"}
        element = Element(tag, own, self.parser.CurrentLineNumber)
        if self.root is None:
            self.root = element
        else:
            self.open[-1].children.append(element)
        self.open.append(element)

    @property
    def in_whole(self) -> bool:
        """Whether we are in an element that is read whole."""
        return len(self.open) > 1 and self.open[1].tag in self.whole

    def end(self, tag: str) -> None:
        if self.skipped:
            self.skipped -= 1
        else:
            self.open.pop()

    def words(self, text: str) -> None:
        # between two pieces of a long text there may be only a space
        if not self.skipped and (self.open[-1].words or not text.isspace()):
            self.open[-1].words.append(text if self.in_whole else text[: self.longest])

    def refuse_crowd(self, tag: str) -> None:
        self.left[tag] -= 1
        if self.left[tag] < 0:
            why = f"it has more than {self.most[tag]} {tag}s"
            raise self.bad(why, "Split it, or leave out what does not move.")

    def refuse_dtd(self, name: str, *identifiers: object) -> NoReturn:
        what = f"<!DOCTYPE {shorten(name, 40)} ...>"
        why = f"it declares a DTD ({what}), which could fetch files or multiply text"
        raise self.bad(why, f"Remove the {what}: a robot description needs none.")

    def refuse_entity(self, *anything: object) -> NoReturn:
        why = "it declares an entity, which could fetch files or multiply text"
        raise self.bad(why, "Remove the declaration and write the text where it is meant.")

    # words for what goes wrong

    def refuse_binary(self, data: bytes | str) -> None:
        if isinstance(data, str):
            return
        if not data.strip():
            raise BadFile(self.path, "it is empty", "Write it again from its source.")
        if b"\0" in data and not data.startswith(ZERO_IS_TEXT):
            raise BadFile(self.path, "it is a binary file, not XML", "Name a text file.")

    def bad(self, why: str, remedy: str, line: int | None = None) -> BadFile:
        return BadFile(self.path, why, remedy, line or self.parser.CurrentLineNumber)

    def malformed(self, error: expat.ExpatError, data: bytes | str) -> BadFile:
        if error.code in ENDS_EARLY and (self.open or error.code != NO_ELEMENTS):
            why = "it ends inside its first tag"
            if self.open:
                inside = self.open[-1]
                why = f"it ends inside <{shorten(inside.tag, 40)}>, which line {inside.line} opens"
            return self.bad(why, "It is cut off: copy or export it again.", error.lineno)
        if error.code == TAG_MISMATCH and self.open:
            inside = self.open[-1]
            why = f"<{shorten(inside.tag, 40)}>, which line {inside.line} opens, is not closed here"
            remedy = f"Add </{shorten(inside.tag, 40)}> before, or remove a stray closing tag."
            return self.bad(why, remedy, error.lineno)
        if error.code == JUNK and self.root:
            raw = data.encode() if isinstance(data, str) else data
            at = self.parser.ErrorByteIndex
            if second := re.match(rb"<([\w:.-]+)", raw[at : at + 50]):
                why = f"a second element begins after its first, <{second[1].decode()}>"
                remedy = "A file holds one: put the second into a file of its own."
                return self.bad(why, remedy, error.lineno)
        if error.code == NO_ELEMENTS:
            return self.bad("it holds no XML element", "Is it the right file?", error.lineno)
        why, remedy = ADVICE.get(
            error.code, (f"it is not XML: {expat.ErrorString(error.code)}", "Correct that line.")
        )
        return self.bad(why, remedy, error.lineno)


def _code(message: str) -> int:
    return errors.codes[message]


NO_ELEMENTS = _code(errors.XML_ERROR_NO_ELEMENTS)
JUNK = _code(errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT)
TAG_MISMATCH = _code(errors.XML_ERROR_TAG_MISMATCH)
ENDS_EARLY = {
    NO_ELEMENTS,
    _code(errors.XML_ERROR_UNCLOSED_TOKEN),
    _code(errors.XML_ERROR_PARTIAL_CHAR),
    _code(errors.XML_ERROR_UNCLOSED_CDATA_SECTION),
}
ADVICE = {
    _code(errors.XML_ERROR_INVALID_TOKEN): (
        "it is not XML: a character that cannot stand there",
        "Write < as &lt; and & as &amp;, put values in quotes, and save it as UTF-8.",
    ),
    _code(errors.XML_ERROR_SYNTAX): (
        "it is not XML: text where an element must begin",
        'Begin with <?xml version="1.0"?>, <robot name="..."> or <mujoco>.',
    ),
    _code(errors.XML_ERROR_DUPLICATE_ATTRIBUTE): (
        "an attribute is given twice in one element",
        "Keep one of the two.",
    ),
    JUNK: (
        "something follows after the end of the first element",
        "A file has one outermost element: remove the rest, or a stray closing tag before it.",
    ),
    _code(errors.XML_ERROR_UNDEFINED_ENTITY): (
        "it uses an entity that does not exist",
        "Write & as &amp;, or the character itself.",
    ),
    _code(errors.XML_ERROR_BAD_CHAR_REF): (
        "a reference like &#27; names a character that XML does not allow",
        "Write the text without control characters.",
    ),
    _code(errors.XML_ERROR_MISPLACED_XML_PI): (
        "something stands before <?xml ... ?>",
        "Delete what is before it, blank lines too.",
    ),
    _code(errors.XML_ERROR_UNKNOWN_ENCODING): (
        "it is in an encoding that cannot be read",
        "Save it as UTF-8.",
    ),
    _code(errors.XML_ERROR_INCORRECT_ENCODING): (
        "it is not in the encoding that its first line declares",
        'Correct encoding="..." in the first line, or save it as UTF-8.',
    ),
}
