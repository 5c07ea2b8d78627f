"""Attacks on bounds: quantities at sampled and at improved points, from the robot's own kernels.

Nothing here comes from the code that made the bounds: samples are drawn in the box, and the worst
of them are pushed further by random steps that shrink.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from nearness import SOLVED

from qddot.certificate.bound import Bound, Box
from qddot.robot import Robot

CHUNK = 50_000

Quantity = Callable[[np.ndarray, np.ndarray], np.ndarray]  # of q and a direction v


def quantities(robot: Robot) -> dict[str, Quantity]:
    """Return every quantity by name, written as a book writes it."""
    found: dict[str, Quantity] = {}
    n = robot.n
    seen: dict[str, tuple[np.ndarray, np.ndarray]] = {}

    def once(name: str, q: np.ndarray, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Return what several quantities need, computed once for the same samples."""
        if name not in seen or seen[name][0] is not q:
            seen[name] = q, function(q)
        return seen[name][1]

    def M(q: np.ndarray) -> np.ndarray:
        return once("M", q, robot.mass_matrix)

    def g(q: np.ndarray) -> np.ndarray:
        return once("g", q, robot.gravity_torque)

    def eigenvalues(q: np.ndarray) -> np.ndarray:
        return once("eigenvalues", q, lambda q: np.linalg.eigvalsh(M(q)))

    found["M.eigenvalue.max"] = lambda q, v: eigenvalues(q)[:, -1]
    found["M.eigenvalue.min"] = lambda q, v: eigenvalues(q)[:, 0]
    found["Minv.eigenvalue.max"] = lambda q, v: 1 / eigenvalues(q)[:, 0]
    found["Minv.eigenvalue.min"] = lambda q, v: 1 / eigenvalues(q)[:, -1]
    for end in ("max", "min"):
        found[f"M.norm1.{end}"] = lambda q, v: np.abs(M(q)).sum(1).max(1)
        found[f"M.norm2.{end}"] = lambda q, v: eigenvalues(q)[:, -1]
        found[f"M.normF.{end}"] = lambda q, v: np.sqrt((M(q) ** 2).sum((1, 2)))
    for norm, key in ((1, "1"), (2, "2"), (np.inf, "inf")):
        found[f"c.norm{key}"] = lambda q, v, p=norm: (
            np.linalg.norm(robot.velocity_torque(q, v), p, axis=1)
            / np.linalg.norm(v, p, axis=1) ** 2
        )
        found[f"C.norm{key}"] = lambda q, v, p=norm: (
            np.linalg.norm(robot.coriolis_matrix(q, v), p, axis=(1, 2))
            / np.linalg.norm(v, p, axis=1)
        )
        found[f"g.norm{key}"] = lambda q, v, p=norm: np.linalg.norm(g(q), p, axis=1)
    found["c.crude"] = lambda q, v: n * n * np.abs(robot.christoffel(q)).max((1, 2, 3))
    found["dg.norm2"] = lambda q, v: np.linalg.norm(gravity_slope(robot, q), 2, axis=(1, 2))
    for k, name in enumerate(robot.joint_names):
        found[f"g.{name}"] = lambda q, v, k=k: np.abs(g(q)[:, k])
    limits = [joint.limits.effort for joint in robot.model.free_joints]
    rows = [k for k, effort in enumerate(limits) if effort]
    if rows:
        effort = np.array([float(limits[k]) for k in rows])
        found["g.effort"] = lambda q, v: np.abs(g(q)[:, rows] / effort).max(1)
    return found


def gravity_slope(robot: Robot, q: np.ndarray, step: float = 3e-3) -> np.ndarray:
    """Return ∂g/∂q by central differences of fourth order.

    The step leaves 1e-12 of rounding where the slope is zero, and as much of truncation elsewhere.
    """
    columns = []
    for e in np.eye(robot.n) * step:
        near = robot.gravity_torque(q + e) - robot.gravity_torque(q - e)
        far = robot.gravity_torque(q + 2 * e) - robot.gravity_torque(q - 2 * e)
        columns.append((8 * near - far) / (12 * step))
    return np.stack(columns, axis=-1)


def broken(robot: Robot, box: Box, bounds: Mapping[str, Bound], samples: int, seed: int = 5):
    """Return what lies outside of a bound: quantity, value, bound."""
    rng = np.random.default_rng(seed)
    lo, hi = np.array(box.lower), np.array(box.upper)
    found = []
    known = {name: f for name, f in quantities(robot).items() if name in bounds}
    best: dict[str, tuple[float, np.ndarray]] = {}
    for start in range(0, samples, CHUNK):
        count = min(CHUNK, samples - start)
        q, v = rng.uniform(lo, hi, (count, robot.n)), rng.standard_normal((count, robot.n))
        for name, quantity in known.items():
            values = sign_of(bounds[name]) * quantity(q, v)
            k = int(np.argmax(values))
            if name not in best or values[k] > best[name][0]:
                best[name] = float(values[k]), np.concatenate([q[k], v[k]])
    for name, quantity in known.items():
        value = pushed(quantity, sign_of(bounds[name]), best[name][1], lo, hi, rng)
        value = sign_of(bounds[name]) * max(value, best[name][0])
        bound = bounds[name]
        # of the kernels here, which are not enclosed
        slack = SOLVED * max(abs(bound.upper), abs(bound.lower), 1e-3)
        if not bound.lower - slack <= value if bound.end == "inf" else value > bound.upper + slack:
            found.append((name, value, bound))
    return found


def sign_of(bound: Bound) -> int:
    return 1 if bound.end == "sup" else -1


def pushed(quantity: Quantity, sign: int, x: np.ndarray, lo: np.ndarray, hi: np.ndarray, rng):
    """Return the best value of a random local search from a point (q, v)."""
    n = len(lo)
    best, at, step = -np.inf, x, 0.3
    for _ in range(40):
        tried = at + step * rng.standard_normal((64, 2 * n)) * np.append(hi - lo, np.ones(n))
        tried[:, :n] = np.clip(tried[:, :n], lo, hi)
        values = sign * quantity(tried[:, :n], tried[:, n:])
        k = int(np.argmax(values))
        if values[k] > best:
            best, at = float(values[k]), tried[k]
        else:
            step *= 0.6
    return best
