"""The rows that the questions answer with, as one table: on the terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

HEADINGS = ("question", "what", "qddot", "peer", "peer's", "ratio", "target", "reached")
WIDE = 150  # characters, where there is no terminal to fit into


@dataclass(frozen=True)
class Row:
    """One thing that was measured."""

    what: str
    qddot: str
    peer: str = ""
    theirs: str = ""
    ratio: str = ""
    target: str = ""
    reached: bool | None = None  # None: there is no target

    @property
    def verdict(self) -> str:
        return "" if self.reached is None else "yes" if self.reached else "no"


def against(what: str, ours: float, peer: str, theirs: float, target: float | None = None) -> Row:
    """Return the row of two times [s], of which the peer's should be so many times ours."""
    ratio = theirs / ours
    return Row(
        what,
        duration(ours),
        peer,
        duration(theirs),
        times(ratio),
        "" if target is None else f"≥ {target:g} ×",
        None if target is None else ratio >= target,
    )


def within(what: str, seconds: float, limit: float | None = None) -> Row:
    """Return the row of one time [s], which should be no longer than a limit."""
    target = "" if limit is None else f"≤ {duration(limit)}"
    return Row(what, duration(seconds), target=target, reached=limit and seconds <= limit)


def duration(seconds: float) -> str:
    """Return a time in the unit that suits it: 25.4 ns, 1.54 µs, 12 ms, 0.93 s."""
    for unit, size in (("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3)):
        if seconds < 1000 * size * 0.9995:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.2f} s"


def times(ratio: float) -> str:
    """Return a ratio to two or three digits: 0.85 ×, 4.2 ×, 38 ×, 132,000 ×."""
    if ratio >= 20:
        rounded = float(f"{ratio:.3g}")
        return f"{rounded:,.0f} ×"
    return f"{ratio:.{1 if ratio >= 3 else 2}f} ×"


def print_table(answers: Mapping[str, Sequence[Row]]) -> None:
    """Print the rows of every question on the terminal."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDE)
    table = Table(*HEADINGS[1:])
    for column in table.columns[1:2] + table.columns[3:]:
        column.no_wrap = True
    colours = {"yes": "green", "no": "red", "": "default"}
    for question, rows in answers.items():
        table.add_row(f"[bold]{question}[/]")
        for row in rows:
            *first, verdict = cells(row)
            table.add_row(*first, f"[{colours[verdict]}]{verdict}[/]")
        table.add_section()
    console.print(table)


def markdown(answers: Mapping[str, Sequence[Row]], heading: Sequence[str]) -> str:
    """Return the rows of every question as one Markdown table below the lines of a heading."""
    lines = [*heading, "", "| " + " | ".join(HEADINGS) + " |"]
    lines.append("|---|---|" + "--:|---|" + "--:|" * 3 + "---|")
    for question, rows in answers.items():
        for k, row in enumerate(rows):
            lines.append("| " + " | ".join([question if k == 0 else "", *cells(row)]) + " |")
    return "\n".join([*lines, "", summary(answers), ""])


def cells(row: Row) -> list[str]:
    return [row.what, row.qddot, row.peer, row.theirs, row.ratio, row.target, row.verdict]


def summary(answers: Mapping[str, Sequence[Row]]) -> str:
    """Return how many targets were reached, and which were not."""
    aimed = [row for rows in answers.values() for row in rows if row.reached is not None]
    missed = [row for row in aimed if not row.reached]
    text = f"{len(aimed) - len(missed)} of {len(aimed)} targets reached."
    if missed:
        text += " Not reached: " + "; ".join(
            f"{row.what} ({row.ratio or row.qddot}, {row.target})" for row in missed
        )
        text += "."
    return text
