"""A motion in a few lines."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from qddot.errors import listing, printable, shorten

if TYPE_CHECKING:
    from qddot.simulation.trajectory import Trajectory


def as_text(motion: Trajectory) -> str:
    """Return what there is to say, in a few lines."""
    return "\n".join(printable(line) for line in lines(motion))


def lines(motion: Trajectory) -> list[str]:
    name = f" of {one_line(motion.robot_name)!r}" if motion.robot_name else ""
    rows = "1 row" if len(motion) == 1 else f"{len(motion)} rows"
    joints = "1 joint" if motion.n == 1 else f"{motion.n} joints"
    names = f" ({one_line(listing(motion.joint_names, 8))})" if motion.n else ""
    result = [f"Motion{name}: {motion.duration:g} s, {rows}, {joints}{names}"]
    how = ", ".join(
        f"{key} {value:g}" if isinstance(value, float) else f"{key} {one_line(str(value))}"
        for key, value in motion.how.items()
        if key != "robot" and isinstance(value, (str, int, float, np.number))
    )
    if how:
        result.append(f"  {shorten(how, 110)}")
    ended = "finished" if motion.finished else "not finished"
    said = one_line(motion.status, 300)
    result.append(f"  {said}" if said.startswith("finished") else f"  {ended}: {said}".rstrip(": "))
    with np.errstate(all="ignore"):  # energies that are not finite are printed as such
        energy = str(motion.audit) if len(motion) else ""
    if energy not in motion.status:
        result.append(f"  {energy}")
    if motion.events:
        kinds = Counter(one_line(event.name) for event in motion.events)
        told = ", ".join(f"{kind} ({count})" for kind, count in kinds.most_common(6))
        result.append(f"  {len(motion.events)} events: {told}")
    return result


def one_line(text: str, most: int = 80) -> str:
    return shorten(printable(text).replace("\n", "\\n"), most)
