"""How long does an exported law take in a loop of 1 kHz, on a machine that is busy?

The loop is `real_time.c`: it locks its memory, asks to be scheduled first, wakes up every
millisecond and notes how long the call of the law took. Other processes keep every core busy.
Beside each call it times an empty loop about as long: what interrupts one interrupts the other, so
its worst time is the machine's. With --long it is a million calls, a quarter of an hour; otherwise
fewer.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from table import Row, duration
from timing import LONG, Effort, say

import qddot
from qddot.control import ComputedTorque

SOURCE = Path(__file__).with_suffix(".c")
PERIOD = 1_000_000  # [ns]
FLAGS = ("-std=gnu11", "-Wall", "-Wextra", "-O2", "-march=native")
BUSY = "import numpy as np\nx = np.ones(1 << 22)\nwhile True:\n  x *= 1.0000001\n"  # memory too


def build(folder: Path, *flags: str) -> Path:
    """Return the loop around the computed torque of a panda, compiled."""
    robot = qddot.load("panda")
    law = ComputedTorque(robot, kp=100.0, kd=20.0, reference=np.zeros(7))
    qddot.export(robot, folder, functions=[law])
    names = ["-DN=7", '-DHEADER="panda.h"', "-DLAW=panda_computed_torque", "-I", folder]
    sources = [SOURCE, folder / "panda.c"]
    command = ["gcc", *(flags or FLAGS), *names, "-o", folder / "loop", *sources, "-lm"]
    subprocess.run(command, check=True)
    return folder / "loop"


@contextmanager
def busy_cores() -> Iterator[None]:
    """Keep every core busy with other work."""
    others = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def rows(effort: Effort) -> list[Row]:
    """Return the times of a call: at once, and every millisecond under load."""
    if not shutil.which("gcc") or not sys.platform.startswith("linux"):
        say("gcc and Linux are not both here: the loop was not timed")
        return []
    paced = 1_000_000 if effort is LONG else int(20_000 * effort.seconds)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        loop = build(Path(folder))
        for count, period in ((1_000_000, 0), (paced, PERIOD)):
            say(f"real_time: {count} calls, every {period * 1e-6:g} ms ...")
            with busy_cores():
                command = [loop, "time", str(count), str(period)]
                said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            found.append(row(count, period, json.loads(said)))
    return found


def row(count: int, period: int, said: dict[str, Any]) -> Row:
    how = "at 1 kHz" if period else "back to back"
    how += ", first in turn" if said["fifo"] else ""
    changed = f"{said['faults']} page faults, {said['bytes']} bytes"

    def times(key: str) -> str:
        return ", ".join(duration(x * 1e-9) for x in said[key])

    return Row(
        f"panda: computed torque in C, {count:,} calls {how}, cores busy: median, 99.9 %, worst",
        times("ns"),
        "an empty loop" + ("; woken late" if period else ""),
        times("idle") + (f"; {times('late')}" if period else ""),
        changed,
        "none of both",
        said["faults"] == said["bytes"] == 0,
    )
