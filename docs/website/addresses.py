"""Addresses: from what a file says to what leads there on the site, always relative."""

import os
import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from website.navigation import address_of

ELSEWHERE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)")  # https:, mailto:
PICTURES = (".svg", ".png", ".jpg", ".gif", ".webp")


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
