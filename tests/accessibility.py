"""What keeps people from reading a page: checked in the browser, as axe does, on what it shows.

    assert complaints(seen.page) == []

Looked at: language, title, landmarks, one h1 and headings in order, names of everything that can be
used or seen, tables, references between elements, unique ids, zoom, the order of the Tab key,
whether a focus can be seen, and the contrast of every word with what is behind it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

CONTRAST = 4.5  # of words with what is behind them; WCAG 2, level AA
LARGE = 3.0  # of large words: 24 px, or 18.66 px in bold
TABS = 15  # elements whose focus is looked at

CHECK = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")

FOCUSED = """
() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  const style = getComputedStyle(e);
  const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  const shown = e.checkVisibility({ checkVisibilityCSS: true });
  return { what: e.id || e.tagName, visible: shown && (ring || style.boxShadow !== "none") };
}
"""


def complaints(page: Any) -> list[str]:
    """Return what is wrong with a page that a browser shows, a sentence each."""
    return [*page.evaluate(CHECK, [CONTRAST, LARGE]), *unseen_focus(page)]


def unseen_focus(page: Any) -> list[str]:
    """Return which of the first elements that Tab reaches do not show that they have the focus."""
    page.evaluate("document.activeElement?.blur(); scrollTo(0, 0)")
    found = []
    for _ in range(TABS):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if focused is not None and not focused["visible"]:
            found.append(f"the focus of {focused['what']} cannot be seen")
    return found
