"""Answers that students give, right and wrong: derived with SymPy alone, by Lagrange's equation.

An arm is written down here anew, as joints, lengths and masses; nothing of qddot is used. A
mistake is made in the derivation itself, so that its result is what the mistake really gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache

import sympy
from sympy import Matrix, Rational, cos, sin

g = sympy.Symbol("g")


def symbols(text: str) -> tuple:
    return sympy.symbols(text)


@dataclass(frozen=True)
class Joint:
    """A joint: a fixed step in the frame before it, then a turn about z or a slide along z."""

    step: Matrix  # 4×4
    turns: bool = True


@dataclass(frozen=True)
class Body:
    """A link: in its joint's frame, mass, centre of mass, inertia about it, and where it ends."""

    m: sympy.Expr
    com: Matrix
    I: Matrix
    end: Matrix


@dataclass(frozen=True)
class Arm:
    """An arm, and the slips that its derivation is made with."""

    joints: tuple[Joint, ...]
    bodies: tuple[Body, ...]
    gravity: Matrix
    friction: tuple = ()
    slips: frozenset[str] = field(default_factory=frozenset)
    rotors: tuple = ()


def T(x=0, y=0, z=0, R=None) -> Matrix:
    """Return a step along x, y, z, and then a rotation."""
    result = sympy.eye(4)
    result[:3, :3] = R if R is not None else sympy.eye(3)
    result[:3, 3] = Matrix([x, y, z])
    return result


def Rx(a) -> Matrix:
    return Matrix([[1, 0, 0], [0, cos(a), -sin(a)], [0, sin(a), cos(a)]])


def Ry(a) -> Matrix:
    return Matrix([[cos(a), 0, sin(a)], [0, 1, 0], [-sin(a), 0, cos(a)]])


def Rz(a) -> Matrix:
    return Matrix([[cos(a), -sin(a), 0], [sin(a), cos(a), 0], [0, 0, 1]])


def diagonal(*entries) -> Matrix:
    return sympy.diag(*entries)


def vector(*entries) -> Matrix:
    return Matrix(entries)


@cache
def state(n: int) -> tuple[list, list, list]:
    return tuple([sympy.Symbol(f"{s}{i + 1}") for i in range(n)] for s in ("q", "qd", "qdd"))


def equations(arm: Arm) -> dict[str, Matrix]:
    """Return M, gamma, c, g, K, P, C, tau by Lagrange's equation, with the arm's slips."""
    n = len(arm.joints)
    q, qd, qdd = state(n)
    M, P = sympy.zeros(n, n), sympy.S(0)
    X = sympy.eye(4)
    for i, (joint, body) in enumerate(zip(arm.joints, arm.bodies, strict=True)):
        moved = T(R=Rz(q[i])) if joint.turns else T(z=q[i])
        X = X * joint.step * moved
        R, p = X[:3, :3], X[:3, 3]
        pc = p + R * body.com
        Jv = pc.jacobian(q)
        Jw = sympy.zeros(3, n)
        W = sympy.eye(4)
        for j in range(i + 1):
            W = W * arm.joints[j].step
            if arm.joints[j].turns:
                Jw[:, j] = W[:3, 2]
            W = W * (T(R=Rz(q[j])) if arm.joints[j].turns else T(z=q[j]))
        M += body.m * Jv.T * Jv + Jw.T * R * body.I * R.T * Jw
        P -= body.m * (arm.gravity.T * pc)[0]
    for i, rotor in enumerate(arm.rotors):
        M[i, i] += rotor
    M = M.applyfunc(sympy.expand)
    G = Matrix([sympy.diff(P, x) for x in q])
    half = 1 if "half" in arm.slips else Rational(1, 2)
    slopes = [sympy.diff(M, x) for x in q]

    def christoffel(k: int) -> Matrix:
        return Matrix(
            n, n, lambda i, j: half * (slopes[i][k, j] + slopes[j][k, i] - slopes[k][i, j])
        )

    gamma = [christoffel(k) for k in range(n)]
    C = Matrix(n, n, lambda k, j: sum(gamma[k][i, j] * qd[i] for i in range(n)))
    mixed = 1
    for slip, factor in (("coriolis/2", Rational(1, 2)), ("coriolis*2", 2), ("-coriolis", -1)):
        mixed = factor if slip in arm.slips else mixed
    pairs = [(i, j, 1 if i == j else mixed) for i in range(n) for j in range(n)]
    c = Matrix([sum(f * gamma[k][i, j] * qd[i] * qd[j] for i, j, f in pairs) for k in range(n)])
    velocity = Matrix(qd)
    friction = Matrix([d * v for d, v in zip(arm.friction or [0] * n, qd, strict=True)])
    K = (velocity.T * M * velocity)[0] / (1 if "K" in arm.slips else 2)
    tau = M * Matrix(qdd) + c + G + friction
    return {"M": M, "gamma": gamma, "C": C, "c": c, "g": G, "K": K, "P": P, "tau": tau}


