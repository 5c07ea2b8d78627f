"""The fields of a class, with what the comments beside or above them say."""

import ast
import inspect
import re
from dataclasses import dataclass, fields, is_dataclass
from textwrap import dedent
from typing import Any

COMMENT = re.compile(r"\s*#\s?(.*)$")


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
