"""Robots in MJCF files, by way of MuJoCo's own compiler.

Degrees, default classes, includes and inertia from geoms mean what MuJoCo takes them to mean,
and q is MuJoCo's qpos, entry for entry, less what is left out with a warning or follows another
joint.

Bodies that float freely are left out as objects, or refused. What stands in the world by itself is
a place with a look, and its mass is not the robot's.
"""

from __future__ import annotations

from pathlib import Path

from qddot.errors import BadRobot, Problem, listing
from qddot.model import Model, build
from qddot.readers.mjcf.bodies import frames_of, links_and_joints
from qddot.readers.mjcf.compiling import MujocoModel, compile_source
from qddot.readers.mjcf.constraints import couplings_of, followers, ignored
from qddot.readers.mjcf.numbers import floats
from qddot.readers.mjcf.source import read_source
from qddot.readers.places import Places

FREE, BALL = 0, 1  # MuJoCo's numbers of joint types


def read_mjcf(path: Path, places: Places | None = None) -> Model:
    """Return the model in an MJCF file.

    Its meshes are in its own folder, if no places are given.

    Raises:
        MissingExtra: If MuJoCo is not installed.
        BadFile: If the file is not MJCF that MuJoCo accepts.
        BadRobot: With every problem of the robot in it.
    """
    compiled = compile_source(read_source(Path(path)))
    left_out, found = without_floating(compiled)
    if any(problem.severity == "error" for problem in found):
        raise BadRobot(compiled.name, [*compiled.problems, *found])
    tied = followers(compiled, left_out)
    apart, told = scenery(compiled, left_out)
    where = places or Places(Path(path).parent)
    links, joints = links_and_joints(compiled, tied, left_out, apart, where)
    frames, renamed = frames_of(compiled, left_out)
    coupled = couplings_of(compiled, left_out)
    gravity = (0, 0, 0) if compiled.disabled("GRAVITY") else floats(compiled.model.opt.gravity)
    return build(
        compiled.name,
        links,
        joints,
        frames=tuple(frames),
        gravity=gravity,
        couplings=tuple(coupled.values()),
        found=[
            *compiled.problems,
            *found,
            *told,
            *tied.problems,
            *renamed,
            *ignored(compiled, left_out, coupled),
        ],
    )


def scenery(compiled: MujocoModel, left_out: set[int]) -> tuple[set[int], list[Problem]]:
    """Return the bodies that are trees of their own without a joint, where another tree has one.

    A table, or a mocap body, is one; what is fixed to the base of the robot belongs to that.
    """
    m, names = compiled.model, compiled.names
    roots = [int(root) for root in m.body_rootid]
    jointed = {roots[body] for body in m.jnt_bodyid if body not in left_out}
    apart = {i for i in range(1, m.nbody) if jointed and roots[i] not in jointed} - left_out
    heavy = sorted({roots[i] for i in apart if m.body_mass[i]})
    if not heavy:
        return apart, []
    which = listing([names.body(i) for i in heavy], 5)
    mass = float(sum(m.body_mass[i] for i in apart))
    message = f"what moves no joint and carries none is not the robot: {which}, {mass:.4g} kg"
    return apart, [names.problem("warning", "body", heavy[0], message, "It is a place alone.")]


def without_floating(compiled: MujocoModel) -> tuple[set[int], list[Problem]]:
    """Return the bodies to leave out, and what there is to say about joints that have no place.

    A free body that carries no joint, in a file where something else has joints, is an object
    that lies about. Any other one is a robot whose base has yet to be fixed.
    """
    m, names = compiled.model, compiled.names
    left_out: set[int] = set()
    problems: list[Problem] = []
    roots = [int(root) for root in m.body_rootid]
    jointed = {roots[m.jnt_bodyid[j]] for j in range(m.njnt) if m.jnt_type[j] != FREE}
    for j in range(m.njnt):
        body = int(m.jnt_bodyid[j])
        name = names.body(body)
        if m.jnt_type[j] == BALL:
            message = "it is a ball joint, which has three degrees of freedom"
            remedy = "Replace it by three hinges, or remove what it carries."
            problems.append(names.problem("error", "joint", j, message, remedy))
        elif m.jnt_type[j] == FREE and jointed and body not in jointed:
            left_out |= {i for i, root in enumerate(roots) if root == body}
            message = "it floats freely and carries no joint, so it is left out as an object"
            remedy = f"Delete its free joint if {name!r} belongs to the robot."
            problems.append(names.problem("warning", "body", body, message, remedy))
        elif m.jnt_type[j] == FREE:
            message = "it floats freely (a free joint), but a robot here stands on a fixed base"
            remedy = f"Delete its free joint to fix it where it is, or remove {name!r}."
            problems.append(names.problem("error", "body", body, message, remedy))
    return left_out, problems
