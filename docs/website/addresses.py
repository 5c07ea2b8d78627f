"""Addresses on the site: links between files made relative, anchors of headings, broken links.

Anchors are made as GitHub makes them, so that a link works here and there.
"""

import os
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from os.path import normpath
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from website.navigation import address_of

ELSEWHERE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)")  # https:, mailto:
PICTURES = (".svg", ".png", ".jpg", ".gif", ".webp")
KEPT = "- "  # beside letters, marks, digits and underscores
ADDRESSES = ("href", "src", "srcset")


def relative(page: str, target: str) -> str:
    """Return the way from a page to an address, both from the root of the site."""
    path, mark, anchor = target.partition("#")
    if path == page and mark:
        return mark + anchor
    start = PurePosixPath(page).parent.as_posix()
    return os.path.relpath(path, start).replace(os.sep, "/") + mark + anchor


class Addresses:
    """Makes links between files of the repository into links between pages of the site."""

    def __init__(self, root: Path, pages: set[Path]):
        self.root = root.resolve()
        self.pages = pages  # the files that have a page of their own
        self.pictures: set[Path] = set()  # to be copied
        self.listings: set[Path] = set()  # to be shown as they are

    def resolver(self, source: Path, page: str) -> Callable[[str], str]:
        """Return what makes an address in a file into one on the page made from it."""

        def resolve(target: str) -> str:
            if ELSEWHERE.match(target) or target.startswith("#"):
                return target
            path, mark, anchor = target.partition("#")
            file = (self.root / source.parent / path).resolve()
            found = self.found(file)
            # what leads nowhere is left for those who look at the links of the site
            return relative(page, found + mark + anchor) if found else target

        return resolve

    def found(self, file: Path) -> str | None:
        """Return the address of a file from the root of the site, or None."""
        if not file.is_relative_to(self.root):
            return None
        inside = file.relative_to(self.root)
        if inside == Path("README.md"):
            return "index.html"
        if file.is_dir():
            inner = inside / "index.md"
            if inner in self.pages:
                return address_of(inner)
            return f"{inside.as_posix()}/index.html" if inside == Path("examples") else None
        if inside in self.pages:
            return address_of(inside)
        if not file.is_file():
            return None
        if file.suffix in PICTURES:
            self.pictures.add(inside)
            return picture_address(inside)
        self.listings.add(inside)
        return address_of(inside)


def picture_address(inside: Path) -> str:
    """Return where a picture of the repository is on the site."""
    return inside.relative_to("docs").as_posix() if inside.parts[0] == "docs" else inside.as_posix()


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


@dataclass
class Links(HTMLParser):
    """The anchors that a page has, and the addresses it names."""

    anchors: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.append(value)
            elif name in ADDRESSES and value:
                self.targets.append(value)


def broken(folder: Path) -> Iterator[str]:
    """Yield a sentence for each link of a site that leads nowhere, and each anchor given twice."""
    folder = folder.resolve()
    pages = {path: read(path) for path in sorted(folder.rglob("*.html"))}
    files = {path for path in folder.rglob("*") if path.is_file()}
    for path, page in pages.items():
        name = path.relative_to(folder).as_posix()
        for anchor in sorted({a for a in page.anchors if page.anchors.count(a) > 1}):
            yield f"{name}: two elements are called {anchor!r}"
        for target in page.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            file = Path(normpath(path.parent / unquote(parts.path))) if parts.path else path
            if parts.path.startswith("/"):
                yield f"{name}: {target} is not relative"
            elif file not in files:
                yield f"{name}: {target} does not exist"
            elif parts.fragment and unquote(parts.fragment) not in anchors_of(pages, file):
                yield f"{name}: {target} has no such anchor"


def anchors_of(pages: dict[Path, Links], file: Path) -> list[str]:
    return pages[file].anchors if file in pages else []


def read(path: Path) -> Links:
    links = Links()
    links.feed(path.read_text(encoding="utf-8"))
    return links
