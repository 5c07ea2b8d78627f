"""The chart of the page about performance, drawn from the table of measurements itself."""

import re
from pathlib import Path

from matplotlib.figure import Figure

from qddot.present.figures import style

TABLE = Path(__file__).parent / "measurements.md"
ROBOT = "panda"
QUANTITIES = (
    "inverse dynamics",
    "forward dynamics",
    "mass matrix",
    "coriolis matrix",
    "regressor",
    "inverse dynamics derivatives",
    "forward dynamics derivatives",
)
PEERS = ("qddot", "Pinocchio", "MuJoCo", "dynibo", "Drake")
NANOSECONDS = {"ns": 1.0, "µs": 1e3, "ms": 1e6, "s": 1e9}


def speed() -> Figure:
    """Return the times per state of a batch, each package beside qddot, on a logarithmic axis."""
    times = batch_times(TABLE.read_text(encoding="utf-8"))
    sheet = style.figure(7.2, 3.2)
    axes = sheet.subplots()
    for colour, peer in zip(style.COLOURS, PEERS, strict=False):
        known = [(times[q, peer], row) for row, q in enumerate(QUANTITIES) if (q, peer) in times]
        axes.plot(*zip(*known, strict=True), "o", color=colour, label=peer, markersize=7)
    axes.set_xscale("log")
    axes.set_xlim(10, 30_000)
    axes.set_xticks([10, 100, 1e3, 1e4], ["10 ns", "100 ns", "1 µs", "10 µs"])
    axes.set_yticks(range(len(QUANTITIES)), QUANTITIES, fontsize=style.NORMAL)
    axes.invert_yaxis()
    axes.grid(color=style.FAINT)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    sheet.legend(
        *axes.get_legend_handles_labels(),
        fontsize=style.NORMAL,
        loc="outside upper center",
        ncols=len(PEERS),
        frameon=False,
    )
    return sheet


def batch_times(page: str) -> dict[tuple[str, str], float]:
    """Return the times [ns] of quantities and packages, from the rows of the table."""
    found: dict[tuple[str, str], float] = {}
    rows = re.findall(
        rf"(?m)^\| \w* \| {ROBOT}: ([^|,]+) \| ([^|]+) \| ([^|]*) \| ([^|]*) \|", page
    )
    for quantity, ours, peer, theirs in rows:
        if quantity in QUANTITIES and peer.strip():
            found.setdefault((quantity, "qddot"), nanoseconds(ours))
            found.setdefault((quantity, peer.split()[0]), nanoseconds(theirs))
    return found


def nanoseconds(words: str) -> float:
    number, unit = words.split()
    return float(number.replace(",", "")) * NANOSECONDS[unit]
