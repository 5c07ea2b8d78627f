"""The anchors of headings, made as GitHub makes them, so that a link works here and there."""

import unicodedata

KEPT = "- "  # beside letters, marks, digits and underscores


def anchor(heading: str) -> str:
    """Return the anchor of a heading, given as it is read: without `code` marks and links."""
    kept = (ch for ch in heading.strip().lower() if ch in KEPT or is_word(ch))
    return "".join(kept).replace(" ", "-")


def is_word(ch: str) -> bool:
    """Return whether GitHub keeps a character: q̈ and Ṁ stay as they are, ² and ₁ do not."""
    kind = unicodedata.category(ch)
    return kind[0] in "LM" or kind in ("Nd", "Nl", "Pc")


class Anchors:
    """The anchors of one page: a heading that is there already gets -1, -2, ..."""

    def __init__(self) -> None:
        self.taken: dict[str, int] = {}

    def of(self, heading: str) -> str:
        """Return the anchor of the next heading."""
        wanted = found = anchor(heading)
        while found in self.taken:
            self.taken[wanted] += 1
            found = f"{wanted}-{self.taken[wanted]}"
        self.taken[found] = 0
        return found
