"""Pages that ask for nothing: HTML from plain data, everything escaped here, once.

Elements are text that may stand in a page; words become such text by `text` alone. A page forbids
itself, by its content security policy, every request and every script but its own.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import chain, count
from pathlib import Path
from typing import Any

from qddot.errors import printable
from qddot.present.pages.svg import inks_on_dark, numbered
from qddot.present.pages.svg import svg_of as svg_of
from qddot.saving import ending, write_whole
from qddot.vendored import katex_script, katex_style

PAGES = (".html", ".htm")
# in this order: what is used comes before what uses it
ARM_VIEW = ("vectors", "looks", "meshes", "items", "shaders", "painter")
ARM_VIEW += ("labels", "handle", "hands", "view")
HERE = Path(__file__).parent
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; "
    "base-uri 'none'; form-action 'none'; script-src {}"
)
FEWEST = 3  # sections that are worth a table of contents


def text(words: object) -> str:
    """Return words that are only words in HTML, in an attribute and on a terminal."""
    return html.escape(printable(str(words)))


# elements


def paragraph(words: str, kind: str = "") -> str:
    """Return a paragraph; its kind may be "quiet", "warn" or "good"."""
    return f"<p{_kind(kind)}>{text(words)}</p>"


def bullets(items: Iterable[str]) -> str:
    """Return a list of sentences."""
    return f"<ul>{''.join(f'<li>{text(item)}</li>' for item in items)}</ul>"


def facts(pairs: Mapping[str, object] | Iterable[tuple[str, object]]) -> str:
    """Return names and what they are."""
    entries: Iterable[Any] = pairs.items() if isinstance(pairs, Mapping) else pairs
    rows = (f"<div><dt>{text(name)}</dt><dd>{text(value)}</dd></div>" for name, value in entries)
    return f'<dl class="facts">{"".join(rows)}</dl>'


def table(
    head: Sequence[object],
    rows: Iterable[Sequence[object]],
    *,
    bad: Collection[int] = frozenset(),
    caption: str = "",
    words: bool = False,
) -> str:
    """Return a table: a name first in each row, then numbers.

    The rows numbered `bad` need attention. Cells that are words begin at the left and may be
    broken.
    """

    def line(k: int, row: Sequence[object]) -> str:
        name, *numbers = map(text, row)
        cells = "".join(f"<td>{number}</td>" for number in numbers)
        return f'<tr{_kind("bad" if k in bad else "")}><th scope="row">{name}</th>{cells}</tr>'

    title = f"<caption>{text(caption)}</caption>" if caption else ""
    heads = "".join(f'<th scope="col">{text(cell)}</th>' for cell in head)
    body = "\n".join(line(k, row) for k, row in enumerate(rows))
    return (
        f'<div class="scroll"><table{_kind("words" if words else "")}>{title}\n'
        f"<thead><tr>{heads}</tr></thead>\n"
        f"<tbody>{body}</tbody></table></div>"
    )


def figure(drawing: str, caption: str) -> str:
    """Return a drawing (of `svg_of`, say) with words under it; an SVG is named by them."""
    label = text(caption.partition(". ")[0])
    named = drawing.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)
    return f"<figure>{named}<figcaption>{text(caption)}</figcaption></figure>"


def formula(latex: str, words: str) -> str:
    """Return a formula that KaTeX draws, with the words until it has, and a button to copy it."""
    return f'<div class="formula scroll" data-latex="{text(latex)}">{text(words)}</div>'


def inline_formula(latex: str, words: str) -> str:
    """Return a formula inside a sentence, with the words until KaTeX has drawn it."""
    return f'<span class="math" data-inline="{text(latex)}">{text(words)}</span>'


def formula_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose cells are elements already, such as formulas inside sentences."""
    heads = "".join(f'<th scope="col">{text(cell)}</th>' for cell in head)
    body = "\n".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return (
        f'<div class="scroll"><table class="words">\n<thead><tr>{heads}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>"
    )


def code(lines: str, language: str = "") -> str:
    """Return lines to type, with a button to copy them."""
    kind = f' class="language-{text(language)}"' if language else ""
    return f'<div class="code"><pre><code{kind}>{text(lines)}</code></pre></div>'


def folded(summary: str, *parts: str, is_open: bool = False, kind: str = "") -> str:
    """Return parts that are shown when the summary is chosen, and on paper but for "long" ones."""
    how = _kind(kind) + (" open" if is_open else "")
    return f"<details{how}><summary>{text(summary)}</summary>{''.join(parts)}</details>"


