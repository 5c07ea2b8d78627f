"""An arm as plain lists that a page draws in three dimensions: what `ArmView.show` takes.

    scene = arm_scene(robot)
    scene.still()        # once: what is up, what must be in view, the floor, the robot's surfaces
    scene.scene(q)       # each time: the same but for the surfaces, and everything that moves
    {**scene.still(), **scene.scene(q)}     # what a page shows; ready for JSON

Lengths are metres in base axes. Nothing in a scene is a name from a file: joints are q1 ... qn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.checks import joint_vector
from qddot.dynamics.capsules import centre
from qddot.dynamics.kinematics import body_poses
from qddot.errors import BadArgument
from qddot.model.tree import Tree
from qddot.present.figures import style
from qddot.present.figures.ellipses import LONGEST, TYPICAL
from qddot.present.figures.skeleton import Skeleton, half_axes, skeleton
from qddot.present.figures.surfaces import MOST_TRIANGLES, Surfaces, surfaces_of
from qddot.present.figures.view import box_of, plain, stage, typical
from qddot.program.optimise import optimised
from qddot.program.recorder import record
from qddot.robot import Robot

Scene = dict[str, Any]

FLAT = 0.015  # least half axis of the ellipsoid of a mass, in parts of the size of the arm
FAINT = 0.01  # share of the largest torque below which none is drawn
HUGE = 1e9  # times the smallest mass: drawn and said as if it were infinite
EFFECTIVE, PULL = style.colour(2), style.colour(1)  # the ellipsoid; gravity torques


@dataclass(frozen=True)
class ArmScene:
    """A robot that can be drawn; its kernels are compiled once."""

    robot: Robot
    skeleton: Skeleton
    poses: Kernel  # (bodies, 3, 4): rotation and origin of each
    axes: np.ndarray  # (bodies, 3), of the joints, in their bodies
    centres: np.ndarray  # (bodies, 3), of mass, in the body
    halves: np.ndarray  # (bodies, 3, 3), half axes of the solid with that inertia, one a column
    stage: Scene
    surfaces: Surfaces
    size: float  # [m], how large the arm is drawn to be
    heaviest: np.ndarray  # (n,), the largest gravity torque seen
    reach_of_mass: float  # [m/kg], how long a kilogram of effective mass is drawn

    def still(self) -> Scene:
        """Return what does not move: `up`, `floor`, `box`, `look`, `scale` and `surfaces`."""
        return {**self.stage, "surfaces": self.surfaces.packed()}

    def scene(
        self,
        q: Any,
        *,
        frame: str | None = None,
        ellipsoid: bool | tuple[np.ndarray, np.ndarray] = False,
        gravity_torques: bool | np.ndarray = False,
        bodies: bool = True,
    ) -> Scene:
        """Return the arm at q, with what stands still but for its surfaces.

        The ellipsoid of effective mass is at the frame, or at the tip if none is named; where they
        are known already, it is given by its principal masses (3,) [kg] and axes (3, 3). Gravity
        torques are drawn as arrows round the joints, and may likewise be given, (n,). The bodies
        are the solids that have the links' inertia.
        """
        q = joint_vector(self.robot, "q", q)
        points, poses = self.skeleton.points(q), self.poses(q)
        axes = np.einsum("bij,bj->bi", poses[:, :, :3], self.axes)
        result = {
            **self.stage,
            "poses": plain(poses),
            "lines": [plain(points[list(route)]) for route in self.skeleton.lines],
            "joints": [
                {
                    "at": plain(points[joint.point]),
                    "axis": plain(axes[i]),
                    "turns": joint.turns,
                    "colour": style.colour(joint.index),
                    "label": f"q{joint.index + 1}",
                }
                for i, joint in enumerate(self.skeleton.joints)
            ],
        }
        if self.skeleton.thin:
            result["thin"] = [plain(points[list(route)]) for route in self.skeleton.thin]
        if bodies:
            result["bodies"] = self._bodies(poses)
        if ellipsoid is not False:
            frame = frame or self.robot.tip
            known = ellipsoid if isinstance(ellipsoid, tuple) else None
            found = known or self.robot.principal_masses(q, frame, axes="linear")
            result["ellipsoids"] = self._effective_mass(self.robot.pose(q, frame)[:3, 3], *found)
        if gravity_torques is not False:
            known = gravity_torques if isinstance(gravity_torques, np.ndarray) else None
            torques = self.robot.gravity_torque(q) if known is None else known
            result |= self._gravity(torques, points, axes)
        return result

    def _bodies(self, poses: np.ndarray) -> list[Scene]:
        centres = poses[:, :, 3] + np.einsum("bij,bj->bi", poses[:, :, :3], self.centres)
        halves = np.swapaxes(poses[:, :, :3] @ self.halves, 1, 2)
        colours = [pale(style.colour(joint.index)) for joint in self.skeleton.joints]
        found = zip(plain(centres), plain(halves), colours, self.halves, strict=True)
        return [{"at": p, "axes": a, "colour": c} for p, a, c, half in found if half.any()]

    def _effective_mass(
        self, at: np.ndarray, masses: np.ndarray, directions: np.ndarray
    ) -> list[Scene]:
        if np.isnan(masses).any():
            return []
        blocked = beyond(masses)
        half = np.where(blocked, np.inf, masses * self.reach_of_mass)
        half = np.clip(half, FLAT * self.size, LONGEST * self.size)
        finite = [f"{mass:.3g}" for mass in masses[~blocked]]
        label = f"{' … '.join(dict.fromkeys(finite[:1] + finite[-1:]))} kg" if finite else ""
        axes = plain((directions * half).T)
        return [{"at": plain(at), "axes": axes, "colour": EFFECTIVE, "label": label}]

    def _gravity(self, torques: np.ndarray, points: np.ndarray, axes: np.ndarray) -> Scene:
        turns: list[Scene] = []
        arrows: list[Scene] = []
        # a joint that follows another shares its torque
        leaders = {joint.index: i for i, joint in reversed([*enumerate(self.skeleton.joints)])}
        for index, i in sorted(leaders.items()):
            joint, torque = self.skeleton.joints[i], float(torques[index])
            alike = [k for k, j in leaders.items() if self.skeleton.joints[j].turns == joint.turns]
            amount = float(np.clip(torque / self.heaviest[alike].max(), -1, 1))
            if abs(amount) < FAINT:
                continue
            at, axis = points[joint.point], axes[i]
            unit = self.robot.model.joint(joint.name).units.effort
            label = f"{torque:.3g} {unit}".replace("-", "−")
            drawn: Scene = {"colour": PULL, "label": label}
            if joint.turns:
                turns.append(drawn | {"at": plain(at), "axis": plain(axis), "amount": amount})
            else:
                end = at + axis * amount * LONGEST * self.size
                arrows.append(drawn | {"from": plain(at), "to": plain(end)})
        return {"turns": turns, "arrows": arrows}


def arm_scene(robot: Robot) -> ArmScene:
    """Return a robot, whose parameters are numbers, as something that pages can draw."""
    tree = robot.tree
    if not tree.n:
        raise BadArgument("There is nothing to show: the robot has no joint that moves.")
    bones, q = skeleton(tree), typical(robot)
    points = bones.points(q)
    bare = bare_scene(robot, bones, points)
    centres = np.array([centre(body.inertia) for body in tree.bodies]) + bones.shifts
    halves = half_axes(tree, bare.size)
    box = box_of(tree, np.concatenate([points, ends(bare.poses(q), centres, halves)], axis=1))
    heaviest = np.abs(robot.gravity_torque(q)).max(axis=0)
    return replace(
        bare,
        centres=centres,
        halves=halves,
        stage=stage(tree, box, points[0], bare.size),
        heaviest=np.where(heaviest > 0, heaviest, 1.0),
        reach_of_mass=TYPICAL * bare.size / usual_mass(robot, q),
    )


def bare_scene(
    robot: Robot, bones: Skeleton, points: np.ndarray, triangles: int = MOST_TRIANGLES
) -> ArmScene:
    """Return a robot that is only looked at: without masses and torques, so nothing is compiled.

    Its parameters are numbers. The points are those of its skeleton at some q, shape (k, points, 3)
    [m]; at most so many triangles of its surfaces are drawn.
    """
    tree, bodies = robot.tree, len(robot.tree.bodies)
    box = box_of(tree, points)
    size = size_of(bones, points, box)
    return ArmScene(
        robot,
        bones,
        body_frames(tree),
        np.array([body.axis for body in tree.bodies], dtype=float),
        np.zeros((bodies, 3)),
        np.zeros((bodies, 3, 3)),
        stage(tree, box, points[0], size),
        surfaces_of(robot, triangles),
        size,
        np.ones(robot.n),
        0.0,
    )


def body_frames(tree: Tree) -> Kernel:
    """Return the function of q that tells rotation and origin of each body, (bodies, 3, 4)."""

    def frames(q: Any) -> np.ndarray:
        X_W = body_poses(tree, q)
        return np.array(
            [np.column_stack([X_W[i].R, X_W[i].p]) for i in range(len(tree.bodies))], dtype=object
        )

    return Kernel(optimised(record(frames, "body_frames", q=(tree.n,))))


def size_of(bones: Skeleton, points: np.ndarray, box: np.ndarray) -> float:
    """Return the size at which an arm is drawn [m]: as it is long, but never lost in its box.

    The points are those of its skeleton at many q, shape (k, points, 3) [m]; the box is what must
    be in view, shape (2, 3) [m].
    """
    pieces = [pair for line in bones.lines for pair in pairwise(line)]
    lengths = [np.linalg.norm(points[:, a] - points[:, b], axis=-1) for a, b in pieces]
    length = float(np.median(np.sum(lengths, axis=0))) / max(len(bones.tips), 1)
    extent = float(np.ptp(box, axis=0).max()) or 1.0
    return float(np.clip(0.75 * length, 0.5 * extent, 0.95 * extent))


def ends(poses: np.ndarray, centres: np.ndarray, halves: np.ndarray) -> np.ndarray:
    """Return both ends of the longest axis of each body at many q, shape (k, 2 bodies, 3)."""
    R, p = poses[..., :3], poses[..., 3]
    middle = p + np.einsum("kbij,bj->kbi", R, centres)
    long = np.einsum("kbij,bj->kbi", R, halves[:, :, 0])
    return np.concatenate([middle - long, middle + long], axis=1)


def usual_mass(robot: Robot, q: np.ndarray) -> float:
    """Return how heavy the tip usually is in its heaviest direction [kg]."""
    masses, _ = robot.principal_masses(q, robot.tip, axes="linear")
    heavy = np.where(beyond(masses) | np.isnan(masses), 0, masses).max(axis=-1)
    return float(np.median(heavy)) or 1.0


def beyond(masses: np.ndarray) -> np.ndarray:
    """Return which principal masses are infinite, or as good as that beside the smallest."""
    return np.isinf(masses) | (masses > HUGE * masses[..., :1])


def pale(colour: str) -> str:
    """Return a colour mixed with much light grey, for what lies beside it."""
    own = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)])
    red, green, blue = np.round(0.35 * own + 0.65 * 222).astype(int)
    return f"#{red:02x}{green:02x}{blue:02x}"
