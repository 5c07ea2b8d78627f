"""Bodies that float freely: objects of a scene, which are left out, and robots without a base."""

from __future__ import annotations

from qddot.errors import Problem
from qddot.readers.mjcf.compiling import Compiled

FREE, BALL = 0, 1  # MuJoCo's numbers of joint types


def without_floating(compiled: Compiled) -> tuple[set[int], list[Problem]]:
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
