"""Provenance: what made the page, from what, and the robot itself as a file."""

from __future__ import annotations

import platform
from datetime import datetime
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from qddot.backends.threads import available_threads
from qddot.present.pages import page
from qddot.present.report.chapter import OWN_FILE, Chapter, Subject, count, heading
from qddot.readers.read import SYMBOLIC, library
from qddot.writers.toml import to_toml

PACKAGES = ("qddot", "numpy", "scipy", "llvmlite", "python-flint", "sympy", "matplotlib", "pin")
MOST_LETTERS = 200_000  # of the robot's file


def write(subject: Subject) -> Chapter:
    """Return the chapter."""
    text = to_toml(subject.robot.model)
    now = datetime.now().astimezone()
    facts = {
        "made": f"{now:%d %B %Y, %H:%M} {now:%Z}".strip(),
        "with": ", ".join(f"{name} {number}" for name, number in versions().items()),
        "on": machine(),
        "from": origin(subject),
        "SHA-256 of the robot": f"{sha256(text.encode()).hexdigest()}, of the file below",
    }
    parts = [page.facts(facts), heading("The robot as a file")]
    parts.append(
        page.paragraph(
            "Everything on this page follows from this description. Save it as "
            f"{OWN_FILE}, and every command of the page works on it. The page itself is one file, "
            "works without a network and asks nobody for anything."
        )
    )
    if len(text) <= MOST_LETTERS:
        parts.append(page.folded(OWN_FILE, page.code(text, "toml"), kind="long"))
    return Chapter(tuple(parts))


def origin(subject: Subject) -> str:
    """Return the file that the robot was read from, and its digest."""
    known = library().get(subject.source.removesuffix(SYMBOLIC))
    if known is not None:
        return f"the built-in robot {subject.source}"
    path = Path(subject.source)
    if not subject.source or not path.is_file():
        return "a robot that was made or changed in Python or by --set"
    return f"{path.name}, SHA-256 {sha256(path.read_bytes()).hexdigest()}"


def machine() -> str:
    """Return the processor, how many cores are to be had, and the system."""
    cores = count(available_threads(), "core")
    return f"{processor()}, {cores}, {platform.system()} {platform.machine()}".strip()


def processor() -> str:
    """Return what the processor calls itself."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            name, _, said = line.partition(":")
            if name.strip() == "model name":
                return said.strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def versions() -> dict[str, str]:
    """Return the versions of what a page is made with, where installed."""
    found = {"Python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
