"""What is broken in a site that was built: links without a page, anchors without a heading."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from os.path import normpath
from pathlib import Path
from urllib.parse import unquote, urlsplit

ADDRESSES = ("href", "src", "srcset")


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