# the arms, by the names that qddot knows them by


def two_link() -> Arm:
    m1, m2, a1, a2, aC1, aC2, I1, I2, d1, d2 = symbols("m1 m2 a1 a2 aC1 aC2 I1 I2 d1 d2")
    return Arm(
        (Joint(T()), Joint(T(a1))),
        (
            Body(m1, vector(aC1, 0, 0), diagonal(0, I1, I1), vector(a1, 0, 0)),
            Body(m2, vector(aC2, 0, 0), diagonal(0, I2, I2), vector(a2, 0, 0)),
        ),
        vector(0, -g, 0),
        (d1, d2),
    )


def rp() -> Arm:
    m1, m2, l1, Izz1, Iyy2 = symbols("m1 m2 l1 Izz1 Iyy2")
    turned = Rz(sympy.pi / 2) * Rx(sympy.pi / 2)
    return Arm(
        (Joint(T()), Joint(T(R=turned), turns=False)),
        (
            Body(m1, vector(l1, 0, 0), diagonal(0, Izz1, Izz1), vector(0, 0, 0)),
            Body(m2, vector(0, 0, 0), diagonal(Iyy2, Iyy2, 0), vector(0, 0, 0)),
        ),
        vector(0, -g, 0),
    )


def double_pendulum() -> Arm:
    m1, m2, d1, d2, c1, c2 = symbols("m1 m2 d1 d2 c1 c2")
    nothing = sympy.zeros(3, 3)
    return Arm(
        (Joint(T()), Joint(T(0, -d1))),
        (
            Body(m1, vector(0, -d1, 0), nothing, vector(0, -d1, 0)),
            Body(m2, vector(0, -d2, 0), nothing, vector(0, -d2, 0)),
        ),
        vector(0, -g, 0),
        (c1, c2),
    )


def two_link_point() -> Arm:
    m1, m2, L1, L2 = symbols("m1 m2 L1 L2")
    nothing = sympy.zeros(3, 3)
    return Arm(
        (Joint(T()), Joint(T(L1))),
        (
            Body(m1, vector(L1, 0, 0), nothing, vector(L1, 0, 0)),
            Body(m2, vector(L2, 0, 0), nothing, vector(L2, 0, 0)),
        ),
        vector(0, -g, 0),
    )


def two_link_cylinders() -> Arm:
    m1, m2, L1, L2, r = symbols("m1 m2 L1 L2 r")

    def solid(m, L):
        across = m * (3 * r**2 + L**2) / 12
        return diagonal(m * r**2 / 2, across, across)

    return Arm(
        (Joint(T()), Joint(T(L1))),
        (
            Body(m1, vector(L1 / 2, 0, 0), solid(m1, L1), vector(L1, 0, 0)),
            Body(m2, vector(L2 / 2, 0, 0), solid(m2, L2), vector(L2, 0, 0)),
        ),
        vector(0, -g, 0),
    )


def elbow() -> Arm:
    """A turning column, and an upper and a lower arm in a vertical plane."""
    m1, m2, m3, L2, L3, lc2, lc3 = symbols("m1 m2 m3 L2 L3 lc2 lc3")
    Ixx2, Iyy2, Izz2, Ixx3, Iyy3, Izz3, Izz1 = symbols("Ixx2 Iyy2 Izz2 Ixx3 Iyy3 Izz3 Izz1")
    return Arm(
        (Joint(T()), Joint(T(R=Rx(sympy.pi / 2))), Joint(T(L2))),
        (
            Body(m1, vector(0, 0, 0), diagonal(0, 0, Izz1), vector(0, 0, 0)),
            Body(m2, vector(lc2, 0, 0), diagonal(Ixx2, Iyy2, Izz2), vector(L2, 0, 0)),
            Body(m3, vector(lc3, 0, 0), diagonal(Ixx3, Iyy3, Izz3), vector(L3, 0, 0)),
        ),
        vector(0, 0, -g),
    )


