"""A docstring of the house, taken apart: first line, text, and the sections Args, Returns, ..."""

import inspect
import re
from dataclasses import dataclass
from typing import Any

TITLES = ("Args", "Attributes", "Returns", "Yields", "Raises", "Example", "Examples")
WITH_ROWS = ("Args", "Attributes", "Raises")
TITLE = re.compile(rf"^({'|'.join(TITLES)}):\s*$")
ROW = re.compile(r"^(\*{0,2}[\w.]+(?:, \*{0,2}[\w.]+)*):\s*(.*)$")
SENTENCE = re.compile(r"(.+?[.!?])(\s|$)", re.DOTALL)


@dataclass(frozen=True)
class Section:
    """A part of a docstring under a title: rows of names and words, or text."""

    title: str
    rows: tuple[tuple[str, str], ...] = ()
    text: str = ""


@dataclass(frozen=True)
class Docstring:
    """What a docstring says."""

    summary: str = ""
    text: str = ""
    sections: tuple[Section, ...] = ()

    @property
    def first_sentence(self) -> str:
        """What there is, in one sentence."""
        found = SENTENCE.match(self.summary)
        return found[1] if found else self.summary


def docstring_of(thing: Any) -> Docstring:
    """Return the docstring of a function, class or property, inherited where it has none."""
    return parsed(inspect.getdoc(thing) or "")


def parsed(text: str) -> Docstring:
    """Return a docstring, taken apart. It has lost its indentation already."""
    lines = text.expandtabs(4).strip().split("\n")
    starts = [k for k, line in enumerate(lines) if TITLE.match(line)]
    head = lines[: starts[0]] if starts else lines
    summary, _, rest = "\n".join(head).strip().partition("\n\n")
    sections = []
    for k, start in enumerate(starts):
        end = starts[k + 1] if k + 1 < len(starts) else len(lines)
        body, after = indented(lines[start + 1 : end])
        sections.append(section(lines[start].rstrip(": "), body))
        # flush-left words after a section belong to the text
        rest = "\n\n".join(filter(None, [rest, after]))
    return Docstring(" ".join(summary.split("\n")), rest.strip("\n"), tuple(sections))


def indented(lines: list[str]) -> tuple[list[str], str]:
    """Return the lines that belong to a section, and the text that follows it."""
    end = next((k for k, line in enumerate(lines) if line and line[0] != " "), len(lines))
    body = inspect.cleandoc("\n" + "\n".join(lines[:end])).split("\n")
    return body, "\n".join(lines[end:]).strip()


def section(title: str, lines: list[str]) -> Section:
    if title not in WITH_ROWS:
        return Section(title, text="\n".join(lines).strip())
    rows: list[list[str]] = []
    for line in lines:
        found = ROW.match(line)
        if found:
            rows.append([found[1], found[2]])
        elif rows:
            # what goes on is indented below its name
            rows[-1][1] += "\n" + line.strip()
        elif line.strip():
            rows.append(["", line.strip()])
    return Section(title, tuple((name, words.strip()) for name, words in rows))
