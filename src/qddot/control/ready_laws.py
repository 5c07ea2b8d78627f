"""Laws by their names, with gains that suit the arm for those who give none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from qddot.robot import Robot

STIFF, DAMP = 100.0, 20.0  # ω² [1/s²] and 2ω [1/s] of the motion that gains are chosen for
LEAN = 5.0  # Λ [1/s]
FINDING = 1.0  # [1/s], how fast adaptive laws are to find parameters
SURE = 1.2  # by how much the bounds of the robust law are above what was found
TRIES = 64  # places that a ready posture is chosen from
SPRING = ("kp", "kd")
# the gains of every law; those of frames move a frame
LAWS: dict[str, tuple[str, ...]] = {
    "pd": SPRING,
    "pd_gravity": SPRING,
    "computed_torque": SPRING,
    "feed_forward": SPRING,
    "slotine_li": ("lam", "kd"),
    "adaptive": ("lam", "kd", "adaptation"),
    "robust": ("lam", "kd", "mass", "coriolis", "gravity", "layer"),
    "operational_space": (*SPRING, "posture_kp", "posture_kd", "heaviest"),
    "joint_impedance": SPRING,
    "cartesian_impedance": (*SPRING, "joint_damping"),
    "approximate_jacobian": (*SPRING, "cross"),
}
# what laws are called elsewhere: their classes, without capitals
OTHER_NAMES = {
    "adaptiveslotineli": "adaptive",
    "robustsaturated": "robust",
    "feedforwardpd": "feed_forward",
}
FRAMES = ("operational_space", "cartesian_impedance", "approximate_jacobian")


@dataclass(frozen=True)
class Wanted:
    """What a law is made from."""

    name: str
    arm: Robot
    model: Robot  # what the law believes
    lengths: Robot  # whose Jacobian the approximate Jacobian law takes
    reference: Any
    q: np.ndarray
    seconds: float
    frame: str
    axes: str
    gains: dict[str, Any] = field(default_factory=dict)


def ready_posture(robot: Robot, frame: str, axes: str) -> np.ndarray:
    """Return where an arm stands for a law of a frame if nobody says: where the frame moves well.

    Of places around its home, within limits, the one whose Jacobian has the largest smallest
    singular value: stretched out, as many arms are at zero, a frame cannot go outward.
    """
    from qddot.model.tree import by_rows

    limits, start = robot.limits, robot.home
    ways = np.random.default_rng(0).uniform(-1, 1, (TRIES, robot.n))
    around = by_rows(robot.tree.step, np.tile(start, (TRIES, 1)), ways)
    around = np.clip(np.vstack([start, around]), limits.lower, limits.upper)
    J = robot.jacobian(around, frame)[:, [3 + "xyz".index(axis) for axis in axes]]
    return around[int(np.linalg.svd(J, compute_uv=False)[:, -1].argmax())]


def axes_of(robot: Robot, frame: str) -> str:
    """Return the base axes along which the joints can move a frame."""
    from qddot.errors import UnknownName

    if frame not in robot.frame_names:
        raise UnknownName("frame", frame, robot.name, robot.frame_names)
    q = robot.tree.from_neutral(np.random.default_rng(0).uniform(-2, 2, (8, robot.n)))
    size = np.abs(robot.jacobian(q, frame)[:, 3:]).max(axis=(0, 2))
    return "".join(axis for axis, x in zip("xyz", size, strict=True) if x > 1e-9 * size.max())


def classes() -> dict[str, type]:
    """Return the class of every law."""
    from qddot.control import laws

    return {
        "pd": laws.PD,
        "pd_gravity": laws.PDGravity,
        "computed_torque": laws.ComputedTorque,
        "feed_forward": laws.FeedForwardPD,
        "slotine_li": laws.SlotineLi,
        "adaptive": laws.AdaptiveSlotineLi,
        "robust": laws.RobustSaturated,
        "operational_space": laws.OperationalSpace,
        "joint_impedance": laws.JointImpedance,
        "cartesian_impedance": laws.CartesianImpedance,
        "approximate_jacobian": laws.ApproximateJacobian,
    }


def law_key(name: str) -> str:
    """Return the name of a law, which may be written as its class: "ComputedTorque".

    Raises:
        BadArgument: If there is no such law.
    """
    from qddot.errors import BadArgument, did_you_mean, printable

    known = {key.replace("_", ""): key for key in LAWS} | OTHER_NAMES
    plain = name.strip().lower().replace("-", "").replace("_", "")
    if plain not in known:
        near = did_you_mean(name.strip().lower().replace("-", "_"), LAWS)
        raise BadArgument(
            f"There is no law {printable(name)!r}.{near}\n  There are: {', '.join(LAWS)}."
        )
    return known[plain]


def named_law(name: str, model: Robot, arm: Robot, reference: Any = None) -> Any:
    """Return a law by its name, with gains that suit the arm.

    Args:
        name: Of the law, or of its class.
        model: What the law takes the arm for.
        arm: The arm.
        reference: What it follows; it stays at `arm.home` if not given.
    """
    key, q, frame = law_key(name), arm.home, arm.tip
    axes = axes_of(arm, frame)
    if reference is None:
        at = dict(zip("xyz", arm.pose(q, frame)[:3, 3], strict=True))
        reference = [at[axis] for axis in axes] if key in FRAMES else q
    seconds = getattr(reference, "duration", np.inf)
    seconds = float(seconds) if np.isfinite(seconds) else 10.0
    return made(Wanted(key, arm, model, model, reference, q, seconds, frame, axes))


def made(wanted: Wanted) -> Any:
    """Return the law, with gains that suit the arm where none are given."""
    given = chosen(wanted) | wanted.gains
    if wanted.name == "adaptive" and "adaptation" not in given:
        from qddot.control.laws.adaptation import balanced

        span = getattr(wanted.reference, "period", None) or wanted.seconds
        given["adaptation"] = balanced(
            wanted.model, wanted.reference, given["kd"], rate=FINDING, seconds=span
        )
    more: dict[str, Any] = {}
    if wanted.name in FRAMES:
        more = {"frame": wanted.frame, "axes": wanted.axes}
    if wanted.name == "operational_space" and wanted.model.n > len(wanted.axes):
        more["posture"] = wanted.q
    if wanted.name == "approximate_jacobian":
        more["approximate"] = wanted.lengths
    return classes()[wanted.name](wanted.model, reference=wanted.reference, **given, **more)


def chosen(wanted: Wanted) -> dict[str, Any]:
    """Return gains that bring the arm back like springs of ω = 10 rad/s, critically damped."""
    name, model = wanted.name, wanted.model
    if name in ("computed_torque", "operational_space"):
        return {"kp": STIFF, "kd": DAMP}
    M = model.mass_matrix(wanted.q)
    own = np.diag(M)  # inertia about every joint, the others locked
    if name in FRAMES:
        rows = [3 + "xyz".index(axis) for axis in wanted.axes]
        J = model.jacobian(wanted.q, wanted.frame)[rows]
        mass = 1 / max(float(np.trace(J @ np.linalg.solve(M, J.T))) / len(rows), 1e-9)
        if name == "approximate_jacobian":
            return {"kp": LEAN * mass, "kd": own}
        return {"kp": STIFF * mass, "kd": DAMP * mass, "joint_damping": own}
    if name in ("slotine_li", "adaptive", "robust"):
        found: dict[str, Any] = {"lam": LEAN, "kd": STIFF / DAMP * own}
        return found | (bounds(wanted) if name == "robust" else {})
    return {"kp": STIFF * own, "kd": DAMP * own}


def bounds(wanted: Wanted) -> dict[str, float]:
    """Return what the model is wrong by at the worst of many states, and a fifth more."""
    from qddot.control.laws import RobustSaturated

    tried = RobustSaturated(wanted.model, LEAN, 1.0, wanted.q)
    return {name: SURE * found for name, found in tried.wrong_by(wanted.arm).items()}
