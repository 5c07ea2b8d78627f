"""What to say about inertias: those that no body has, and those that hardly any has.

Of an impossible one, the inequality and the slip that explains it; of a possible one, whether it
is too large, too dense, made up or about another point.

Published robots have impossible parts: placeholders on the base, sensors with rounded moments,
feet of no mass. What counts is the body that moves, everything fixed to it included. An impossible
part of a possible body is doubtful; an impossible body is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from qddot.errors import Problem, listing, shorten
from qddot.model.folding import fold, unit
from qddot.model.joint import Joint
from qddot.model.link import Inertial, Link
from qddot.model.model import Model, scalars
from qddot.model.structure import depth_first, place
from qddot.model.tree import BASE
from qddot.scalars.expressions import expression, free_symbols
from qddot.spatial.inertia import Inertia, symmetric, upper, why_impossible

ENTRIES = ("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
SPREAD = 1e-6  # [m]; a moment of less than mass · SPREAD² is that of a point mass, with rounding
MOST = 0.2  # relative violation; moving bodies of published robots reach 0.12, their slips 0.7


def inertia_problems(model: Model, sound: bool) -> Iterator[Problem]:
    """Yield what is impossible about the masses and inertias of a model, with a suggested fix.

    Fixed joints are folded only if it is sound: one tree of finite numbers.
    """
    parts = [(place("link", x.name), x.name, x.inertial, x.line) for x in model.links]
    parts += [(f"payload at {x.frame!r}", x.frame, x.inertial, x.line) for x in model.payloads]
    # what a rotor has besides its spin may be counted with the link that carries it
    spinning = {joint.child: joint for joint in model.joints if joint.role == "spin"}
    parts = [part for part in parts if part[1] not in spinning or part[2].mass]
    for joint in spinning.values():
        if sound and any(joint.axis) and lopsided(model, joint):
            message = f"it is a {joint.kind}, and its link is not the same all round its axis"
            remedy = "Put its mass on the axis, with equal moments across it; or use continuous."
            yield Problem("error", place("joint", joint.name), message, remedy, joint.line)
    for where, _, inertial, line in parts:
        if why := misordered(inertial):
            remedy = "The order of six is Ixx, Ixy, Ixz, Iyy, Iyz, Izz; three are Ixx, Iyy, Izz."
            yield Problem("warning", where, why, remedy, line)
    wrong = [(*part, why) for part in parts if (why := why_not(part[2]))]
    bodies = _bodies(model) if wrong and sound and not model.symbols else {}
    for where, frame, inertial, line, why in wrong:
        mass, inertia = float(inertial.mass), [float(x) for x in inertial.inertia]
        if mass < 0:
            yield Problem("error", where, why, "Give a positive mass.", line)
        elif mass == 0:
            remedy = "Give the mass too, or declare the inertia as the joint's rotor inertia."
            yield Problem("warning", where, why, remedy, line)
        elif not refused(inertia):
            yield Problem("warning", where, why, suggestion(mass, inertia), line)
        else:
            body = bodies.get(frame, Inertia.about_com(mass, (0, 0, 0), symmetric(inertia)))
            if body is None:
                why = f"{why}; it does not move, so nothing depends on it"
            elif not _refused_body(body):
                why = f"{why}; together with what it is fixed to, it is possible"
            severity = "error" if body is not None and _refused_body(body) else "warning"
            yield Problem(severity, where, why, suggestion(mass, inertia), line)


def lopsided(model: Model, joint: Joint) -> bool:
    """Return whether a link that spins is not the same all round its axis, beyond rounding."""
    inertia = model.link(joint.child).inertial.about_origin()
    mean = inertia.about_axis(unit(joint.axis))
    values, means = (np.array(x.parameters, dtype=object) for x in (inertia, mean))
    if any(free_symbols(x) for x in values):
        return any(expression(x) != expression(y) for x, y in zip(values, means, strict=True))
    return bool(np.abs((values - means).astype(float)).max() > 1e-6 * np.abs(values).max())


def refused(inertia: Sequence[float]) -> bool:
    """Return whether an inertia is too far from any body's to be a matter of rounding."""
    a, _, c = np.linalg.eigvalsh(symmetric(list(inertia)))
    return bool(a < -1e-6 * c) or violation(inertia) > MOST


def violation(inertia: Sequence[float]) -> float:
    """Return by how much the largest moment exceeds the other two's sum, relative to itself."""
    a, b, c = np.linalg.eigvalsh(symmetric(list(inertia)))
    return float(max(-min(a, 0), c - a - b) / c) if c > 0 else 1.0


def why_not(inertial: Inertial) -> str | None:
    """Return why no body has this mass and inertia, or None; rounding of a point mass aside."""
    values = list(scalars(inertial))
    if any(free_symbols(x) for x in values) or not np.all(np.isfinite([float(x) for x in values])):
        return None
    mass, inertia = float(inertial.mass), [float(x) for x in inertial.inertia]
    if mass > 0 and max(abs(x) for x in inertia) < mass * SPREAD**2:
        return None
    return why_impossible(mass, symmetric(inertia))


