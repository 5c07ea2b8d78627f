"""An examination to read: problems by severity with their remedies, then the other engines.

Names and messages come from files, so they are always text and never markup.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qddot.doctor.compare import PeerComparison
from qddot.doctor.evidence import TOLERANCE
from qddot.doctor.examination import SEVERITIES, Examination
from qddot.errors import Problem, listing, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

MOST = 5  # as many places as one line holds
STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan"}


def print_examination(examination: Examination, console: Console | None = None) -> None:
    """Print an examination."""
    from rich.console import Console

    target = console or Console()
    for line in report_lines(examination):
        if target.is_terminal:
            target.print(indented(line))
        else:  # a file or a pipe has no width
            target.print(line, soft_wrap=True)


def report_lines(examination: Examination) -> Iterator[Text]:
    """Yield the report, line by line."""
    yield verdict(examination)
    files = dict.fromkeys(problem.file for problem in examination.problems)
    for file in files:
        if Path(file).name != file:  # the lines below name it shortly
            yield plain(f"  {file}", "dim")
    for severity in SEVERITIES:
        problems = [p for p in examination.problems if p.severity == severity]
        if problems:
            yield plain("")
            yield plain(f"{severity}s ({len(problems)})", STYLES[severity])
        for alike in grouped(problems):
            yield from problem_lines(alike)
    if examination.comparisons:
        yield plain("")
        yield plain("other engines: M(q) and g(q), friction and springs aside", "bold")
    for comparison in examination.comparisons:
        if comparison.compared:
            yield from comparison_lines(comparison)
    yield from missing_lines(examination.comparisons)


def verdict(examination: Examination) -> Text:
    """Return the first line: what was examined, and how it is."""
    counts = [
        f"{n} {severity}{'s' if n > 1 else ''}"
        for severity in SEVERITIES
        if (n := examination.count(severity))
    ]
    model = examination.model
    if model is None:
        name = Path(examination.source).name
        return plain(f"✗ {name} cannot be used: {', '.join(counts)}", "bold red")
    joints = "1 joint" if model.n == 1 else f"{model.n} joints"
    state = ", ".join(counts) or "nothing to complain about"
    mark, style = ("✓", "bold green") if examination.healthy else ("!", "bold yellow")
    return plain(f"{mark} {model.name} ({joints}): {state}", style)


def grouped(problems: Sequence[Problem]) -> list[list[Problem]]:
    """Return the problems, those that say the same in one file together."""
    groups: dict[tuple[str, str, str], list[Problem]] = {}
    for problem in problems:
        groups.setdefault((problem.file, problem.message, problem.remedy), []).append(problem)
    return list(groups.values())


def problem_lines(alike: Sequence[Problem]) -> Iterator[Text]:
    """Yield problems that say the same: where, what, and what to do."""
    first = alike[0]
    lines = listing([str(problem.line) for problem in alike if problem.line], MOST)
    places = listing([problem.place for problem in alike if problem.place], MOST)
    where = ":".join(part for part in (Path(first.file).name, lines) if part)
    yield plain("  " + ": ".join(part for part in (where, places, first.message) if part))
    if first.remedy:
        yield plain(f"    → {first.remedy}", "green")


def comparison_lines(comparison: PeerComparison) -> Iterator[Text]:
    """Yield how one peer compares, and why."""
    name = f"{comparison.peer} {comparison.version}"
    M, g = comparison.difference_M or 0.0, comparison.difference_g or 0.0
    if comparison.agrees:
        how = f"to {max(M, g):.0e}" if max(M, g) else "exactly"
        yield plain(f"  ✓ {name}: M and g agree {how} ({comparison.read})", "green")
    else:
        yield plain(f"  ✗ {name}: {differing(comparison)} ({comparison.read})", "red")
        for reason in comparison.reasons:
            yield plain(f"    because {reason}")
    for aside in comparison.asides:
        yield plain(f"    {aside}", "dim")


def missing_lines(comparisons: Sequence[PeerComparison]) -> Iterator[Text]:
    """Yield why some peers could not be compared with, those with the same reason together."""
    because: dict[str, list[str]] = {}
    for comparison in comparisons:
        if not comparison.compared:
            because.setdefault(comparison.why_not, []).append(comparison.peer)
    for why, names in because.items():
        yield plain(f"  – {', '.join(names)}: {why}", "dim")


def differing(comparison: PeerComparison) -> str:
    """Return which of M and g differ, and by how much."""
    parts = {"M": comparison.difference_M or 0.0, "g": comparison.difference_g or 0.0}
    return ", ".join(
        f"{name} differs by {percent(size)}" if size > TOLERANCE else f"{name} agrees"
        for name, size in parts.items()
    )


def percent(size: float) -> str:
    """Return a relative difference in words."""
    return f"{100 * size:.3g} %" if size >= 1e-4 else f"{size:.1e} of its size"


def plain(words: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(printable(words), style=style)


def indented(line: Text) -> Padding:
    """Return a line whose continuations are as far in as its beginning."""
    from rich.padding import Padding

    words = line.plain.lstrip()
    return Padding(line[len(line.plain) - len(words) :], (0, 0, 0, len(line.plain) - len(words)))