def data(name: str, value: Any) -> str:
    """Return plain data for a script: `JSON.parse(document.getElementById(name).textContent)`."""
    lines = json.dumps(value, separators=(",", ":"), allow_nan=False)
    # no "<", so no end of a script
    safe = lines.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return f'<script type="application/json" id="{text(name)}">{safe}</script>'


def section(title: str, *parts: str, id: str | None = None) -> str:
    """Return parts under a heading; sections inside it get smaller headings."""
    name = text(id or _slug(title))
    inside = re.sub(r"<(/?)h([2-5])\b", lambda m: f"<{m[1]}h{int(m[2]) + 1}", "\n".join(parts))
    return (
        f'<section id="{name}" aria-labelledby="{name}-title">\n'
        f'<h2 id="{name}-title">{text(title)}</h2>\n{inside}\n</section>'
    )


# pages


def page(
    title: str,
    *parts: str,
    scripts: Iterable[str] = (),
    styles: Iterable[str] = (),
    katex: bool = True,
    copying: bool = True,
) -> str:
    """Return the whole document: elements under a title, whose sections make the table of contents.

    The scripts, one each, run after the page is there; the styles are CSS beside that of every
    page. `katex` says that it has formulas, `copying` that formulas and code can be copied by a
    button; without both, and without scripts, the page has no script at all.
    """
    body = _unique("\n".join(parts))
    own = [katex_script()] if katex else []
    own += [file("page.js")] if katex or copying else []
    run = [*own, *scripts]
    own_look = [katex_style()] if katex else []
    sheets = "\n".join([*own_look, file("style.css"), inks_on_dark(body), *styles])
    return document(
        title,
        sheets,
        '<a class="skip" href="#content">Skip to the content</a>',
        f"<header><h1>{text(title)}</h1></header>",
        _contents(body),
        f'<main id="content">\n{body}\n</main>',
        scripts=run,
    )


def document(title: str, sheets: str, *parts: str, scripts: Sequence[str]) -> str:
    """Return a document that forbids every request and every script but these."""
    allowed = " ".join(f"'sha256-{_hash(lines)}'" for lines in scripts) or "'none'"
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY.format(allowed)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{text(title)}</title>\n<style>{sheets}</style>\n</head>\n<body>",
            *parts,
            *(f"<script>{lines}</script>" for lines in scripts),
            "</body>\n</html>\n",
        ]
    )


def write_page(path: str | Path, document: str) -> None:
    """Write a page whole, or not at all."""
    ending(path, "A page", PAGES)
    write_whole(path, document)


@cache
def file(name: str) -> str:
    """Return a script or a style sheet of this room: "arm_view.js", "page.js", "style.css"."""
    if name == "arm_view.js":
        parts = "\n".join(file(f"arm_view/{part}.js") for part in ARM_VIEW)
        return f'"use strict";\nconst ArmView = (() => {{\n{parts}\nreturn ArmView;\n}})();\n'
    return (HERE / name).read_text(encoding="utf-8")


# inside


def _kind(kind: str) -> str:
    return f' class="{text(kind)}"' if kind else ""


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40] or "section"


def _hash(lines: str) -> str:
    return base64.b64encode(hashlib.sha256(lines.encode()).digest()).decode()


def _contents(body: str) -> str:
    """Return links to the sections, where there are enough of them."""
    found = re.findall(r'<section id="([^"]+)"[^>]*>\n<h2 [^>]*>(.*?)</h2>', body)
    if len(found) < FEWEST:
        return ""
    items = "".join(f'<li><a href="#{name}">{title}</a></li>' for name, title in found)
    return f'<nav class="contents" aria-label="Contents"><ol>{items}</ol></nav>'


def _unique(body: str) -> str:
    """Return the page's body with every id in it but once: of sections, and inside drawings."""
    used = {"content"}

    def named(match: re.Match[str]) -> str:
        name, level = match[1], match[2]
        numbered = (f"{name}-{k}" for k in count(2))
        fresh = next(x for x in chain([name], numbered) if not {x, f"{x}-title"} & used)
        used.update({fresh, f"{fresh}-title"})
        return (
            f'<section id="{fresh}" aria-labelledby="{fresh}-title">\n<h{level} id="{fresh}-title">'
        )

    heads = r'<section id="([^"]+)" aria-labelledby="[^"]+">\n<h(\d) id="[^"]+">'
    return numbered(re.sub(heads, named, body))
