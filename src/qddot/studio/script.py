"""A run of the studio as a Python program that does the same; every value in it is a literal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from qddot.readers.read import SYMBOLIC, built_in_names
from qddot.results import json_ready
from qddot.studio.controlled import Controlled
from qddot.studio.library import Changes, ShownArm

WIDTH = 96  # characters of a line


def controlled_script(run: Controlled) -> str:
    """Return the program that closes the same loop and prints its report."""
    lines = [*_arm_lines(run.label, run.changes), ""]
    extra = ""
    if run.believed != run.changes:
        lines += ["# what the law takes the arm for", f"model = plain{_changes(run.believed)}", ""]
        extra = ", model=model"
    lines += [
        f"control = {literal(run.control)}",
        f"q0 = {literal(run.q)}",
        f"qd0 = {literal(run.qd)}",
        "run = qddot.control(",
        f"    arm, control, q0=q0, qd0=qd0, duration={run.seconds!r}{extra}",
        ")",
        "print(run)",
        "",
        "# run.trajectory has t, q, qd and tau, run.report the figures, run.V Lyapunov's function;",
        '# qddot.plot.plot_closed_loop(run, "run.png") draws them',
    ]
    return "\n".join(lines) + "\n"


def drop_script(
    arm: ShownArm, q: np.ndarray, qd: np.ndarray, seconds: float, stops: float | None
) -> str:
    """Return the program that lets the same arm go."""
    lines = [
        *_arm_lines(arm.label, arm.changes),
        f"q0 = {literal(q)}",
        f"qd0 = {literal(qd)}",
        f"run = qddot.simulate(arm, q0, qd0, duration={seconds!r}, stops={stops!r})",
        "print(run)",
    ]
    return "\n".join(lines) + "\n"


def _arm_lines(label: str, changes: Changes) -> list[str]:
    """Return how the arm is made."""
    name = label.removesuffix(SYMBOLIC) if label in built_in_names() else label
    note = "" if label in built_in_names() else "  # the file that was opened; give its path"
    lines = ["import qddot", "", f"plain = qddot.load({literal(name)}){note}"]
    return [*lines, f"arm = plain{_changes(changes)}"]


def _changes(changes: Changes) -> str:
    """Return the calls that change a robot, as `Changes.applied` does."""
    calls = []
    if (changes.masses, changes.lengths) != (1.0, 1.0):
        calls.append(f"with_scale(masses={changes.masses!r}, lengths={changes.lengths!r})")
    if changes.gravity is not None:
        calls.append(f"with_gravity({literal(changes.gravity)})")
    if changes.mass:
        calls.append(f"with_payload({literal(changes.frame)}, {changes.mass!r})")
    if changes.friction:
        given = ", ".join(f"{name}={literal(list(x))}" for name, x in changes.friction)
        calls.append(f"with_friction({given})")
    return "".join(f".{call}" for call in calls)


def literal(value: Any, depth: int = 0) -> str:
    """Return plain data as Python writes it: in ASCII, dicts over several lines."""
    plain = json_ready(value) if isinstance(value, np.ndarray) else value
    if isinstance(plain, Mapping):
        inner = [f"{literal(str(key))}: {literal(x, depth + 1)}" for key, x in plain.items()]
        short = "{" + ", ".join(inner) + "}"
        if len(short) + 4 * depth < WIDTH:
            return short
        pad = "    " * (depth + 1)
        return "{\n" + "".join(f"{pad}{line},\n" for line in inner) + "    " * depth + "}"
    if isinstance(plain, (list, tuple)):
        return "[" + ", ".join(literal(x, depth + 1) for x in plain) + "]"
    if plain is None or isinstance(plain, (bool, int, float, str)):
        return ascii(plain)
    raise TypeError(f"{type(plain).__name__} is no plain data")
