"""The documentation, built once for all tests of it."""

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "docs"))  # where the builder is: the package `website`


@dataclass(frozen=True)
class Built:
    """A site on a disk."""

    folder: Path
    problems: list[str]

    def text(self, address: str) -> str:
        return (self.folder / address).read_text(encoding="utf-8")

    def url(self, address: str) -> str:
        return (self.folder / address.partition("#")[0]).as_uri() + "".join(
            address.partition("#")[1:]
        )

    @property
    def pages(self) -> list[str]:
        """The addresses of all pages."""
        paths = sorted(self.folder.rglob("*.html"))
        return [path.relative_to(self.folder).as_posix() for path in paths]


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Built:
    from website.site import Site

    # a name that must be written otherwise in an address
    folder = tmp_path_factory.mktemp("site") / "of the q̈"
    return Built(folder, Site(ROOT, folder).build())
