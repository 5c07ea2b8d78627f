"""The order of the pages, from docs/navigation.toml, and who stands beside whom."""

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Item:
    """A page in the navigation."""

    title: str  # as short as a list wants it
    address: str  # from the root of the site
    source: Path | None = None  # the file in the repository that it is made from


@dataclass(frozen=True)
class Section:
    """Pages under one title."""

    title: str
    items: tuple[Item, ...]


def written_sections(root: Path) -> list[Section]:
    """Return the sections of pages that people write.

    Args:
        root: The folder of the repository.
    """
    docs = root / "docs"
    listed = tomllib.loads((docs / "navigation.toml").read_text(encoding="utf-8"))
    return [
        Section(title, tuple(item(name, docs / file, root) for name, file in pages.items()))
        for title, pages in listed.items()
    ]


def item(title: str, file: Path, root: Path) -> Item:
    source = file.resolve().relative_to(root.resolve())
    return Item(title, address_of(source), source)


def address_of(source: Path) -> str:
    """Return the address of the page that a file of the repository becomes."""
    if source.parts[0] == "docs":
        return source.relative_to("docs").with_suffix(".html").as_posix()
    if source.parts[0] == "examples" and source.suffix == ".py":
        return source.with_suffix(".html").as_posix()
    if source.suffix == ".md":  # CONTRIBUTING.md and its like
        return f"{source.stem.lower()}.html"
    return f"source/{source.as_posix()}.html"


def unlisted(root: Path, sections: list[Section]) -> list[Path]:
    """Return the Markdown pages in docs/ that nobody would find."""
    listed = {item.source for section in sections for item in section.items}
    pages = (path.relative_to(root) for path in sorted((root / "docs").rglob("*.md")))
    return [page for page in pages if page not in listed]


def neighbours(sections: list[Section], address: str) -> tuple[Item | None, Item | None]:
    """Return the pages before and after one."""
    items = [item for section in sections for item in section.items]
    places = [k for k, item in enumerate(items) if item.address == address]
    if not places:
        return None, None
    k = places[0]
    return (items[k - 1] if k else None), (items[k + 1] if k + 1 < len(items) else None)
