"""What acts in a joint: limits, friction, spring and rotor.

MuJoCo keeps some of it with the joints, some with the actuators that drive them, and lets the
file switch kinds of forces off as a whole.
"""

from __future__ import annotations

from typing import Any

from qddot.model import Friction, Limits, Motor, Spring
from qddot.readers.mjcf.compiling import Compiled


def limits(compiled: Compiled, j: int) -> Limits:
    """Return how far a joint goes and how strong what drives it is."""
    m = compiled.model
    lower = upper = None
    if m.jnt_limited[j]:
        lower, upper = (float(x) for x in m.jnt_range[j])
    return Limits(lower, upper, effort=effort(compiled, j))


def home(compiled: Compiled, j: int) -> float | None:
    """Return where the keyframe "home" has a joint, if there is one and it is within the limits."""
    m, at = compiled.model, compiled.model.jnt_qposadr[j]
    if len(compiled.home) != m.nq:
        return None
    low, high = m.jnt_range[j] if m.jnt_limited[j] else (-float("inf"), float("inf"))
    return compiled.home[at] if low <= compiled.home[at] <= high else None


def effort(compiled: Compiled, j: int) -> float | None:
    """Return the largest torque or force that the actuators can give, in either direction."""
    m = compiled.model
    bounds = []
    if m.jnt_actfrclimited[j]:
        bounds.append(largest(m.jnt_actfrcrange[j]))
    # with several actuators at one joint it is unclear which are used together
    drives = actuators(compiled, j)
    if len(drives) == 1:
        (a,) = drives
        gear = abs(float(m.actuator_gear[a, 0]))
        if m.actuator_forcelimited[a]:
            bounds.append(gear * largest(m.actuator_forcerange[a]))
        if m.actuator_ctrllimited[a] and is_plain_motor(compiled, a):
            gain = abs(float(m.actuator_gainprm[a, 0]))
            bounds.append(gear * gain * largest(m.actuator_ctrlrange[a]))
    return min(bounds, default=None)


def largest(bounds: Any) -> float:
    """Return the size of the larger bound of a range."""
    return max(abs(float(x)) for x in bounds)


def friction(compiled: Compiled, j: int) -> Friction:
    """Return the friction at a joint, that of its actuators included."""
    m, dof = compiled.model, compiled.model.jnt_dofadr[j]
    viscous = float(m.dof_damping[dof])
    coulomb = float(m.dof_frictionloss[dof])
    for a in actuators(compiled, j):
        viscous += float(m.actuator_gear[a, 0]) ** 2 * of_actuator(m, "actuator_damping", a)
    if compiled.disabled("DAMPER", "PASSIVE"):
        viscous = 0.0
    if compiled.disabled("FRICTIONLOSS", "CONSTRAINT"):
        coulomb = 0.0
    return Friction(viscous=viscous, coulomb=coulomb)


def motor(compiled: Compiled, j: int) -> Motor:
    """Return the rotor at a joint: its armature, and that of its actuators behind their gears."""
    m = compiled.model
    inertia = float(m.dof_armature[m.jnt_dofadr[j]])
    for a in actuators(compiled, j):
        inertia += float(m.actuator_gear[a, 0]) ** 2 * of_actuator(m, "actuator_armature", a)
    return Motor(rotor_inertia=inertia)


def spring(compiled: Compiled, j: int) -> Spring:
    """Return the spring at a joint."""
    m = compiled.model
    stiffness = float(m.jnt_stiffness[j])
    if stiffness == 0 or compiled.disabled("SPRING", "PASSIVE"):
        return Spring()
    return Spring(stiffness, float(m.qpos_spring[m.jnt_qposadr[j]]))


def actuators(compiled: Compiled, j: int) -> list[int]:
    """Return the numbers of the actuators that drive a joint directly."""
    m, kinds = compiled.model, compiled.mujoco.mjtTrn
    direct = (int(kinds.mjTRN_JOINT), int(kinds.mjTRN_JOINTINPARENT))
    return [
        a
        for a in range(len(m.actuator_trntype))
        if int(m.actuator_trntype[a]) in direct and int(m.actuator_trnid[a, 0]) == j
    ]


def is_plain_motor(compiled: Compiled, a: int) -> bool:
    """Return whether an actuator's force is its control times a constant."""
    m, mujoco = compiled.model, compiled.mujoco
    return (
        int(m.actuator_gaintype[a]) == int(mujoco.mjtGain.mjGAIN_FIXED)
        and int(m.actuator_biastype[a]) == int(mujoco.mjtBias.mjBIAS_NONE)
        and int(m.actuator_dyntype[a]) == int(mujoco.mjtDyn.mjDYN_NONE)
    )


def of_actuator(model: Any, what: str, a: int) -> float:
    """Return a number of an actuator that older releases of MuJoCo do not have."""
    return float(getattr(model, what)[a]) if hasattr(model, what) else 0.0
