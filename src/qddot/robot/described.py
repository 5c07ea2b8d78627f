"""What a robot says of itself: its names, limits and parameters, as text, as a page, as a file.

And where it keeps what was made of it, so that it is made once.

Lynch and Park: K. Lynch, F. Park, *Modern Robotics*, Cambridge University Press, 2017, sections 4.1
and 8.3, for a robot as a product of exponentials: its screw axes, home poses and spatial inertias.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np

from qddot.dynamics.regressor import parameters
from qddot.errors import BadArgument, Problem, shorten
from qddot.model.coordinates import Drives
from qddot.model.folding import exact, fold
from qddot.model.limits import RobotLimits, limits_of
from qddot.model.shape_alone import shape_alone
from qddot.model.tree import Tree, by_rows
from qddot.plain_text import fitted
from qddot.results import in_notebook, look
from qddot.robot.home import RobotStart, home_of, start_of, tip_of
from qddot.robot.variants import Variants
from qddot.scalars import Scalar
from qddot.scalars.expressions import Expression, simplest
from qddot.spatial.inertia import Inertia
from qddot.spatial.pose import STILL, Pose

Made = TypeVar("Made")


@dataclass(frozen=True, repr=False)
class Described(Variants):
    """A model, and what can be read off it without compiling anything."""

    @property
    def name(self) -> str:
        """What its description calls it."""
        return self.model.name

    @property
    def n(self) -> int:
        """How many degrees of freedom."""
        return self.model.n

    @property
    def nq(self) -> int:
        """How many numbers q has; as many as there are degrees of freedom, of all kinds so far."""
        return self.model.nq

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The names behind the entries of q, in order."""
        return self.model.joint_names

    @property
    def frame_names(self) -> tuple[str, ...]:
        """The names that frames go by: links, then further frames."""
        return self.model.frame_names

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names of the parameters that have no value yet."""
        return self.model.symbols

    @property
    def values(self) -> Mapping[str, Scalar]:
        """The numbers that its symbols were given, by name; `with_values` can give others."""
        return dict(self.model.values)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """What is doubtful about the robot's description."""
        return tuple(p for p in self.model.warnings if p.severity == "warning")

    @cached_property
    def tree(self) -> Tree:
        """The moving bodies, with the ten numbers of their inertia."""
        return fold(self.model)

    @property
    def _shape_alone(self) -> Self:
        """The robot for what depends on its shape alone: masses need no value there."""
        if not self.symbols:
            return self
        return self.cached(
            "shape alone", None, lambda: replace(self, model=shape_alone(self.model))
        )

    @cached_property
    def named_tree(self) -> Tree:
        """The `tree`, for what needs names and not numbers: its parameters may be symbols."""
        return fold(self.model, exact) if self.symbols else self.tree

    @cached_property
    def limits(self) -> RobotLimits:
        """Its .lower .upper .velocity .effort, one per joint, infinite where there is none."""
        return limits_of(self.model)

    @property
    def actuated(self) -> np.ndarray:
        """Which entries of q̇ a motor drives, shape (n,): True, or False of a joint without one."""
        return np.array([joint.actuated for joint in self.model.free_joints], dtype=bool)

    @property
    def mass(self) -> Scalar:
        """The mass of everything, payloads included [kg]; an expression if some have no value."""
        return self.model.mass

    @cached_property
    def home(self) -> np.ndarray:
        """Where the arm stands if nobody says, shape (nq,); what its file gives, if it does."""
        return home_of(self)

    @cached_property
    def start(self) -> RobotStart:
        """How a simulation begins if nobody says: .q and .qd, zero where its file gives none."""
        return start_of(self)

    @cached_property
    def tip(self) -> str:
        """The frame that is meant if none is named: a tool, tool centre point or flange at its end.

        "tool" if there is one; else one at the end of the longest branch whose name ends in tcp,
        tool0, tool, ee, flange or the like; else the last of that branch, but the hand rather than
        one of its fingers.
        """
        return tip_of(self)

    def random_positions(self, size: int | tuple[int, ...] = (), seed: int = 0) -> np.ndarray:
        """Return random joint positions within the limits, the same ones for the same seed.

        Each joint is drawn evenly between its limits. One without limits is drawn within half a
        turn, or half a metre, of zero. Where its position is no single number, numbers between −1
        and 1 are drawn, and the nearest position taken.

        Args:
            size: How many; a number, or a shape as NumPy has it. () gives one position.
            seed: Where the random numbers start.

        Returns:
            Positions [rad or m], shape (nq,), (size, nq) or (*size, nq).
        """
        counts = size if isinstance(size, tuple) else (size,)
        if not all(isinstance(k, (int, np.integer)) and k >= 0 for k in counts):
            raise BadArgument(
                f"size is {shorten(repr(size))}; give how many positions, a whole number, or a "
                "shape such as (10, 5)."
            )
        drawn = np.random.default_rng(seed).uniform(*self.limits.span(), (*counts, self.nq))
        if self.nq == self.n:
            return drawn
        return by_rows(self.tree.project, drawn)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The names behind the columns of the regressor, "<joint>.<p>"; symbols do no harm."""
        return tuple(parameters(self.named_tree))

    @property
    def parameters(self) -> np.ndarray:
        """The parameters φ of the regressor: Y φ = τ."""
        return np.array([float(x) for x in parameters(self.tree).values()])

    def screws(self, tool: str = "") -> Screws:
        """Return its screw axes, home poses and inertias, as `qddot.from_screws` takes them.

        Args:
            tool: The frame at its end; `robot.tip` if not given.
        """
        return screws_of(self, tool or self.tip)

    # what was made of it

    def __getstate__(self) -> dict[str, Any]:
        """Compiled kernels stay behind when a robot is copied or sent to another process."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def _cache(self) -> dict[Hashable, Any]:
        return {}

    def cached(self, what: str, choice: Hashable, make: Callable[[], Made]) -> Made:
        """Return what was made of this robot for a choice; make it where it is not there yet.

        It stays behind when the robot is copied or sent to another process.

        Args:
            what: What it is, in a word, so that two rooms cannot take each other's.
            choice: What it depends on besides the robot.
            make: Makes it.
        """
        key = (what, choice)
        if key not in self._cache:
            self._cache[key] = make()
        return self._cache[key]

    # how it looks

    def show(self, *, degrees: bool = False) -> None:
        """Print the robot as a table and a tree, angles in radians or degrees."""
        look("terminal.robots.print_robot")(self.model, degrees=degrees)

    def draw(self, path: str | Path | None = None, q: Any = None, **how: Any) -> Any:
        """Draw the robot, and return the figure: `robot.draw("arm.svg", ghost=q2, look="side")`.

        Args:
            path: Where to write it: .png, .svg or .pdf; nowhere if None.
            q: Joint positions [rad or m], shape (n,); its home by default.
            how: `look`, `size`, `ghost` and `frames` of `qddot.plot.plot_robot`.
        """
        return look("figures.robot_picture.plot_robot")(self, q, path=path, **how)

    def interact(self, q: Any = None) -> Any:
        """Return the robot with a slider for each joint, as the last line of a notebook's cell.

        Args:
            q: Where it stands at first [rad or m], shape (n,); its home by default.
        """
        return look("notebook.viewer.interact")(self, q)

    @fitted
    def __repr__(self) -> str:
        return look("terminal.robots.as_text")(self.model)

    _repr_html_ = in_notebook("robots.robot_html")

    def save(self, path: str | Path) -> list[str]:
        """Write the robot to a .toml, .json, .urdf, .xml (MJCF) or .sdf file.

        Returns:
            What the format made us add or leave out; a warning says the same.
        """
        from qddot.robot.loading import save

        return save(self, Path(path))


