"""What Python says of an object: its docstring, its signature, and the comments on its fields."""

import ast
import html
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from textwrap import dedent
from typing import Any

TITLES = ("Args", "Attributes", "Returns", "Yields", "Raises", "Example", "Examples")
WITH_ROWS = ("Args", "Attributes", "Raises")
TITLE = re.compile(rf"^({'|'.join(TITLES)}):\s*$")
ROW = re.compile(r"^(\*{0,2}[\w.]+(?:, \*{0,2}[\w.]+)*):\s*(.*)$")
SENTENCE = re.compile(r"(.+?[.!?])(\s|$)", re.DOTALL)
WIDEST = 88  # characters
LONGEST = 30  # characters of a default
NAME = re.compile(r"[A-Za-z_][\w.]*")

Link = Callable[[str], str | None]  # the name of a class, to where it is documented
COMMENT = re.compile(r"\s*#\s?(.*)$")


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


def signature_of(thing: Any, name: str, link: Link, *, bound: bool = False) -> str:
    """Return the signature of a function or a class as HTML.

    Args:
        thing: The function or class.
        name: What it is called with.
        link: Where a class that a type names is documented.
        bound: Whether its first argument is the object that it belongs to.
    """
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return html.escape(f"{name}(...)")
    arguments = [*signature.parameters.values()][1 if bound else 0 :]
    shown = [*with_marks(arguments)]
    back = "" if inspect.isclass(thing) else text_of(signature.return_annotation)
    plain = f"{name}({', '.join(plain_argument(a) for a in shown)})" + (
        f" -> {back}" if back else ""
    )
    pieces = [argument(a, link) for a in shown]
    if len(plain) <= WIDEST:
        inside = ", ".join(pieces)
    else:
        inside = "\n" + "".join(f"    {piece},\n" for piece in pieces)
    after = f' <span class="o">-&gt;</span> {linked(back, link)}' if back else ""
    return f'<span class="nf">{html.escape(name)}</span>({inside}){after}'


def with_marks(arguments: list[inspect.Parameter]) -> list[inspect.Parameter | str]:
    """Return the arguments, with * where those begin that are given by name only."""
    shown: list[inspect.Parameter | str] = []
    for argument in arguments:
        starred = any(
            a == "*" or (not isinstance(a, str) and a.kind == a.VAR_POSITIONAL) for a in shown
        )
        if argument.kind == argument.KEYWORD_ONLY and not starred:
            shown.append("*")
        shown.append(argument)
    return shown


def parts(argument: inspect.Parameter | str) -> tuple[str, str, str]:
    """Return an argument's name with its stars, its type and its default."""
    if isinstance(argument, str):
        return argument, "", ""
    stars = {argument.VAR_POSITIONAL: "*", argument.VAR_KEYWORD: "**"}.get(argument.kind, "")
    return stars + argument.name, text_of(argument.annotation), default_of(argument)


def plain_argument(argument: inspect.Parameter | str) -> str:
    name, kind, default = parts(argument)
    equals = " = " if kind else "="
    return name + (f": {kind}" if kind else "") + (equals + default if default else "")


def argument(given: inspect.Parameter | str, link: Link) -> str:
    name, kind, default = parts(given)
    typed = f": {linked(kind, link)}" if kind else ""
    equals = " = " if kind else "="
    chosen = f'<span class="o">{equals}</span><span class="m">{html.escape(default)}</span>'
    return f'<span class="argument">{html.escape(name)}</span>{typed}' + (chosen if default else "")


def text_of(annotation: Any) -> str:
    """Return a type as text; what may be anything says nothing."""
    if annotation is inspect.Signature.empty or annotation in ("Any", Any):
        return ""
    words = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return "" if words == "None" else words


def default_of(argument: inspect.Parameter) -> str:
    if argument.default is inspect.Parameter.empty:
        return ""
    words = repr(argument.default)
    return "…" if words.startswith("<") or len(words) > LONGEST else words


def linked(words: str, link: Link) -> str:
    """Return a type as HTML, its classes linked to where they are documented."""

    def one(match: re.Match[str]) -> str:
        address = link(match[0])
        safe = html.escape(match[0])
        return f'<a class="name" href="{html.escape(address)}">{safe}</a>' if address else safe

    pieces, end = [], 0
    for match in NAME.finditer(words):
        pieces += [html.escape(words[end : match.start()]), one(match)]
        end = match.end()
    return "".join([*pieces, html.escape(words[end:])])


@dataclass(frozen=True)
class Field:
    """A field of a class: what it is called, what it is, what it means."""

    name: str
    type: str
    words: str = ""


def fields_of(thing: type) -> tuple[Field, ...]:
    """Return the public fields of a dataclass or a named tuple, those of its bases first."""
    if is_dataclass(thing):
        wanted = [field.name for field in fields(thing)]
    else:
        wanted = [*getattr(thing, "_fields", ())]
    known: dict[str, Field] = {}
    for owner in reversed(thing.__mro__):
        if owner.__module__ not in ("abc", "builtins"):
            known |= {field.name: field for field in written(owner)}
    return tuple(known[name] for name in wanted if name in known and not name.startswith("_"))


@cache
def written(owner: type) -> list[Field]:
    """Return the fields as they are written in the source of one class."""
    try:
        source = inspect.getsource(owner)
    except (OSError, TypeError):
        return []
    lines = dedent(source).split("\n")
    (tree,) = ast.parse("\n".join(lines)).body
    assert isinstance(tree, ast.ClassDef)
    found = []
    for node in tree.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                words = beside(lines, node) or above(lines, node)
                found.append(Field(name, ast.unparse(annotation), words))
    return found


def beside(lines: list[str], node: ast.AnnAssign) -> str:
    """Return the comment at the end of a field's last line."""
    line = lines[(node.end_lineno or node.lineno) - 1].encode()
    return comment(line[node.end_col_offset or 0 :].decode())


def above(lines: list[str], node: ast.AnnAssign) -> str:
    """Return the comment that stands right above a field, and for it alone."""
    words: list[str] = []
    k = node.lineno - 2
    while k >= 0 and lines[k].strip().startswith("#"):
        words.insert(0, comment(lines[k]))
        k -= 1
    return " ".join(words)


def comment(text: Any) -> str:
    found = COMMENT.match(text)
    return found[1].strip() if found else ""
