"""How long until the first torque, and how long does each quantity take to compile?

Every time is taken in a process of its own and is the least of several. Python keeps the compiled
modules, as it does once a package is installed, whatever the environment of this process says.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from time import perf_counter

from peers import PINOCCHIO
from robots import INPUTS, spaced
from table import Row, against, within
from timing import Effort, say

IMPORT_LIMIT, COLD_LIMIT, WARM_LIMIT = 0.15, 1.0, 0.15  # [s]
COMMANDS = {("--help",): 0.35, ("show", "panda"): 0.5}  # of the command line, with their limits [s]

IMPORT = """
from time import perf_counter
import numpy
started = perf_counter()
{statement}
print(perf_counter() - started)
"""

FIRST_TORQUE = """
import numpy as np
import qddot
from time import perf_counter
started = perf_counter()
robot = qddot.load("panda")
robot.inverse_dynamics(np.zeros(7), np.zeros(7), np.zeros(7))
print(perf_counter() - started)
"""

EACH_QUANTITY = """
import json
import numpy as np
import qddot
from qddot.backends.kernel import Kernel
from time import perf_counter
robot = qddot.load("panda").without("friction")
times = {}
for quantity in QUANTITIES:
    marks = [perf_counter()]
    kernel = Kernel(robot.program(quantity))
    marks.append(perf_counter())
    count = len(kernel.program.inputs)
    kernel(*[np.zeros((8, robot.n))] * count)
    marks.append(perf_counter())
    kernel(*[np.zeros(robot.n)] * count)
    marks.append(perf_counter())
    times[quantity] = [b - a for a, b in zip(marks, marks[1:])]
print(json.dumps(times))
"""


def rows(effort: Effort) -> list[Row]:
    """Return the times to import, of two commands, to the first torque, and to each quantity."""
    return [*imports(effort), *commands(effort), *first_torque(effort), *each_quantity()]


def imports(effort: Effort) -> list[Row]:
    say("start: import ...")
    # `import qddot` alone loads nothing; NumPy is there in both cases
    ours = "from qddot import Robot, load"
    statements = [ours, *(["import pinocchio"] if PINOCCHIO.installed else [])]
    runs = [
        [float(run(IMPORT.format(statement=s))) for s in statements] for _ in range(effort.repeats)
    ]
    least, *theirs = map(min, zip(*runs, strict=True))
    found = [within(ours, least, IMPORT_LIMIT)]
    return found + [against(ours, least, statements[1], time) for time in theirs]


def commands(effort: Effort) -> list[Row]:
    say("start: commands ...")
    found = []
    for words, limit in COMMANDS.items():
        times = []
        for _ in range(effort.repeats):
            started = perf_counter()
            call = [sys.executable, "-m", "qddot", *words]
            subprocess.run(call, stdout=subprocess.DEVNULL, check=True, env=environment())
            times.append(perf_counter() - started)
        found.append(within(f"qddot {' '.join(words)}", min(times), limit))
    return found


def first_torque(effort: Effort) -> list[Row]:
    say("start: the first torque ...")
    cold, warm = [], []
    for _ in range(effort.repeats):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(float(run(FIRST_TORQUE, folder)))
            warm.append(float(run(FIRST_TORQUE, folder)))
    return [
        within("load panda to first torque, nothing kept", min(cold), COLD_LIMIT),
        within("load panda to first torque, compiled before", min(warm), WARM_LIMIT),
    ]


def each_quantity() -> list[Row]:
    """Return, a quantity of the panda, how long it takes to record and to compile twice."""
    say("start: each quantity ...")
    code = f"QUANTITIES = {list(INPUTS)}\n{EACH_QUANTITY}"
    with tempfile.TemporaryDirectory() as folder:
        times: dict[str, list[float]] = json.loads(run(code, folder))
    return [
        Row(
            f"panda: record + compile for batches + for one state, {spaced(quantity)}",
            " + ".join(f"{1e3 * seconds:.0f}" for seconds in parts) + " ms",
        )
        for quantity, parts in times.items()
    ]


def run(code: str, cache: str | None = None) -> str:
    """Return what code prints in a fresh interpreter, compiled code being kept in a folder."""
    env = environment() | ({"QDDOT_CACHE_DIR": cache} if cache else {})
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout


def environment() -> dict[str, str]:
    """Return the environment in which users start."""
    return {key: x for key, x in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
