"""The same recursions a stretch at a time: a few bodies, each the parent of the next.

Programs of long chains are long, and most of their parts differ in numbers alone. Here the numbers
of a few bodies are inputs of a function, which is the same for all stretches of equal joints; so
`program.blocks` can record and compile it once. A function takes and gives arrays only, besides a
`form` that says what the stretch is made of; `called` calls it, as it is or as a block.

Between stretches there are vectors of numbers:

    moving   of each body: R_PB, ω, α, a, in its axes; the last nine are what the next stretch needs
    joints   q, then q̇, of the stretch
    load     what the stretch and all behind it hand on to its parent
    columns  of each joint: what it hands on by itself
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from qddot.dynamics.movement import Movement, moved_on, movement_of_base
from qddot.model.joints import JointMotion
from qddot.model.tree import BASE, NO_INERTIA, Body, Tree
from qddot.scalars import ConfigVec, JointMat, JointVec, Scalar
from qddot.spatial.moments import Moments, spread
from qddot.spatial.pose import Pose
from qddot.spatial.vector import vector

SIZE = 4  # bodies of a stretch, of derivatives
MASS_SIZE = 8  # and of the mass matrix, of which a pair of joints takes less

Array = Any  # a vector of any scalars
# a function, its form, and the arrays by name
Called = Callable[..., tuple[Array, ...]]


Form = tuple["BodyForm", ...]  # what a stretch is but for its numbers


class BodyForm(NamedTuple):
    """What a body is but for its numbers."""

    joint: JointMotion
    fixed: tuple[int | None, ...]  # of its numbers, those that are 0, 1 or −1


class Stretch(NamedTuple):
    """A few bodies of a tree, one after the other."""

    bodies: slice
    parent: int  # which stretch carries it, or BASE
    form: Form
    numbers: Array


def stretches(tree: Tree, size: int) -> list[Stretch]:
    """Return all bodies in stretches; what a stretch carries hangs from its last body."""
    children = [sum(b.parent == i for b in tree.bodies) for i in range(len(tree.bodies))]
    starts = [
        i
        for i, body in enumerate(tree.bodies)
        if body.parent != i - 1 or i == 0 or children[i - 1] > 1
    ]
    ends = [*starts[1:], len(tree.bodies)]
    runs = [
        range(at, min(at + size, end))
        for start, end in zip(starts, ends, strict=True)
        for at in range(start, end, size)
    ]
    of_body = {i: k for k, run in enumerate(runs) for i in run} | {BASE: BASE}
    numbers = [_numbers(body) for body in tree.bodies]
    joints = {run: tuple(tree.bodies[i].joint for i in run) for run in runs}
    # stretches of equal joints have one form: what is 0, 1 or −1 in all of them is so in it
    alike: dict[tuple[JointMotion, ...], list[range]] = {}
    for run in runs:
        alike.setdefault(joints[run], []).append(run)
    forms = {
        kinds: tuple(
            BodyForm(kind, tuple(map(_common, *(numbers[run[k]] for run in some))))
            for k, kind in enumerate(kinds)
        )
        for kinds, some in alike.items()
    }
    found = []
    for run in runs:
        form = forms[joints[run]]
        given = [
            float(x)
            for i, (_, fixed) in zip(run, form, strict=True)
            for x, known in zip(numbers[i], fixed, strict=True)
            if known is None
        ]
        parent = of_body[tree.bodies[run.start].parent]
        found.append(Stretch(slice(run.start, run.stop), parent, form, vector(given)))
    return found


def _numbers(body: Body) -> list[Scalar]:
    of = numbers_of_moments(Moments.of(body.inertia))
    return [*np.ravel(body.X_PJ.R), *body.X_PJ.p, *of]


def _common(*numbers: Scalar) -> int | None:
    """Return 0, 1 or −1 if all numbers are that."""
    return next((k for k in (0, 1, -1) if all(x == k for x in numbers)), None)


def bodies_of(form: Form, numbers: Array) -> list[tuple[Body, Moments]]:
    """Return the bodies of a stretch, numbered from 0, and the moments of each."""
    given, found = iter(numbers), []
    for k, (joint, fixed) in enumerate(form):
        x = [next(given) if known is None else known for known in fixed]
        X = Pose(vector([x[0:3], x[3:6], x[6:9]]), vector(x[9:12]))
        own = slice(k, k + 1)
        body = Body("", k - 1, X, joint, NO_INERTIA, own, own)
        found.append((body, moments_of(vector(x[12:]))))
    return found


def movement_at(x: Array) -> Movement:
    """Return a movement from ω, α and a."""
    w, alpha = x[0:3], x[3:6]
    return Movement(w, w, alpha, spread(alpha, w, w), x[6:9])


def outward(form: Form, numbers: Array, q: Array, qd: Array, qdd: Array, before: Array) -> Any:
    """Return how the bodies of a stretch move: `moving` and `joints`."""
    at, found = movement_at(before), []
    for body, _ in bodies_of(form, numbers):
        X = body.X_PB(q)
        at = moved_on(at, X, body.moves(qd), body.moves(qdd))
        found += [*np.ravel(X.R), *at.w_u, *at.alpha, *at.a]
    return vector(found), vector([*q, *qd])


class PlacedBody(NamedTuple):
    """A body of a stretch: where it is in its parent, and how it moves."""

    body: Body
    moments: Moments
    X: Pose
    movement: Movement


def placed(form: Form, numbers: Array, moving: Array, joints: Array) -> list[PlacedBody]:
    """Return the bodies of a stretch, as `outward` has found them."""
    found = []
    for k, (body, moments) in enumerate(bodies_of(form, numbers)):
        own = moving[18 * k : 18 * (k + 1)]
        X = Pose(own[:9].reshape(3, 3), body.X_PB(joints[: len(form)]).p)
        found.append(PlacedBody(body, moments, X, movement_at(own[9:])))
    return found


def inward(form: Form, numbers: Array, moving: Array, joints: Array, load: Array) -> Any:
    """Return the torques of a stretch, (size,), and its `load`: a moment and a force.

    What each body takes by itself is computed here, not by `outward`: to load and store it would
    take longer.
    """
    n, f, tau = load[:3], load[3:], []
    for body, moments, X, at in reversed(placed(form, numbers, moving, joints)):
        n_own, f_own = moments.force(at.U, at.a)
        n, f = n_own + n, f_own + f
        tau = [*body.feels(n, f), *tau]
        n, f = X.wrench(n, f)
    return vector(tau), vector([*n, *f])


def turned(form: Form, numbers: Array, q: Array) -> Array:
    """Return R_PB of each body of a stretch, nine numbers each."""
    return vector([x for body, _ in bodies_of(form, numbers) for x in np.ravel(body.X_PB(q).R)])


def _poses(form: Form, numbers: Array, q: Array, turns: Array) -> list[tuple[Body, Moments, Pose]]:
    R = turns.reshape(-1, 3, 3)
    each = enumerate(bodies_of(form, numbers))
    return [(body, moments, Pose(R[k], body.X_PB(q).p)) for k, (body, moments) in each]


def own_mass(form: Form, numbers: Array, q: Array, turns: Array, load: Array) -> Any:
    """Return M among the joints of a stretch, `columns` (moment and force) and `load` (moments)."""
    each, size = _poses(form, numbers, q, turns), len(form)
    M = np.zeros((size, size), dtype=object)
    columns: list[Scalar] = []
    composite = moments_of(load)
    for j in reversed(range(size)):
        body, moments, X = each[j]
        composite = moments + composite
        n, f = composite.momentum(*body.columns[0])
        for i in range(j, -1, -1):
            (M[i, j],) = (M[j, i],) = each[i][0].feels(n, f)
            n, f = each[i][2].wrench(n, f)
        columns = [*n, *f, *columns]
        composite = composite.seen_from(X)
    return array_of(M), vector(columns), vector(numbers_of_moments(composite))


def mass_across(form: Form, numbers: Array, q: Array, turns: Array, columns: Array) -> Any:
    """Return M between the joints j of a stretch and those i of one before it, and `columns`."""
    each, count = _poses(form, numbers, q, turns), len(columns) // 6
    M = np.zeros((count, len(each)), dtype=object)
    found: list[Scalar] = []
    for j in range(count):
        n, f = columns[6 * j : 6 * j + 3], columns[6 * j + 3 : 6 * j + 6]
        for i in range(len(each) - 1, -1, -1):
            (M[j, i],) = each[i][0].feels(n, f)
            n, f = each[i][2].wrench(n, f)
        found += [*n, *f]
    return array_of(M), vector(found)


class Outward(NamedTuple):
    """A tree in stretches, and what each of them hands to functions of this file."""

    of: list[Stretch]
    given: list[dict[str, Array]]  # numbers, moving, joints
    before: list[Array]  # ω, α, a of the body before


def outward_through(
    tree: Tree, q: ConfigVec, qd: JointVec, qdd: JointVec, called: Called, size: int
) -> Outward:
    """Return how all stretches move."""
    G, base, of = tree.coordinates, movement_of_base(tree), stretches(tree, size)
    q_J, qd_J, qdd_J = G.joints(q), G.velocities(q, qd), G.accelerations(q, qd, qd, qdd)
    ends = {BASE: vector([*base.w_u, *base.alpha, *base.a])}
    found = Outward(of, [], [])
    for k, (own, parent, form, numbers) in enumerate(of):
        state = {"q": q_J[own], "qd": qd_J[own], "qdd": qdd_J[own], "before": ends[parent]}
        moving, joints = called(outward, form, numbers=numbers, **state)
        ends[k] = moving[-9:]
        found.given.append({"numbers": numbers, "moving": moving, "joints": joints})
        found.before.append(ends[parent])
    return found


def rigid_body_torque(
    tree: Tree, q: ConfigVec, qd: JointVec, qdd: JointVec, called: Called
) -> JointVec:
    """Return M q̈ + C q̇ + g, as `rnea.rigid_body_torque` does, body by body.

    What is called is then so short that it stays in the cache for instructions.
    """
    q_J, tau = tree.coordinates.joints(q), [0] * len(tree.bodies)
    through = outward_through(tree, q, qd, qdd, called, size=1)
    loads: dict[int, Array] = {}
    for k in reversed(range(len(through.of))):
        own, parent, form, _ = through.of[k]
        given = through.given[k] | {"joints": q_J[own]}
        tau[own], load = called(inward, form, **given, load=loads.get(k, vector([0] * 6)))
        loads[parent] = loads[parent] + load if parent in loads else load
    return tree.rotor_torques(qdd) + tree.coordinates.torques(q, vector(tau))


def mass_matrix(tree: Tree, q: ConfigVec, called: Called) -> JointMat:
    """Return M(q), rotor inertia included, as `crba.mass_matrix` does."""
    size, q_J = len(tree.bodies), tree.coordinates.joints(q)
    of, given = stretches(tree, MASS_SIZE), []
    for own, _, form, numbers in of:
        state = {"numbers": numbers, "q": q_J[own]}
        given.append(state | {"turns": called(turned, form, **state)})
    M = np.zeros((size, size), dtype=object)
    loads: dict[int, Array] = {}
    for k in reversed(range(len(of))):
        J, parent, form, _ = of[k]
        load = loads.get(k, vector([0] * 10))
        M[J, J], columns, load = called(own_mass, form, **given[k], load=load)
        loads[parent] = loads[parent] + load if parent in loads else load
        while parent != BASE:
            I, before, form, _ = of[parent]
            M[J, I], columns = called(mass_across, form, **given[parent], columns=columns)
            M[I, J] = M[J, I].T
            parent = before
    G = tree.coordinates
    of_joints = [list(row) for row in G.torques(q, G.torques(q, M).T)]
    return vector(of_joints).reshape(tree.n, tree.n) + tree.rotor_matrix


def numbers_of_moments(of: Moments) -> list[Scalar]:
    """Return m, h and the six numbers of Σ."""
    return [of.m, *of.h, *(of.S[i, j] for i in range(3) for j in range(i, 3))]


def moments_of(x: Array) -> Moments:
    """Return the moments of their ten numbers."""
    xx, xy, xz, yy, yz, zz = x[4:10]
    return Moments(x[0], x[1:4], vector([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))


def array_of(rows: np.ndarray) -> Array:
    """Return a matrix whose entries keep their kind of number."""
    return vector([list(row) for row in rows])