SIX = np.eye(6, dtype=int)


@dataclass(frozen=True)
class Screws:
    """A chain at q = 0: T_i(q) = exp([S_1] q_1) ··· exp([S_i] q_i) M_i.

    The frame of link i is at its centre of mass, with the axes of the link's own frame; everything
    that is fixed to the link is part of it. Arrays of numbers, of exact expressions where the robot
    has symbols.
    """

    space: np.ndarray  # (n, 6): S_i = [ω, v], in base axes
    home: np.ndarray  # (n, 4, 4): M_i, in the base
    inertias: np.ndarray  # (n, 6, 6): G_i, in frame i
    tool: np.ndarray  # (4, 4): where the tool's frame is, in the base

    @property
    def body(self) -> np.ndarray:
        """The axes B_i in the frame of the tool at home, shape (n, 6)."""
        X = Pose(self.tool[:3, :3], self.tool[:3, 3])
        return np.array([[_plain(x) for x in X.motion_inv(S)] for S in self.space])

    @property
    def steps(self) -> np.ndarray:
        """M_{i−1,i}, each frame at home in the one before, the tool's last: (n + 1, 4, 4)."""
        poses = [STILL, *(Pose(M[:3, :3], M[:3, 3]) for M in (*self.home, self.tool))]
        return _array([(a.inverse() @ b).matrix() for a, b in pairwise(poses)])


def screws_of(robot: Described, tool: str) -> Screws:
    """Return the screw axes of a robot that is one chain."""
    tree = robot.named_tree
    map_ = tree.coordinates
    chain = [body.parent for body in tree.bodies] == list(range(-1, len(tree.bodies) - 1))
    if not (chain and tree.flat and isinstance(map_, Drives) and map_.identity):
        raise BadArgument(
            f"A product of exponentials is of one chain whose joints move by themselves; "
            f"{robot.name!r} branches, or has joints that follow others."
        )
    carrier, X_BT = tree.frame(tool)
    poses, X = [STILL], STILL
    for X_PB in tree.poses(np.zeros(tree.nq, dtype=int)):
        X = X @ X_PB
        poses.append(X)
    space, home, inertias = [], [], []
    for i, (body, X_W) in enumerate(zip(tree.bodies, poses[1:], strict=True)):
        X_BF = link_frame(robot, tree, i)
        space.append(X_W.motion(body.joint.S[:, 0]))
        home.append((X_W @ X_BF).matrix())
        seen: Inertia = body.inertia.seen_from(X_BF.inverse())
        inertias.append(np.stack([seen @ e for e in SIX], axis=1))
    at_home = (poses[carrier + 1] @ X_BT).matrix()
    return Screws(_array(space), _array(home), _array(inertias), _array(at_home))


def link_frame(robot: Described, tree: Tree, i: int) -> Pose:
    """Return a frame at a body's centre of mass, with the axes of the link that has the mass."""
    body = tree.bodies[i]
    on_it = [link for link in robot.model.links if tree.frames[link.name][0] == i]
    heavy = [link for link in on_it if link.inertial.mass]
    R = tree.frames[(heavy if len(heavy) == 1 else on_it)[0].name][1].R
    return Pose(R, body.inertia.com_form()[1] if body.inertia.m else STILL.p)


def _array(values: list | np.ndarray) -> np.ndarray:
    entries = np.array(values)
    if entries.dtype != object:
        return entries.astype(float)
    flat = np.empty(entries.size, dtype=object)
    flat[:] = [_plain(x) for x in entries.ravel()]
    result = flat.reshape(entries.shape)
    return result if any(isinstance(x, Expression) for x in flat) else result.astype(float)


def _plain(x: Scalar) -> Scalar:
    return simplest(x) if isinstance(x, Expression) else x
