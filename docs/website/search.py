"""What the search looks through: a script that holds every section of every page as words."""

import json
from dataclasses import dataclass, field
from html.parser import HTMLParser

HEADINGS = ("h1", "h2", "h3", "h4")
SILENT = ("script", "style", "button")
SIGNATURE = "code signature"
WEIGHTS = {"reference/definitions.html": 0.7}  # people look for the robot's own methods first
MOST = 1200  # characters of a section; what is said first is what it is about


@dataclass
class Sections(HTMLParser):
    """The sections of a page: (anchor, heading, documented name, words)."""

    found: list[list[str]] = field(default_factory=lambda: [["", "", "", ""]])
    inside: str = ""  # the heading that is being read
    silent: int = 0
    in_anchor: bool = False
    in_signature: bool = False  # which names already say

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in HEADINGS:
            self.inside = tag
            if tag != "h1":
                self.found.append([given.get("id") or "", "", given.get("data-name") or "", ""])
        self.silent += tag in SILENT or self.is_signature(tag, given)
        if tag == "a" and given.get("class") in ("anchor", "source"):
            self.in_anchor = True

    def is_signature(self, tag: str, given: dict[str, str | None]) -> bool:
        self.in_signature = self.in_signature or (tag == "pre" and given.get("class") == SIGNATURE)
        return tag == "pre" and self.in_signature

    def handle_endtag(self, tag: str) -> None:
        self.inside = "" if tag == self.inside else self.inside
        ends = tag in SILENT or (tag == "pre" and self.in_signature)
        self.in_signature = self.in_signature and tag != "pre"
        self.silent -= ends
        if tag == "a":
            self.in_anchor = False

    def handle_data(self, data: str) -> None:
        if not self.silent and not self.in_anchor:
            self.found[-1][1 if self.inside else 3] += data


def sections(body: str) -> list[list[str]]:
    """Return the sections of a page, as [anchor, heading, documented name, words]."""
    reader = Sections()
    reader.feed(body)
    return [[*map(one_line, section[:3]), one_line(section[3])[:MOST]] for section in reader.found]


def one_line(words: str) -> str:
    return " ".join(words.split())


def index_script(pages: list[tuple[str, str, str]]) -> str:
    """Return the index as a script, which a page may load from a disk where it may not fetch.

    Args:
        pages: Of each page its address from the root of the site, its title and its body.
    """
    listed = [[address, title, WEIGHTS.get(address, 1)] for address, title, _ in pages]
    entries = [[k, *section] for k, (_, _, body) in enumerate(pages) for section in sections(body)]
    data = json.dumps(
        {"pages": listed, "entries": entries}, ensure_ascii=False, separators=(",", ":")
    )
    return f"window.siteIndex = {data};\n"