def misordered(inertial: Inertial) -> str | None:
    """Return which product of inertia stands beside a moment that is 0, among symbols; or None."""
    xx, xy, xz, yy, yz, zz = inertial.inertia
    moments = {"Ixx": xx, "Iyy": yy, "Izz": zz}
    products = {"Ixy": xy, "Ixz": xz, "Iyz": yz}
    if not any(free_symbols(x) for x in (*moments.values(), *products.values())):
        return None
    for product, value in products.items():
        for axis in product[1:]:
            if value != 0 and moments[f"I{axis}{axis}"] == 0:
                return f"no body has {product} = {value} and I{axis}{axis} = 0"
    return None


def _bodies(model: Model) -> dict[str, Inertia | None]:
    """Return the moving body that each frame is part of, fixed joints folded; None: the base."""
    tree = fold(depth_first(model))
    return {
        name: None if i == BASE else tree.bodies[i].inertia for name, (i, _) in tree.frames.items()
    }


def _refused_body(body: Inertia) -> bool:
    if body.m <= 0:
        return True
    mass, _, I_com = body.com_form()
    six = [float(x) for x in upper(I_com)]
    return refused(six) and max(abs(x) for x in six) > mass * SPREAD**2


def slenderness(inertia: Sequence[float]) -> float:
    """Return how many times the largest moment exceeds the smallest."""
    a, _, c = np.linalg.eigvalsh(symmetric(list(inertia)))
    return float(c / a) if a > 0 else np.inf


def suggestion(mass: float, inertia: Sequence[float]) -> str:
    """Return the likeliest slip behind an impossible inertia, as an instruction."""

    def possible(six: Sequence[float]) -> bool:
        return why_impossible(mass, symmetric(list(six))) is None

    xx, a, b, c, d, zz = inertia
    # written as Ixx Iyy Izz Ixy Ixz Iyz, read as Ixx Ixy Ixz Iyy Iyz Izz
    if possible(reordered := (xx, c, d, a, zz, b)) and max(abs(c), abs(d), abs(zz)) < min(xx, a, b):
        values = ", ".join(f"{n}={x:g}" for n, x in zip(ENTRIES, reordered, strict=True))
        return f"The six numbers may be in the wrong order; possible would be {values}."
    moments = {"Ixx": xx, "Iyy": c, "Izz": zz}
    turning = [name for name, x in moments.items() if x]
    if len(turning) == 1 and not any((a, b, d)):
        (about,) = turning
        others = [name for name in moments if name != about]
        rod = ", ".join(f"{x} = {0 if x == others[0] else moments[about]:g}" for x in moments)
        return (
            f"A planar arm needs no other moment, but a body has them: {rod} is a thin rod; any "
            f"{' + '.join(others)} ≥ {about} will do."
        )
    slips = []
    for at, name in enumerate(ENTRIES):
        for factor, words in ((0.1, "10 times smaller"), (10, "10 times larger")):
            slipped = [x * factor if i == at else x for i, x in enumerate(inertia)]
            if possible(slipped):
                remedy = f"A decimal slip? {name} = {slipped[at]:g} ({words}) would be possible."
                slips.append((slenderness(slipped), remedy))
    if slips:
        return min(slips)[1]  # the slip that leaves the most compact body
    if possible((xx, 0, 0, c, 0, zz)):
        return (
            "Its products of inertia are too large; with Ixy = Ixz = Iyz = 0 it would be possible."
        )
    return (
        "Usual causes: a decimal slip, the inertia about another point or in other axes, "
        "products of inertia mixed up, or grams and millimetres."
    )


DENSEST = 22_600  # [kg/m³], osmium
STEEL = 7_850
HUGE = 1e50  # numbers that no robot has, and whose products are no numbers any more
UNITS = {"kg·cm²": 1e-4, "kg·mm²": 1e-6, "g·cm²": 1e-7, "g·mm²": 1e-9}
MANY = 3  # as many links make a habit


def size_doubts(inertial: Inertial, size: float) -> Iterator[tuple[str, str]]:
    """Yield whether a body is too large for its link or too dense for any material.

    Of all bodies of mass m and density ρ, the ball of radius r has the smallest largest moment:

        I = ⅖ m r²        r³ = 3m / 4πρ
    """
    mass, moments = float(inertial.mass), [float(inertial.inertia[k]) for k in (0, 3, 5)]
    largest = largest_moment(symmetric([float(x) for x in inertial.inertia]))
    if mass <= 0 or largest <= mass * SPREAD**2:
        return
    gyration = math.sqrt(largest / mass)
    radius = math.sqrt(2.5) * gyration  # of the ball
    alike = moments[0] == moments[1] == moments[2]
    if gyration > 4 * size:
        message = (
            f"its inertia is that of a body of radius {gyration:.3g} m, "
            f"but what it carries is within {size:.3g} m"
        )
        made_up = "It looks like a placeholder; give the real inertia."
        yield message, made_up if alike else other_unit(mass, largest, size)
    elif alike and moments[0] == 1:
        message = "its three moments of inertia are 1 kg·m², which looks like a placeholder"
        yield message, f"Give the real ones; of a ball of steel they are {ball(mass):.2g}."
    elif mass > DENSEST * 4 / 3 * math.pi * radius * radius * radius:
        message = f"with {mass:g} kg and {largest:.2g} kg·m² it is denser than any material"
        remedy = f"A decimal slip, or grams? A ball of steel would have {ball(mass):.2g} kg·m²."
        yield message, remedy


