"""How long do exact equations of motion take, beside SymPy's own ways to them?

The arms are planar or spatial, their joints turn, and the mass, length and inertia of every link
are symbols. SymPy is asked in two ways: its `LagrangesMethod`, whose mass matrix and forces are
taken as they come, and a recursive Newton–Euler algorithm over SymPy matrices, whose M and g are
simplified by `trigsimp`, and whose C is left out. qddot derives M, C and g, in normal form. Each of
SymPy's runs is a process of its own, which is ended when its time is up.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from table import Row, against, duration, times, within
from timing import Effort, say

import qddot
from qddot.model import Inertial
from qddot.scalars.expressions import symbol

LONGEST = 60.0  # [s] for one of SymPy's runs
JOINTS = (2, 3, 4, 5, 6)
TEXTBOOK = (
    *("two_link", "two_link_point", "two_link_cylinders", "rp"),
    *("pendulum", "double_pendulum", "mass_spring_damper"),
)
TEXTBOOK_LIMIT, REAL_LIMIT, SIXTY_LIMIT, PROOF_LIMIT = 0.5, 2.0, 10.0, 60.0  # [s]

# joint i turns about z; in the spatial arms, the next axis is turned by a right angle about x
ARM = """
import sys
from time import perf_counter
import sympy as sp

n, spatial = int(sys.argv[1]), sys.argv[2] == "spatial"
m, l, I, g = (*(sp.symbols(f"{x}1:{n + 1}") for x in "mlI"), sp.Symbol("g"))
zero, z = sp.zeros(3, 1), sp.Matrix([0, 0, 1])
down = sp.Matrix([0, -g, 0])
turn = sp.Matrix([[1, 0, 0], [0, 0, -1], [0, 1, 0]]) if spatial else sp.eye(3)
rotation = lambda q: sp.Matrix([[sp.cos(q), -sp.sin(q), 0], [sp.sin(q), sp.cos(q), 0], [0, 0, 1]])
started = perf_counter()
"""

LAGRANGE = """
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

q = dynamicsymbols(f"q1:{n + 1}")
t = dynamicsymbols._t
R, p, w, L = sp.eye(3), zero, zero, 0
for i in range(n):
    R = R * (turn if i else sp.eye(3)) * rotation(q[i])
    w = rotation(q[i]).T * (turn.T if i else sp.eye(3)) * w + z * q[i].diff(t)
    c = p + R * sp.Matrix([l[i] / 2, 0, 0])
    v = c.diff(t)
    p = p + R * sp.Matrix([l[i], 0, 0])
    K = m[i] * v.dot(v) / 2 + I[i] * (w[1] ** 2 + w[2] ** 2) / 2
    L += K + m[i] * down.dot(c)
method = LagrangesMethod(L, q)
method.form_lagranges_equations()
method.mass_matrix, method.forcing
print(perf_counter() - started)
"""

RECURSION = """
q = sp.symbols(f"q1:{n + 1}")


def torques(qdd, gravity):
    # at rest: what M and g need
    R, alpha, a = [], [], []
    for i in range(n):
        R.append((turn if i else sp.eye(3)) * rotation(q[i]))
        before = (alpha[-1], a[-1], l[i - 1]) if i else (zero, -gravity, 0)
        alpha.append(R[i].T * before[0] + z * qdd[i])
        a.append(R[i].T * (before[1] + before[0].cross(sp.Matrix([before[2], 0, 0]))))
    f, n_, tau = zero, zero, [0] * n
    for i in reversed(range(n)):
        com, tip = sp.Matrix([l[i] / 2, 0, 0]), sp.Matrix([l[i], 0, 0])
        force = m[i] * (a[i] + alpha[i].cross(com))
        down_ = R[i + 1] * f if i + 1 < n else zero
        n_ = sp.diag(0, I[i], I[i]) * alpha[i] + com.cross(force) + tip.cross(down_) + (
            R[i + 1] * n_ if i + 1 < n else zero
        )
        f = force + down_
        tau[i] = n_[2]
    return sp.Matrix(tau)


