"""How much memory does a large batch take beyond the arrays that go in and come out?"""

from __future__ import annotations

import subprocess
import sys

from table import Row
from timing import Effort, say

CODE = """
import resource
import sys
import numpy as np
import qddot

def peak():
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

count = int(sys.argv[1])
robot = qddot.load("panda")
few = np.zeros((64, robot.n))
robot.inverse_dynamics(few, few, few)
arrays = [np.full((count, robot.n), 0.1 * k) for k in range(3)]
before = peak()
result = robot.inverse_dynamics(*arrays)
print(sum(a.nbytes for a in arrays), result.nbytes, peak() - before - result.nbytes)
"""


def rows(effort: Effort) -> list[Row]:
    """Return one row: the most memory that the process held, less its arrays."""
    say(f"memory: {effort.most:,} states ...")
    command = [sys.executable, "-c", CODE, str(effort.most)]
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    inputs, outputs, more = (int(word) / 1e6 for word in run.stdout.split())
    what = f"panda: inverse dynamics of {effort.most / 1e6:g} million states, memory beyond arrays"
    return [
        Row(
            what,
            f"{max(more, 0):.1f} MB",
            "the arrays themselves",
            f"{inputs + outputs:.0f} MB",
        )
    ]
