"""What a section puts into the page, and the blocks that sections share."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from qddot.errors import printable
from qddot.present.pages.page import code, paragraph, table, text
from qddot.present.report.subject import OWN_FILE, Subject


@dataclass(frozen=True)
class Chapter:
    """A section, written."""

    parts: tuple[str, ...]  # HTML
    data: Mapping[str, Any] = field(default_factory=dict)  # what its scripts find, by name
    glance: str = ""  # the one thing to know of it


def heading(words: str) -> str:
    """Return a heading below that of the section."""
    return f"<h2>{text(words)}</h2>"  # a section makes the headings in it smaller


def folded(summary: str, *parts: str, kind: str = "") -> str:
    """Return parts that open when their summary is chosen; "long" ones stay away from paper."""
    named = f' class="{kind}"' if kind else ""
    return f"<details{named}><summary>{text(summary)}</summary>{''.join(parts)}</details>"


def wordy(head: Sequence[str], rows: Sequence[Sequence[str]], **more: Any) -> str:
    """Return a table whose cells are words, not numbers."""
    return f'<div class="wordy">{table(head, rows, **more)}</div>'


def again(subject: Subject, command: str, python: str) -> str:
    """Return how a reader gets the numbers of a section himself: a command, and Python.

    Args:
        subject: Whose numbers.
        command: A verb and its options, with {robot} for the robot; nothing if there is no verb.
        python: Lines that have a `robot`.
    """
    typed = printable(subject.typed)
    parts = []
    if not subject.source:
        words = f"{OWN_FILE} is the file at the end of this page, saved under that name."
        parts.append(paragraph(words))
    if command:
        line = command.replace("{robot}", shlex.quote(typed))  # names may hold braces
        parts.append(code(f"$ qddot {line}", "console"))
    lines = python.splitlines()
    taken = [line for line in lines if line.startswith("from ")]
    rest = "\n".join(line for line in lines if line not in taken).lstrip("\n")
    first = "\n".join(["import qddot", *taken])
    parts.append(code(f"{first}\n\nrobot = qddot.load({typed!r})\n{rest}", "python"))
    return folded("How to get these numbers again", *parts, kind="again")


def count(number: int, singular: str) -> str:
    """Return "1 joint", "7 joints"."""
    return f"{number:,} {singular}{'' if number == 1 else 's'}"