units = sp.eye(n)
M = sp.Matrix.hstack(*(torques(units[:, k], zero) for k in range(n)))
G = torques(sp.zeros(n, 1), down)
M, G = M.applyfunc(sp.trigsimp), G.applyfunc(sp.trigsimp)
print(perf_counter() - started)
"""

WAYS = {"SymPy LagrangesMethod": LAGRANGE, "SymPy recursion, trigsimp": RECURSION}


def rows(effort: Effort) -> list[Row]:
    """Return the arms beside SymPy, then the limits that qddot has set itself."""
    quick = effort.patience < Effort().patience
    return [*beside_sympy(quick, min(effort.patience, LONGEST)), *own_limits(quick)]


def beside_sympy(quick: bool, patience: float) -> list[Row]:
    found = []
    for kind in ("planar", "spatial"):
        given_up = set()
        for n in JOINTS[:2] if quick else JOINTS:
            what = f"{kind} arm of {n} joints: M, C, g"
            mine = least(lambda kind=kind, n=n: derive_all(arm(kind, n)))
            for name, code in WAYS.items():
                # who did not finish a shorter arm will not finish this one
                if name in given_up:
                    found.append(Row(what, duration(mine), name, "not tried"))
                    continue
                say(f"symbolic: {what}, {name} ...")
                theirs = finished(ARM + code, kind, n, patience)
                if theirs is None:
                    given_up.add(name)
                found.append(compared(what, mine, name, theirs, patience))
    return found


def compared(what: str, mine: float, name: str, theirs: float | None, patience: float) -> Row:
    if theirs is not None:
        return against(what, mine, name, theirs)
    at_least = times(patience / mine)
    return Row(what, duration(mine), name, f"not finished in {patience:.0f} s", f"> {at_least}")


def finished(code: str, kind: str, n: int, patience: float) -> float | None:
    """Return how long SymPy took [s], or None if it was not done in time."""
    command = [sys.executable, "-c", code, str(n), kind]
    try:
        run = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True, timeout=patience
        )
    except subprocess.TimeoutExpired:
        return None
    return float(run.stdout)


def own_limits(quick: bool) -> list[Row]:
    """Return the times of the built-in robots, of an arm all of symbols, and of a proof."""
    say("symbolic: built-in robots ...")
    slowest = max(
        least(lambda name=name: derive_all(qddot.load(f"{name}_symbolic"))) for name in TEXTBOOK
    )
    found = [within("slowest of the textbook robots: M, C, g", slowest, TEXTBOOK_LIMIT)]
    for name in ("ur5", "panda"):
        took = least(lambda name=name: derive_all(qddot.load(name)))
        found.append(within(f"{name}: M, C, g", took, REAL_LIMIT))
    say("symbolic: puma560 with 60 symbols ...")
    took = least(lambda: masses_and_gravity(sixty_symbols()), repeats=1)
    what = "puma560, all 60 inertial parameters symbols: M, g"
    found.append(within(what, took, SIXTY_LIMIT))
    for name in ("ur5",) if quick else ("ur5", "panda"):
        say(f"symbolic: proof of {name} ...")
        took = least(lambda name=name: qddot.prove(qddot.load(name)), repeats=1)
        found.append(within(f"{name}: every claim proved", took, PROOF_LIMIT))
    return found


def arm(kind: str, n: int) -> qddot.Robot:
    """Return the arm that SymPy is given: rods along x with symbols for everything."""
    twist = "pi/2" if kind == "spatial" else 0
    table = [
        {
            "theta": 0,
            "a": f"l{i - 1}" if i > 1 else 0,
            "alpha": twist if i > 1 else 0,
            "mass": f"m{i}",
            "com": [f"l{i}/2", 0, 0],
            "inertia": [0, f"I{i}", f"I{i}"],
        }
        for i in range(1, n + 1)
    ]
    return qddot.from_dh(table, "modified", gravity=(0, "-g", 0), name=f"{kind}{n}")


def sixty_symbols() -> Any:
    """Return the puma560 without motors and friction, every inertial parameter a symbol."""
    model = qddot.load("puma560").without("rotor_inertia").without("friction").model
    moving = [joint.child for joint in model.joints if joint.moves]

    def symbolic(i: int) -> Inertial:
        com = tuple(symbol(f"{axis}{i}") for axis in "xyz")
        second = ("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
        return Inertial(symbol(f"m{i}"), com, tuple(symbol(f"{name}{i}") for name in second))

    # what hangs rigidly from a link is part of it, and so of its ten symbols
    links = tuple(
        replace(
            link,
            inertial=symbolic(moving.index(link.name) + 1) if link.name in moving else Inertial(),
        )
        for link in model.links
    )
    return replace(model, links=links)


def derive_all(robot: Any) -> None:
    equations = qddot.derive(robot, "recursive")
    _ = equations.M, equations.C, equations.g


def masses_and_gravity(model: Any) -> None:
    from qddot.dynamics.crba import mass_matrix
    from qddot.dynamics.rnea import gravity_torque
    from qddot.equations.deriving import exact_of

    robot = exact_of(model)
    mass_matrix(robot.tree, robot.q)
    gravity_torque(robot.tree, robot.q)


def least(work: Callable[[], Any], repeats: int = 3) -> float:
    """Return the least time of a few runs [s]."""
    found = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        found.append(time.perf_counter() - started)
    return min(found)
