"""Maps: how M's eigenvalues and the torques of gravity change with the position of the arm."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from qddot.errors import BadArgument, printable
from qddot.present.figures.certificates import plot_eigenvalues, plot_gravity
from qddot.present.pages import page
from qddot.present.report.chapter import Chapter, Subject, again, heading
from qddot.robot import Robot

POINTS = 25  # positions along one joint that are looked at to choose what to draw
QuantityOfStates = Callable[[Robot, np.ndarray], np.ndarray]


def write(subject: Subject) -> Chapter:
    """Return the chapter."""
    subject.needs_numbers()
    robot, at = subject.robot, subject.robot.home
    if not ranged(robot):
        raise BadArgument("No joint has a range that a map could be drawn over.")
    bends = most_telling(robot, at, inertia)
    parts = [heading("Inertia"), eigenvalues(robot, at, bends)]
    python = [f"plot_eigenvalues(robot, {bends!r}, at=at, path='eigenvalues.svg')"]
    if len(ranged(robot)) > 1 and any(float(x) for x in robot.model.gravity):
        x, y, of = pulled(robot, at)
        parts += [heading("Gravity"), gravity(robot, at, (x, y), of)]
        python.append(f"plot_gravity(robot, ({x!r}, {y!r}), {of!r}, at=at, path='gravity.svg')")
    where = ", ".join(f"{value:g}" for value in at)
    first = "from qddot.plot import plot_eigenvalues, plot_gravity"
    lines = "\n".join([first, "", f"at = [{where}]", *python])
    parts.append(again(subject, "", lines))
    values = np.linalg.eigvalsh(robot.mass_matrix(at))
    told = robot.n > 1 and values[0] > 0
    heavier = f"{values[-1] / values[0]:,.0f} times heavier to turn one way" if told else ""
    return Chapter(tuple(parts), glance=heavier and f"{heavier} than another")


def ranged(robot: Robot) -> list[int]:
    """Return the joints with a range: limits, or a full turn."""
    limited = np.isfinite(robot.limits.upper - robot.limits.lower)
    return [i for i, joint in enumerate(robot.model.free_joints) if joint.turns or limited[i]]


def inertia(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Return the largest eigenvalue of M by the smallest."""
    values = np.linalg.eigvalsh(robot.mass_matrix(q))
    return np.log(np.maximum(values[..., -1], 1e-300) / np.maximum(values[..., 0], 1e-300))


def weight(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Return the size of the gravity torques."""
    return np.linalg.norm(robot.gravity_torque(q), axis=-1)


def swept(robot: Robot, at: np.ndarray, i: int) -> np.ndarray:
    """Return positions along one joint, the others held."""
    q = np.tile(at, (POINTS, 1))
    low, high = robot.limits.span()
    q[:, i] = np.linspace(low[i], high[i], POINTS)
    return q


def spreads(robot: Robot, at: np.ndarray, quantity: QuantityOfStates) -> np.ndarray:
    """Return how much a quantity changes along each joint."""
    found = np.full(robot.n, -1.0)
    for i in ranged(robot):
        found[i] = np.ptp(quantity(robot, swept(robot, at, i)))
    return found


def most_telling(robot: Robot, at: np.ndarray, quantity: QuantityOfStates) -> str:
    """Return the joint along which a quantity changes most."""
    return robot.joint_names[int(spreads(robot, at, quantity).argmax())]


def pulled(robot: Robot, at: np.ndarray) -> tuple[str, str, str]:
    """Return the two joints along which gravity torques change most, and whose is the largest."""
    first, second = np.sort(np.argsort(-spreads(robot, at, weight), kind="stable")[:2])
    seen = np.concatenate([swept(robot, at, i) for i in range(robot.n)])
    of = int(np.abs(robot.gravity_torque(seen)).max(axis=0).argmax())
    names = robot.joint_names
    return names[first], names[second], names[of]


def eigenvalues(robot: Robot, at: np.ndarray, joint: str) -> str:
    """Return the eigenvalues of M over one joint."""
    drawn = plot_eigenvalues(robot, joint, at)
    caption = (
        f"Eigenvalues of M while {printable(joint)} moves and the others stay where the page "
        "shows them at first. Large ones are directions in which the arm is hard to accelerate."
    )
    return page.figure(page.svg_of(drawn), caption)


def gravity(robot: Robot, at: np.ndarray, joints: tuple[str, str], of: str) -> str:
    """Return the map of one gravity torque over two joints."""
    drawn = plot_gravity(robot, joints, of, at)
    caption = (
        f"The torque that gravity asks of {printable(of)}, whatever {printable(joints[0])} and "
        f"{printable(joints[1])} are. Dark is heavy."
    )
    return page.figure(page.svg_of(drawn), caption)
