"""What an MJCF file says besides the tree: constraints, tendons, fluids, and what becomes of it.

A joint that a linear equality ties to another becomes one that follows it, a fixed tendon that acts
on joints a coupling of them. The rest is left out, and each thing that would change how the robot
moves is named.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

import numpy as np

from qddot.errors import Problem, listing, shorten
from qddot.model import Coupling, Friction, Mimic, Motor
from qddot.readers.mjcf.compiling import MujocoModel

PASSIVE = ("tendon_stiffness", "tendon_damping", "tendon_frictionloss", "tendon_armature")


class Followers:
    """The joints that equality constraints tie to another joint, or hold in place."""

    def __init__(self) -> None:
        self.mimics: dict[int, Mimic] = {}  # by MuJoCo's number of the joint
        self.locked: dict[int, float] = {}
        self.leaders: dict[int, int] = {}
        self.problems: list[Problem] = []

    def tie(self, compiled: MujocoModel, e: int, left_out: set[int]) -> None:
        """Take one joint equality into account.

        MuJoCo counts both positions from ref:

            q₁ − ref₁ = c₀ + c₁ (q₂ − ref₂) + c₂ (q₂ − ref₂)² + ...
        """
        m, names = compiled.model, compiled.names
        follower, leader = int(m.eq_obj1id[e]), int(m.eq_obj2id[e])
        if int(m.jnt_bodyid[follower]) in left_out:
            return
        constant, ratio, *higher = (float(x) for x in m.eq_data[e, :5])
        ref = float(m.qpos0[m.jnt_qposadr[follower]])
        taken = follower in self.mimics or follower in self.locked
        held = leader < 0 or (ratio == 0 and not any(higher))
        name = shorten(names.joint(follower))
        if held and not taken:
            self.locked[follower] = ref + constant
            message = f"it holds joint {name!r} at {ref + constant:g}, so that joint is locked"
        elif any(higher) or taken or held or self.leads_back(leader, follower):
            message = f"joint {name!r} moves on its own here: the constraint on it is left out"
            remedy = "Only q₁ = c₀ + c₁ q₂, once for each joint, can be kept."
            self.problems.append(names.problem("warning", "constraint", e, message, remedy))
            return
        else:
            offset = ref + constant - ratio * float(m.qpos0[m.jnt_qposadr[leader]])
            self.mimics[follower] = Mimic(names.joint(leader), ratio, offset)
            self.leaders[follower] = leader
            message = f"joint {name!r} follows joint {shorten(names.joint(leader))!r}"
        self.problems.append(
            names.problem(
                "note", "constraint", e, message, "MuJoCo holds it softly, here it is exact."
            )
        )

    def leads_back(self, leader: int, follower: int) -> bool:
        """Return whether a joint that is to lead follows its follower, through any others."""
        while leader in self.leaders and leader != follower:
            leader = self.leaders[leader]
        return leader == follower


def followers(compiled: MujocoModel, left_out: set[int]) -> Followers:
    """Return which joints follow which, and what constraints had to be left out."""
    m, names = compiled.model, compiled.names
    kinds = compiled.mujoco.mjtEq
    result = Followers()
    if compiled.disabled("EQUALITY", "CONSTRAINT"):
        return result
    for e in range(m.neq):
        if not m.eq_active0[e]:
            continue
        kind = int(m.eq_type[e])
        if kind == int(kinds.mjEQ_JOINT):
            result.tie(compiled, e, left_out)
        elif not within(compiled, e, left_out):
            word = str(kinds(kind).name).removeprefix("mjEQ_").lower()
            message = f"this {word} constraint is left out, so the robot moves more freely"
            remedy = "A robot here is a tree: closed loops are not supported."
            result.problems.append(names.problem("warning", "constraint", e, message, remedy))
    return result


def within(compiled: MujocoModel, e: int, left_out: set[int]) -> bool:
    """Return whether a constraint between bodies is about bodies that are left out anyway."""
    m, kinds = compiled.model, compiled.mujoco.mjtEq
    ends = {int(m.eq_obj1id[e]), int(m.eq_obj2id[e])}
    loops = (int(kinds.mjEQ_CONNECT), int(kinds.mjEQ_WELD))
    objtype = getattr(m, "eq_objtype", None)
    of_bodies = objtype is None or int(objtype[e]) == int(compiled.mujoco.mjtObj.mjOBJ_BODY)
    return int(m.eq_type[e]) in loops and of_bodies and bool(ends & left_out)


def pulls(compiled: MujocoModel, t: int) -> bool:
    """Return whether a tendon acts by itself, and not only when an actuator pulls it."""
    m = compiled.model
    acting = any(np.any(getattr(m, what)[t]) for what in PASSIVE if hasattr(m, what))
    return acting or bool(m.tendon_limited[t])


def couplings_of(compiled: MujocoModel, left_out: set[int]) -> dict[int, Coupling]:
    """Return the fixed tendons that act on joints as couplings of them, by number.

    The length of such a tendon is Σ rᵢ qᵢ, and all that it does is linear in it, but for a range
    of lengths at which its spring rests.
    """
    m, on_joint = compiled.model, int(compiled.mujoco.mjtWrap.mjWRAP_JOINT)
    found = {}
    for t in range(m.ntendon):
        wraps = range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t])
        joints = [int(m.wrap_objid[w]) for w in wraps]
        shortest, longest = (float(x) for x in m.tendon_lengthspring[t])
        fixed = all(int(m.wrap_type[w]) == on_joint for w in wraps)
        slack = bool(m.tendon_stiffness[t]) and shortest != longest
        if not (fixed and pulls(compiled, t)) or m.tendon_limited[t] or slack or len(joints) < 2:
            continue
        if any(int(m.jnt_bodyid[j]) in left_out for j in joints):
            continue
        springs, dampers, rubs = (
            not compiled.disabled(name, kind)
            for name, kind in (
                ("SPRING", "PASSIVE"),
                ("DAMPER", "PASSIVE"),
                ("FRICTIONLOSS", "CONSTRAINT"),
            )
        )
        armature = getattr(m, "tendon_armature", np.zeros(m.ntendon))
        found[t] = Coupling(
            tuple(compiled.names.joint(j) for j in joints),
            stiffness=springs * float(m.tendon_stiffness[t]),
            damping=dampers * float(m.tendon_damping[t]),
            rest=shortest if m.tendon_stiffness[t] else 0,
            ratios=tuple(float(m.wrap_prm[w]) for w in wraps),
            friction=Friction(coulomb=rubs * float(m.tendon_frictionloss[t])),
            motor=Motor(float(armature[t])),
        )
    return found


def driven_joints(compiled: MujocoModel) -> set[int]:
    """Return the joints that an actuator drives, also through a fixed tendon or an equality.

    All of them where joints alone do not tell: without actuators, with some at sites, with loops.
    """
    m, mujoco = compiled.model, compiled.mujoco
    trn, every = mujoco.mjtTrn, set(range(m.njnt))
    if not m.nu or any(int(kind) != int(mujoco.mjtEq.mjEQ_JOINT) for kind in m.eq_type):
        return every
    driven: set[int] = set()
    for kind, (i, _) in zip(map(int, m.actuator_trntype), m.actuator_trnid, strict=True):
        joints = [i]
        if kind == int(trn.mjTRN_TENDON):
            wraps = slice(m.tendon_adr[i], m.tendon_adr[i] + m.tendon_num[i])
            if (m.wrap_type[wraps] != int(mujoco.mjtWrap.mjWRAP_JOINT)).any():
                return every
            joints = m.wrap_objid[wraps]
        elif kind not in (int(trn.mjTRN_JOINT), int(trn.mjTRN_JOINTINPARENT)):
            return every
        driven.update(map(int, joints))
    pairs = [{int(one), int(other)} for one, other in zip(m.eq_obj1id, m.eq_obj2id, strict=True)]
    while more := [pair for pair in pairs if pair & driven and not pair <= driven]:
        driven.update(*more)
    return driven


def driven_tendons(compiled: MujocoModel) -> set[int]:
    """Return the tendons that an actuator pulls."""
    m, tendon = compiled.model, int(compiled.mujoco.mjtTrn.mjTRN_TENDON)
    pairs = zip(m.actuator_trntype, m.actuator_trnid[:, 0], strict=True)
    return {int(t) for kind, t in pairs if int(kind) == tendon}


def ignored(
    compiled: MujocoModel, left_out: set[int], kept: Container[int] = ()
) -> Iterator[Problem]:
    """Yield what else of the file has no place in a model of rigid links and joints.

    `left_out` are bodies; the tendons in `kept` are couplings now.
    """
    m, names = compiled.model, compiled.names
    numbers = [t for t in range(m.ntendon) if t not in kept]
    tendons = {t: names.names["tendon", t] or f"number {t + 1}" for t in numbers}
    pulling = [name for t, name in tendons.items() if pulls(compiled, t)]
    driven = [name for t, name in tendons.items() if t in driven_tendons(compiled)]
    driven = [name for name in driven if name not in pulling]
    idle = [name for name in tendons.values() if name not in (*pulling, *driven)]
    if pulling:
        message = f"{listing(pulling, 5)} left out, and with it a force on the joints it spans"
        remedy = "Describe it by springs and friction at the joints, or by a coupling."
        yield Problem("warning", "tendon", message, remedy)
    if driven:
        message = f"{listing(driven, 5)} left out, and with it what its actuator does to the joints"
        remedy = "Give torques at the joints instead; how it shares them out is not known here."
        yield Problem("warning", "tendon", message, remedy)
    if idle:
        message = f"{listing(idle, 5)} left out, which nothing pulls"
        yield Problem("note", "tendon", message, "It does nothing to the joints.")
    lifted = [names.body(i) for i in range(1, m.nbody) if m.body_gravcomp[i] and i not in left_out]
    if lifted:
        message = f"gravity compensation (gravcomp) of {listing(lifted, 5)} is left out"
        remedy = "Gravity pulls at all of the robot here; remove gravcomp to compare with MuJoCo."
        yield Problem("warning", "body", message, remedy)
    for what in ("dof_dampingpoly", "jnt_stiffnesspoly", "actuator_dampingpoly"):
        if np.any(getattr(m, what, 0)):
            message = f"damping or stiffness that is not linear ({what}) is left out"
            yield Problem("warning", "robot", message, "Keep the linear coefficient alone.")
    if np.any(getattr(m, "jnt_springyield", 0)):
        message = "springs that yield (springyield) are taken as springs that do not"
        yield Problem("warning", "robot", message, "Remove springyield.")
    for flex in compiled.spec.flexes:
        message = f"the forces of flex {shorten(flex.name)!r} on its bodies are left out"
        yield Problem("warning", "robot", message, "Every link here is rigid.")
    for plugin in compiled.spec.plugins:
        message = f"plugin {shorten(plugin.plugin_name)!r} is left out"
        yield Problem("warning", "robot", message, "What it does to the robot has no place here.")
    if m.opt.density or m.opt.viscosity:
        message = f"the fluid around it (density {m.opt.density:g} kg/m³) is left out"
        yield Problem("note", "option", message, "It moves as in a vacuum.")
    if len(m.actuator_trntype):
        message = "actuators are left out, but for the limits and rotors they give to joints"
        yield Problem("note", "actuator", message, "What goes in here is the torque at each joint.")
