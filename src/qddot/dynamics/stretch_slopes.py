"""Derivatives of inverse dynamics, and so the Coriolis matrix, a stretch of bodies at a time.

What is handed on is a `Carried` and, as the column of a joint, a `SlopeColumn`, both of
`derivatives`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from qddot.dynamics import stretches
from qddot.dynamics.derivatives import (
    NOTHING,
    Carried,
    Flow,
    MovingAxis,
    SlopeColumn,
    of_coordinates,
    speed_of_origin,
)
from qddot.dynamics.stretches import (
    Array,
    Called,
    Form,
    array_of,
    moments_of,
    numbers_of_moments,
    outward_through,
    placed,
)
from qddot.model.tree import BASE, Body, Tree
from qddot.scalars import ConfigVec, JointMat, JointVec, Scalar, Vec3
from qddot.spatial.pose import ORIGIN, Pose
from qddot.spatial.vector import vector


class SlopeForm(NamedTuple):
    """What a stretch is but for its numbers, and what is computed."""

    bodies: Form
    times: int  # 2, or 1 for half of ∂τ/∂q̇


class MovingBody(NamedTuple):
    """A body of a stretch, and how it moves."""

    body: Body
    own: Carried
    X: Pose
    axis: MovingAxis
    speed: Vec3  # of its origin, seen from its parent


def _moving(
    form: SlopeForm, numbers: Array, moving: Array, joints: Array, before: Array
) -> list[MovingBody]:
    found, w = [], before[0:3]
    for body, moments, X, at in placed(form.bodies, numbers, moving, joints):
        own = Carried(*moments.force(at.U, at.a), moments, Flow.of(moments, at.w_u))
        speed = speed_of_origin(body, X, w, joints[len(form.bodies) :])
        found.append(MovingBody(body, own, X, MovingAxis.of(body, at), speed))
        w = at.w_u
    return found


def own_slopes(
    form: SlopeForm, numbers: Array, moving: Array, joints: Array, before: Array, carried: Array
) -> Any:
    """Return the slopes among the joints of a stretch, and what it hands on.

    These are ∂τ/∂q and ∂τ/∂q̇, each (size, size), `columns`, and `carried`.
    """
    each, size = _moving(form, numbers, moving, joints, before), len(form.bodies)
    by_q, by_qd = (np.zeros((size, size), dtype=object) for _ in range(2))
    columns: list[Array] = [None] * size
    load = _carried(carried)
    for j in reversed(range(size)):
        _, own, X, axis, speed = each[j]
        load = own + load
        column = SlopeColumn.of(axis, load, form.times)
        for i in range(j, -1, -1):
            by_q[i, j], by_qd[i, j] = column.felt_by(each[i].body)
            if i != j:
                by_q[j, i], by_qd[j, i] = column.felt_of(each[i].axis, form.times)
            column = column.handed_on(each[i].X, each[i].speed, form.times)
        columns[j] = _numbers_of_column(column, form)
        load = NOTHING.with_child(load, X, speed)
    found = [x for column in columns for x in column]
    return array_of(by_q), array_of(by_qd), vector(found), _numbers_of_carried(load)


def slopes_across(
    form: SlopeForm, numbers: Array, moving: Array, joints: Array, before: Array, columns: Array
) -> Any:
    """Return the slopes between the joints j of a stretch and those i of one that carries it.

    These are ∂τᵢ/∂qⱼ and ∂τᵢ/∂q̇ⱼ, (i, j); ∂τⱼ/∂qᵢ and ∂τⱼ/∂q̇ᵢ, (j, i); `columns` handed on.
    """
    each = _moving(form, numbers, moving, joints, before)
    before_it = _columns(columns, form)
    count, size = len(before_it), len(each)
    shapes = (size, count), (size, count), (count, size), (count, size)
    q_ij, qd_ij, q_ji, qd_ji = (np.zeros(shape, dtype=object) for shape in shapes)
    found: list[Scalar] = []
    for j, column in enumerate(before_it):
        for i in range(size - 1, -1, -1):
            q_ij[i, j], qd_ij[i, j] = column.felt_by(each[i].body)
            q_ji[j, i], qd_ji[j, i] = column.felt_of(each[i].axis, form.times)
            column = column.handed_on(each[i].X, each[i].speed, form.times)
        found += _numbers_of_column(column, form)
    return *(array_of(x) for x in (q_ij, qd_ij, q_ji, qd_ji)), vector(found)


def rigid_body_slopes(
    tree: Tree, q: ConfigVec, qd: JointVec, qdd: JointVec, called: Called, times: int = 2
) -> tuple[JointMat, JointMat]:
    """Return what `derivatives.rigid_body_slopes` does, its stretches by `called`.

    `derivatives.applies` is true of the tree. `called` calls a function with a form and arrays by
    name; `times` is 2, or 1 for half of ∂τ/∂q̇.
    """
    through, size = outward_through(tree, q, qd, qdd, called, stretches.SIZE), len(tree.bodies)
    given = [x | {"before": before} for x, before in zip(*through[1:], strict=True)]
    by_q, by_qd = (np.zeros((size, size), dtype=object) for _ in range(2))
    loads: dict[int, Array] = {}
    for k in reversed(range(len(given))):
        J, parent, form, _ = through.of[k]
        load = loads.get(k, vector([0] * 28))
        found = called(own_slopes, SlopeForm(form, times), **given[k], carried=load)
        by_q[J, J], by_qd[J, J], columns, load = found
        loads[parent] = loads[parent] + load if parent in loads else load
        while parent != BASE:
            I, before, form, _ = through.of[parent]
            form = SlopeForm(form, times)
            found = called(slopes_across, form, **given[parent], columns=columns)
            by_q[I, J], by_qd[I, J], by_q[J, I], by_qd[J, I], columns = found
            parent = before
    return of_coordinates(tree, q, by_q, by_qd)


def coriolis_matrix(tree: Tree, q: ConfigVec, qd: JointVec, called: Called) -> JointMat:
    """Return what `derivatives.coriolis_matrix` does, its stretches by `called`."""
    return rigid_body_slopes(tree, q, qd, np.zeros(tree.n, dtype=int), called, times=1)[1]


def _numbers_of_column(column: SlopeColumn, form: SlopeForm) -> list[Scalar]:
    moved = column.moved if form.times == 2 else ()
    return [x for part in (column.b, *column.sped, *column.taken, *moved) for x in part]


def _columns(x: Array, form: SlopeForm) -> list[SlopeColumn]:
    found = []
    for row in x.reshape(-1, 21 if form.times == 2 else 15):
        moved = (row[15:18], row[18:21]) if form.times == 2 else (ORIGIN, ORIGIN)
        column = SlopeColumn(moved, (row[3:6], row[6:9]), (row[9:12], row[12:15]), row[0:3])
        found.append(column)
    return found


def _numbers_of_carried(load: Carried) -> Array:
    flow = [*load.flow.P, *np.ravel(load.flow.K)]
    return vector([*load.n, *load.f, *numbers_of_moments(load.moments), *flow])


def _carried(x: Array) -> Carried:
    flow = Flow(x[16:19], x[19:28].reshape(3, 3))
    return Carried(x[0:3], x[3:6], moments_of(x[6:16]), flow)