def other_unit(mass: float, largest: float, size: float) -> str:
    """Return the unit in which a moment that is too large would be that of a usual body.

    The radius of gyration of a link is about a third of its length, as that of a rod.
    """
    usual = mass * (size / 3) ** 2
    unit = min(UNITS, key=lambda name: abs(math.log(UNITS[name] * largest / usual)))
    if not usual < math.inf or UNITS[unit] * largest > mass * size * size:
        return "A decimal slip, or other units?"
    factor = UNITS[unit]
    return (
        f"A decimal slip, or other units? {unit} is {factor:g} kg·m², and "
        f"{factor * largest:.3g} kg·m² would do."
    )


def ball(mass: float) -> float:
    """Return the moment of inertia of a ball of steel."""
    return 0.4 * mass * (3 * mass / (4 * math.pi * STEEL)) ** (2 / 3)


def largest_moment(I: np.ndarray) -> float:
    """Return the largest principal moment."""
    return float(np.linalg.eigvalsh(I)[-1]) if np.abs(I).max() < HUGE else math.inf


def habits(model: Model) -> Iterator[Problem]:
    """Yield what is doubtful about the inertias of a robot taken together."""
    carried = {joint.child for joint in model.joints}
    links = [link for link in model.links if link.name in carried and spread(link)]
    yield from all_alike(links)
    yield from about_origins(links)


def spread(link: Link) -> bool:
    """Return whether a link has mass and inertia, in numbers that are possible."""
    values = list(scalars(link.inertial))
    if any(free_symbols(x) or abs(float(x)) > HUGE for x in values):
        return False
    if float(link.inertial.mass) <= 0:
        return False
    I = symmetric([float(x) for x in link.inertial.inertia])
    large = np.abs(I).max() > float(link.inertial.mass) * SPREAD**2
    return bool(large) and why_impossible(float(link.inertial.mass), I) is None


def all_alike(links: list[Link]) -> Iterator[Problem]:
    """Yield whether every link has the same mass and inertia."""
    if len(links) >= MANY and len({(x.inertial.mass, x.inertial.inertia) for x in links}) == 1:
        mass, inertia = links[0].inertial.mass, links[0].inertial.inertia
        moments = ", ".join(f"{float(inertia[k]):g}" for k in (0, 3, 5))
        message = f"all {len(links)} links have the same mass ({float(mass):g} kg) and moments"
        remedy = "Replace them by the real ones if they are placeholders."
        yield Problem("note", "robot", f"{message} ({moments} kg·m²)", remedy, links[0].line)


def about_origins(links: list[Link]) -> Iterator[Problem]:
    """Yield whether the inertias look as if they were about the links' origins.

    Taken to be about the origin, an inertia matrix has to leave a possible one about the centre
    of mass c, mass m:

        I_c = I − m (cᵀc E − c cᵀ)                                    (Steiner)

    Where that shift is large, a matrix that is about c already fails it. If most links of a robot
    pass, theirs are not.
    """
    far, passing = set(), {}
    for link in links:
        inertial = link.inertial
        mass, com = float(inertial.mass), [float(x) for x in inertial.com]
        own = replace(inertial, mass=0, com=(0, 0, 0)).about_origin().I.astype(float)
        shift = np.asarray(Inertia.about_com(mass, com, np.zeros((3, 3))).I, dtype=float)
        if largest_moment(shift) < largest_moment(own) / 2:
            continue
        # the four legs of a robot are one piece of evidence
        kind = (mass, *(round(abs(float(x)), 9) for x in inertial.inertia))
        far.add(kind)
        if why_impossible(mass, own - shift) is None:
            passing[kind] = (link, np.diag(own - shift))
    if len(passing) < MANY or len(passing) < 0.75 * len(far):
        return
    link, moments = next(iter(passing.values()))
    names = listing([f"{shorten(link.name)!r}" for link, _ in passing.values()], 3)
    message = f"the inertias of {names} look as if they were about the links' origins"
    values = ", ".join(f"{x:.4g}" for x in moments)
    remedy = (
        "They belong about the centres of mass: subtract m (c·c E − c cᵀ); "
        f"of {place('link', link.name)}, Ixx, Iyy, Izz would be {values}."
    )
    yield Problem("warning", "robot", message, remedy, link.line)
