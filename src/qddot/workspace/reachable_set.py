"""The set of places that a frame reaches within its joints' limits, as cells of space.

Joint positions all over the limits are tried in batches; then positions near those that led to a
cell at the rim of the set, until hardly any cell is added. It is a finding, not a bound: each cell
that is there was reached, with a q that shows it; one that is not there may be reachable.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qddot.certificate.bound import box_of
from qddot.certificate.mobility import complement, directions
from qddot.checks import frame_name, need_joints, one_of, positive, whole
from qddot.errors import BadArgument, printable
from qddot.robot import Robot
from qddot.robot.loading import robot_of
from qddot.workspace.cells import Cells, part_of_directions
from qddot.workspace.places import FEW, LETTERS, Workspace

ACROSS = {1: 2000, 2: 200, 3: 60}  # cells along the longest side, if no size is given
BATCH = 100_000  # positions at a time
# a round looks near the rim: how near, one step after another, in parts of the joints' ranges
STEPS = (0.2, 0.06, 0.02, 0.006)
SHARE = 25  # the part of the samples that a step tries is one of these


def spread_out(first: int, count: int, start: np.ndarray) -> np.ndarray:
    """Return points that fill the unit box evenly, from one of their sequence on, (count, n).

    Steps of φ⁻¹, φ⁻², …, φ⁻ⁿ modulo 1, with φ the root of φⁿ⁺¹ = φ + 1 above 1: of two numbers that
    is the plastic number, of one the golden ratio (Roberts 2018).
    """
    n = len(start)
    ratio = 2.0
    for _ in range(64):
        ratio = (1 + ratio) ** (1 / (n + 1))
    steps = ratio ** -np.arange(1.0, n + 1)
    return (start + np.arange(first, first + count)[:, None] * steps) % 1.0


def reachable(
    robot: Robot | str,
    frame: str | None = None,
    box: Any = None,
    *,
    cell: float | None = None,
    samples: int = 1_000_000,
    approach: str = "z",
    seed: int = 0,
) -> Workspace:
    """Return the places that a frame reaches, as cells of space.

    Args:
        robot: The robot, its name or file.
        frame: The name of a link or a frame; the robot's tip if not given.
        box: By joint name, a range [rad or m] that stands in for its limits.
        cell: The side of a cell [m]; if not given, a 60th of the longest side of the set, in a
            plane a 200th.
        samples: How many joint positions all over the box are tried; the search at the rim tries
            as many more at most.
        approach: The axis of the frame, "x", "y" or "z", whose directions are counted; one
            that leaves the plane of an arm that moves in one gives way to one that does not.
        seed: Where the random numbers start: the same number, the same set.
    """
    robot = robot_of(robot)
    need_joints(robot)
    frame = frame_name(robot, robot.tip if frame is None else frame)
    samples, seed = whole("samples", samples, 1), whole("seed", seed)
    axis = LETTERS.index(one_of("approach", approach, tuple(LETTERS)))
    low, high = box_of(robot, box).edges  # which hold the limits with their rounding
    low, high = np.nextafter(low, high), np.nextafter(high, low)
    robot = robot.with_options(dtype="float64") if robot.dtype != "float64" else robot
    never, rank = directions(robot, frame, "linear")
    if not rank:
        raise BadArgument(
            f"No joint of {printable(robot.name)!r} moves {printable(frame)!r}.\n"
            "  Name a frame farther out."
        )
    axes = complement(never).T if never.size else np.eye(3)
    X = robot.pose((low + high) / 2, frame)
    start = X[:3, 3]
    in_plane = np.linalg.norm(axes @ X[:3, :3], axis=0)
    axis = axis if in_plane[axis] > 0.5 else int(in_plane.argmax())
    offset = start - axes.T @ (axes @ start)
    rng = np.random.default_rng(seed)
    first_point = rng.uniform(size=robot.n)
    if cell is None:
        some = robot.pose(low + (high - low) * spread_out(0, BATCH, first_point), frame)[:, :3, 3]
        cell = float(np.ptp(some @ axes.T, axis=0).max()) / ACROSS[len(axes)] or 1e-3
    cell = positive("cell", cell, "m")
    cells = Cells(np.floor(axes @ start / cell).astype(np.int64)[None], robot.n)

    def look_at(q: np.ndarray) -> None:
        X = robot.pose(q, frame)
        # not @: a matrix so narrow only wakes other threads
        where, pointing = (np.einsum("mi,di->md", X[:, :3, k], axes) for k in (3, axis))
        place, seen = np.floor(where / cell).astype(np.int64), part_of_directions(pointing)
        cells.add(place, q, robot.manipulability(q, frame), seen)

    batch, pairs = min(BATCH, -(-samples // 2)), 0  # at least two
    for first in range(0, samples, batch):
        pairs = cells.directions if 2 * first <= samples else pairs
        evenly = spread_out(first, min(batch, samples - first), first_point)
        look_at(low + (high - low) * evenly)
    turned = 1 - pairs / cells.directions
    tries, count, added = min(samples // SHARE + 1, BATCH), samples, 1.0
    while added >= FEW and count + len(STEPS) * tries <= 2 * samples:
        before = len(cells)
        for step in STEPS:
            near = cells.q[rng.choice(cells.rim(), tries)]
            near = near + step * (high - low) * rng.normal(size=near.shape)
            look_at(np.clip(near, low, high))
            count += tries
        added = 1 - before / len(cells)
    found = rank, count, added, turned, LETTERS[axis], cells
    return Workspace(robot, frame, cell, axes, offset, *found)
