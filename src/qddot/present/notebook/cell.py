"""What a result looks like in a notebook: elements of pages, in the notebook's own colours.

Such an output is quick, short and never in the way: what fails or is too long is left out, and the
plain text is there all the same.
"""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from qddot.present.pages.page import paragraph, table, text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_LETTERS = 60_000  # of one output; notebooks are files that people keep
MOST_ROWS = 60
DPI = 72  # of a figure that is shown as dots

Shown = TypeVar("Shown")

# the class stands twice or thrice, so that it outweighs what notebooks say of tables and lists
STYLE = """
.qddot-shown{line-height:1.4;margin:.2em 0}
.qddot-shown p{margin:.3em 0}
.qddot-shown .quiet,.qddot-shown caption,.qddot-shown dt{opacity:.75}
.qddot-shown .scroll{overflow-x:auto}
.qddot-shown.qddot-shown table{border-collapse:collapse;border:0;margin:.4em 0;font-size:inherit}
.qddot-shown.qddot-shown :is(th,td){border:0;border-bottom:1px solid #8885;text-align:right;
padding:.15em 0 .15em 1.4em;vertical-align:top;white-space:nowrap;font-variant-numeric:tabular-nums;
max-width:none}
.qddot-shown.qddot-shown :is(th,td):first-child{padding-left:0;text-align:left}
.qddot-shown.qddot-shown tbody th{font-weight:normal}
.qddot-shown.qddot-shown.qddot-shown tr{background:none}
.qddot-shown.qddot-shown .words :is(th,td){text-align:left;white-space:normal}
.qddot-shown.qddot-shown caption{caption-side:bottom;text-align:left;padding:.3em 0}
.qddot-shown.qddot-shown tr.bad{color:#d55e00;color:color-mix(in srgb,currentColor 35%,#e65100)}
.qddot-shown tr.bad th::before{content:"▲ "}
.qddot-shown .facts{display:grid;grid-template-columns:max-content 1fr;gap:.1em 1.2em;margin:.4em 0}
.qddot-shown .facts>div{display:contents}
.qddot-shown.qddot-shown dt{float:none;width:auto;font-weight:normal;white-space:nowrap}
.qddot-shown.qddot-shown dd{float:none;width:auto;margin:0;padding:0}
.qddot-shown.qddot-shown .drawing{display:block!important;overflow-x:auto}
.qddot-shown .untrusted{display:none}
.qddot-shown ul{margin:.3em 0;padding-left:1.4em}
"""


def shown(title: str, *parts: str) -> str:
    """Return elements under a title as the output of a cell; what is too long is left out.

    The parts are elements as `qddot.present.pages.page` makes them.
    """
    body = f"<p><b>{text(title)}</b></p>" if title else ""
    for part in parts:
        fits = len(body) + len(part) + len(STYLE) <= MOST_LETTERS
        body += part if fits else paragraph("… too long for a notebook, left out", "quiet")
    return f'<div class="qddot-shown"><style>{STYLE}</style>{body}</div>'


def rows(
    head: Sequence[object],
    lines: Iterable[Sequence[object]],
    *,
    bad: Collection[int] = frozenset(),
    caption: str = "",
) -> str:
    """Return a table of a name and numbers; of very many rows the first."""
    found = list(lines)
    if len(found) > MOST_ROWS:
        more = f"… and {len(found) - MOST_ROWS} more rows"
        found, caption = found[:MOST_ROWS], f"{more}. {caption}".rstrip()
    return table(head, found, bad=bad, caption=caption)


def words(head: Sequence[object], lines: Iterable[Sequence[object]], **more: Any) -> str:
    """Return a table of words, read from the left."""
    return f'<div class="words">{rows(head, lines, **more)}</div>'


def figure(drawn: Figure, label: str) -> str:
    """Return a figure as an element, in the notebook's ink."""
    from qddot.present.pages.svg import notebook_svg

    return picture(notebook_svg(drawn), drawn, label)


def picture(svg: str, drawn: Figure, label: str) -> str:
    """Return a figure as an element: its SVG, or dots where that is too long.

    The SVG is what `notebook_svg` made of it; the label says what it shows to those who cannot see
    it.
    """
    if len(svg) <= MOST_LETTERS:
        return framed(svg.replace("<svg", f'<svg role="img" aria-label="{text(label)}"', 1))
    out = io.BytesIO()
    drawn.savefig(out, format="png", dpi=DPI)
    data = base64.b64encode(out.getvalue()).decode()
    return framed(f'<img alt="{text(label)}" src="data:image/png;base64,{data}">')


def framed(drawing: str) -> str:
    """Return a drawing that hides itself where its looks were taken away.

    Notebooks that come from others lose style sheets and drawings until they are trusted, and the
    words in a drawing would stand about.
    """
    note = "A figure, shown when the notebook is trusted."
    # JupyterLab keeps attributes that have a value only
    hidden = f'<div class="drawing" hidden="hidden">{drawing}</div>'
    return f'{hidden}<p class="untrusted quiet">{note}</p>'


def guarded(show: Callable[[], Shown]) -> Shown | None:
    """Return what `show` does: it warns of nothing, and where it fails, plain text is shown."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return show()
    except Exception:
        return None  # which tells IPython that there is no such output
