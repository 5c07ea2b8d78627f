"""Code in colours: classes in the page, colours in site.css, for light and dark."""

import html
import re

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

FORMAT = HtmlFormatter(nowrap=True)
PLAIN = re.compile(r'<span class="(?:n|nn|nv|o|p|w|x)">([^<]*)</span>')  # what has no colour
NOTED = re.compile(r"(.*?)(?:(\s{2,})(#.*))?")  # a command, and what is said of it


def coloured(text: str, language: str) -> str:
    """Return code as HTML; a language that nobody knows, or none, is left as it is."""
    if language == "console":
        return session(text)
    try:
        lexer = get_lexer_by_name(language, stripnl=False) if language else None
    except ClassNotFound:
        lexer = None
    if lexer is None:
        return html.escape(text.rstrip("\n"), quote=False)
    # Pygments colours what it does not understand as a mistake; it is not one
    lexer.add_filter("raiseonerror", excclass=Misread)
    try:
        return PLAIN.sub(r"\1", highlight(text, lexer, FORMAT)).rstrip("\n")
    except Misread:
        return html.escape(text.rstrip("\n"), quote=False)


class Misread(Exception):
    """A lexer met what its language does not have."""


def session(text: str) -> str:
    """Return what a terminal shows: commands after a prompt, and their output."""
    lines, continued = [], False
    for line in text.rstrip("\n").split("\n"):
        safe = html.escape(line, quote=False)
        if line.startswith("$ "):
            command, room, note = NOTED.fullmatch(safe[2:]).groups()  # type: ignore[union-attr]
            said = f'{room}<span class="c">{note}</span>' if note else ""
            lines.append(f'<span class="gp">$ </span><span class="command">{command}</span>{said}')
        elif continued:
            lines.append(f'<span class="command">{safe}</span>')
        else:
            lines.append(f'<span class="go">{safe}</span>' if line else "")
        continued = (continued or line.startswith("$ ")) and line.endswith("\\")
    return "\n".join(lines)


def code_block(text: str, language: str) -> str:
    """Return a block of code, as wide as the page, that scrolls within itself."""
    name = html.escape(language or "text")
    return f'<pre class="code" data-language="{name}"><code>{coloured(text, language)}</code></pre>'


def numbered(text: str, language: str) -> str:
    """Return a file whose lines have anchors L1, L2, ..."""
    lines = coloured(text, language).split("\n")
    rows = "\n".join(f'<span id="L{n}">{line}</span>' for n, line in enumerate(lines, 1))
    return f'<pre class="code listing"><code>{rows}</code></pre>'