# the same by standard DH, whose frames are at the far ends
ELBOW_ROWS = [
    {"alpha": "pi/2", "mass": "m1", "inertia": [0, "Izz1", 0]},
    {"a": "L2", "mass": "m2", "com": ["lc2 - L2", 0, 0], "inertia": ["Ixx2", "Iyy2", "Izz2"]},
    {"a": "L3", "mass": "m3", "com": ["lc3 - L3", 0, 0], "inertia": ["Ixx3", "Iyy3", "Izz3"]},
]
ARMS: dict[str, Callable[[], Arm]] = {
    "two_link": two_link,
    "rp": rp,
    "double_pendulum": double_pendulum,
    "two_link_point": two_link_point,
    "two_link_cylinders": two_link_cylinders,
    "elbow": elbow,
}


# the mistakes


def with_body(arm: Arm, i: int, **parts) -> Arm:
    bodies = list(arm.bodies)
    bodies[i] = replace(bodies[i], **parts)
    return replace(arm, bodies=tuple(bodies))


def steiner(m, r: Matrix) -> Matrix:
    return m * ((r.T * r)[0] * sympy.eye(3) - r * r.T)


def mistaken(arm: Arm) -> Iterator[tuple[str, str, dict[str, Matrix]]]:
    """Yield the kind of a mistake, the quantity that it is looked for in, and the equations."""
    right = equations(arm)
    n = len(arm.joints)
    for quantity in ("g", "tau"):
        yield "gravity_sign", quantity, equations(replace(arm, gravity=-arm.gravity))
    sideways = vector(-g, 0, 0)
    yield "gravity_direction", "g", equations(replace(arm, gravity=sideways))
    for i, body in enumerate(arm.bodies):
        moved = steiner(body.m, body.com)
        if moved[2, 2] != 0 or moved[1, 1] != 0:
            wrong = equations(with_body(arm, i, I=body.I - moved))
            yield "steiner_missing", "M", wrong
            if i == n - 1:
                yield "steiner_missing", "tau", wrong
                yield "steiner_twice", "M", equations(with_body(arm, i, I=body.I + moved))
        gone = equations(with_body(arm, i, m=sympy.S(0), I=sympy.zeros(3, 3)))
        if gone["M"] != right["M"]:
            yield "link_forgotten", "M", gone
        if gone["g"] != right["g"]:
            yield "link_forgotten", "g", gone
        if not body.I.is_zero_matrix and i == n - 1:
            yield "inertia_forgotten", "M", equations(with_body(arm, i, I=sympy.zeros(3, 3)))
        if not body.end.is_zero_matrix:
            for kind, to in (("com_at_end", body.end), ("com_in_middle", body.end / 2)):
                if to != body.com and i == n - 1:
                    wrong = equations(with_body(arm, i, com=to))
                    yield kind, "M", wrong
                    yield kind, "g", wrong
    for slip, kind in (
        ("coriolis/2", "coriolis_factor"),
        ("coriolis*2", "coriolis_factor"),
        ("-coriolis", "coriolis_sign"),
        ("half", "half_forgotten"),
    ):
        wrong = equations(replace(arm, slips=frozenset([slip])))
        if wrong["c"] != right["c"]:
            yield kind, "c", wrong
        if slip == "half":
            yield kind, "C", wrong
            yield kind, "gamma", wrong
    yield "half_forgotten", "K", equations(replace(arm, slips=frozenset(["K"])))
    q = state(n)[0]
    exchanged = {x: y for t in q for x, y in ((sin(t), cos(t)), (cos(t), sin(t)))}
    wrong = {name: right[name].xreplace(exchanged) for name in ("g", "M")}
    for name in ("g", "M"):
        if sympy.simplify(wrong[name] - right[name]) != sympy.zeros(*right[name].shape):
            yield "sin_cos", name, wrong
    if arm.friction:
        yield "friction_forgotten", "tau", equations(replace(arm, friction=()))
    doubled = right["M"].copy()
    for i in range(n):
        for j in range(n):
            doubled[i, j] *= 1 if i == j else 2
    if doubled != right["M"]:
        yield "coupling_factor", "M", {"M": doubled}
    yield "index_order", "g", {"g": Matrix(right["g"][::-1])}
    if right["C"] != right["C"].T:
        yield "index_order", "C", {"C": right["C"].T}
    yield "shape", "C", {"C": right["c"]}


def absolute(arm: Arm) -> dict[str, Matrix]:
    """Return the equations of a planar arm in the angles from the base, by the chain rule."""
    q, qd, _ = state(2)
    right = equations(arm)
    J = Matrix([[1, 0], [-1, 1]])
    turned = {q[1]: q[1] - q[0], qd[1]: qd[1] - qd[0]}
    M = (J.T * right["M"] * J).subs(turned, simultaneous=True)
    return {"M": M, "g": (J.T * right["g"]).subs(turned, simultaneous=True)}
