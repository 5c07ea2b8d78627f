"""Reduced surfaces: as few triangles as asked, the same shape, the same colours."""

import numpy as np
import pytest
from faults import not_installed, workers_run

from qddot.errors import QddotError
from qddot.readers.meshes import reduced
from qddot.readers.meshes.reduction import thinned
from qddot.readers.meshes.triangles import TriangleMesh, joined


def grid(rows, columns, place):
    """Return a surface over two numbers from 0 to 1."""
    u, v = np.meshgrid(np.linspace(0, 1, rows + 1), np.linspace(0, 1, columns + 1), indexing="ij")
    points = np.stack(place(u.ravel(), v.ravel()), axis=1)
    k = np.arange(rows * (columns + 1)).reshape(rows, columns + 1)[:, :-1].ravel()
    low = np.stack([k, k + columns + 1, k + 1], axis=1)
    high = np.stack([k + 1, k + columns + 1, k + columns + 2], axis=1)
    return joined(TriangleMesh(np.round(points, 12), np.concatenate([low, high])))


def ball(n):
    def place(u, v):
        r = np.sin(np.pi * u)
        return r * np.cos(2 * np.pi * v), r * np.sin(2 * np.pi * v), np.cos(np.pi * u)

    return grid(n, 2 * n, place)


def area(mesh):
    sides = mesh.corners[:, 1:] - mesh.corners[:, :1]
    return np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1).sum() / 2


def volume(mesh):
    return np.linalg.det(mesh.corners).sum() / 6


@pytest.mark.parametrize(("n", "most"), [(40, 400), (120, 500)])  # by edges alone; thinned before
def test_a_ball_stays_a_ball(n, most):
    whole = ball(n)
    small = reduced(whole, most)
    assert 0.8 * most < len(small.triangles) <= most
    assert volume(small) == pytest.approx(4 / 3 * np.pi, rel=0.03)
    away = np.linalg.norm(small.points, axis=1)
    assert np.abs(away - 1).max() < 0.03
    normals = np.cross(
        small.corners[:, 1] - small.corners[:, 0], small.corners[:, 2] - small.corners[:, 0]
    )
    outwards = (normals * small.corners.mean(axis=1)).sum(axis=1) > 0
    assert outwards.mean() > 0.995


def test_a_flat_plate_keeps_its_rim_and_needs_few_triangles():
    plate = grid(30, 30, lambda u, v: (2 * u, v, 0 * u))
    small = reduced(plate, 200)
    assert len(small.triangles) <= 200
    assert area(small) == pytest.approx(2, rel=1e-4)
    few = thinned(plate, 10)
    assert len(few.triangles) <= 10
    assert area(few) == pytest.approx(2, rel=1e-2)


def test_a_box_keeps_its_edges():
    sides = []
    for axis in range(3):
        for end in (0.0, 1.0):

            def place(u, v, axis=axis, end=end):
                return tuple(np.insert([u, v], axis, np.full_like(u, end), axis=0))

            side = grid(12, 12, place)
            sides.append(side if (axis + end) % 2 else turned(side))
    box = together(sides)
    small = reduced(box, 40)
    assert abs(volume(small)) == pytest.approx(abs(volume(box)), rel=2e-3)
    assert area(small) == pytest.approx(6, rel=1e-3)


def turned(mesh):
    return TriangleMesh(mesh.points, mesh.triangles[:, ::-1], mesh.colours)


def together(meshes):
    starts = np.cumsum([0, *(len(each.points) for each in meshes)])
    triangles = [each.triangles + at for each, at in zip(meshes, starts, strict=False)]
    return joined(
        TriangleMesh(np.concatenate([e.points for e in meshes]), np.concatenate(triangles))
    )


def test_colours_keep_their_border():
    plate = grid(40, 40, lambda u, v: (u, v, 0 * u))
    left = plate.corners[:, :, 0].mean(axis=1) < 0.5
    colours = np.where(left[:, None], [1.0, 0, 0], [0, 0, 1.0])
    whole = TriangleMesh(plate.points, plate.triangles, colours)
    for small, most in ((reduced(whole, 400), 400), (thinned(whole, 40), 40)):
        assert len(small.triangles) <= most
        red = small.colours[:, 0] == 1
        one = TriangleMesh(small.points, small.triangles[red])
        assert area(one) == pytest.approx(0.5, rel=0.01)
        assert one.corners[:, :, 0].max() == pytest.approx(0.5, abs=0.01)


def test_many_small_pieces_are_reduced_too():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(3000, 3))
    loose = TriangleMesh(points, np.arange(3000).reshape(-1, 3))
    assert len(reduced(loose, 100).triangles) <= 100
    assert len(thinned(loose, 5).triangles) <= 5


def test_without_fast_simplification_there_are_at_most_so_many_too(monkeypatch):
    not_installed(monkeypatch, "fast_simplification")
    workers_run(monkeypatch, "false")  # no process is needed
    whole = ball(60)
    small = reduced(whole, 500)
    assert 0.8 * 500 < len(small.triangles) <= 500
    assert volume(small) == pytest.approx(4 / 3 * np.pi, rel=0.05)
    assert np.abs(np.linalg.norm(small.points, axis=1) - 1).max() < 0.05


def test_a_process_that_ends_over_a_surface_leaves_it_to_us(monkeypatch):
    workers_run(monkeypatch, "false")
    assert 100 < len(reduced(ball(20), 200).triangles) <= 200


def test_what_is_small_enough_is_left_alone_and_flat_ones_do_not_fail():
    mesh = ball(5)
    assert reduced(mesh, 1000) is mesh
    point = TriangleMesh(np.zeros((3, 3)), np.zeros((10, 3), int))
    assert len(reduced(point, 4).triangles) <= 4
    with pytest.raises(QddotError, match="triangles is 0"):
        reduced(mesh, 0)
