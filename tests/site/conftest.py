"""The documentation, built once for all tests of it."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
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


@contextmanager
def alone(file: Path) -> Iterator[None]:
    """Let one process after the other in; a process that dies lets the next one in."""
    import fcntl

    with open(file, "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Built:
    """Build it, unless another worker of this run has."""
    from website.site import Site

    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    shared = run is not None and os.name == "posix"
    own = tmp_path_factory.mktemp("site")
    root = own.parents[1] / f"site-{run}" if shared else own
    root.mkdir(exist_ok=True)
    # a name that must be written otherwise in an address
    folder, told = root / "of the q̈", root / "problems.json"
    with alone(root / "lock") if shared else nullcontext():
        if not told.exists():
            told.write_text(json.dumps(Site(ROOT, folder).build()), encoding="utf-8")
    return Built(folder, json.loads(told.read_text(encoding="utf-8")))
