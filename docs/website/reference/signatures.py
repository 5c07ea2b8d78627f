"""Signatures as people read them: one line where it fits, else one line an argument."""

import html
import inspect
import re
from collections.abc import Callable
from typing import Any

WIDEST = 88  # characters
LONGEST = 30  # characters of a default
NAME = re.compile(r"[A-Za-z_][\w.]*")

Link = Callable[[str], str | None]  # the name of a class, to where it is documented


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
