"""How narrow do certified bounds get, and how long does that take?

All quantities of each robot over its joint limits, on one core, from nothing: recording, compiling
(from the disk cache where a kernel is there already) and searching. A row has the widest gap of a
family of quantities and the time that the family took; the targets are those of the project.
"""

from __future__ import annotations

import time

from table import Row, duration
from timing import Effort, one_core, say

import qddot
from qddot.certificate.bound import Bound
from qddot.certificate.bounds import bounds

# largest gap of g and ‖M‖, of the rest, and seconds in all
TARGETS = {
    "two_link": (1e-6, 1e-6, 2),
    "two_link_cylinders": (1e-6, 1e-6, 8),
    "double_pendulum": (1e-6, 1e-6, 8),
    "rp": (1e-6, 1e-6, 8),
    "scara": (1e-6, 1e-6, 8),
    "puma560": (0.01, 0.05, 120),
    "ur5": (0.01, 0.05, 120),
    "panda": (0.05, 0.2, 300),
}
FAMILIES = {
    "λ(M), λ(M⁻¹)": ("M.eigenvalue.", "Minv."),
    "‖M‖": ("M.norm",),
    "c_b, k_c": ("c.norm", "C.norm", "c.crude"),
    "‖g‖, |gᵢ|": ("g.",),
    "‖∂g/∂q‖": ("dg.",),
}


def rows(effort: Effort) -> list[Row]:
    """Return a row a robot and family, and the time of all bounds of a robot."""
    found = []
    with one_core():
        for name, (near, far, seconds) in TARGETS.items():
            if seconds > effort.patience:
                continue
            say(f"bounds: {name} ...")
            robot = qddot.load(name)
            started = time.monotonic()
            proved = bounds(robot, seconds=seconds)
            spent = time.monotonic() - started
            found += [
                family_row(name, family, starts, proved, near, far)
                for family, starts in FAMILIES.items()
            ]
            target = f"≤ {duration(seconds)}"
            what = f"{name}: all {len(proved)} bounds"
            found.append(Row(what, duration(spent), target=target, reached=spent <= seconds))
    return found


def family_row(
    robot: str,
    family: str,
    starts: tuple[str, ...],
    proved: dict[str, Bound],
    near: float,
    far: float,
) -> Row:
    """Return the widest gap of a family, and how long it took."""
    own = {name: b for name, b in proved.items() if name.startswith(starts)}
    widest = max(own.values(), key=lambda b: b.gap)
    target = near if family in ("‖M‖", "‖g‖, |gᵢ|") else far
    seconds = sum(b.seconds for b in own.values())
    return Row(
        f"{robot}: {family}, widest is {widest.quantity}",
        f"{widest.gap:.2g} in {duration(seconds)}",
        target=f"gap ≤ {target:g}",
        reached=widest.gap <= target,
    )
