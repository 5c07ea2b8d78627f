"""Surfaces: closed, looking outward, as large as the shapes they stand for, carried by bodies."""

import base64
import re
import tracemalloc
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from faults import not_installed
from long import one_in
from numpy.testing import assert_allclose
from random_trees import deep_tree

import qddot
from qddot.model.geometry import BoxShape, Geometry
from qddot.present.figures import shells
from qddot.present.figures.surfaces import surfaces_of
from qddot.readers.read import library
from qddot.robot import Robot

FACETED = 0.03  # how much of a round volume its flat pieces and round edges may cut off


@cache
def numeric(name):
    robot = qddot.load(name)
    return None if robot.symbols else robot


def volume(points, triangles):
    """Return the volume inside a closed surface, by the divergence theorem; signed."""
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


SOLIDS = {
    "cylinder": (shells.cylinder(0.3, 0.5, 64, bevel=0.001), np.pi * 0.3**2 * 0.5),
    "sphere": (shells.capsule(0.4, 0.0, 64), 4 / 3 * np.pi * 0.4**3),
    "capsule": (shells.capsule(0.2, 0.7, 64), np.pi * 0.2**2 * 0.7 + 4 / 3 * np.pi * 0.2**3),
    "box": (shells.box((0.3, 0.4, 0.5), bevel=0.001), 0.3 * 0.4 * 0.5),
    "cone": (shells.cone(0.3, 0.1, 0.6, 64, bevel=0.001), np.pi * 0.6 / 3 * (0.09 + 0.03 + 0.01)),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_shapes_are_closed_and_as_large_as_they_should_be(name):
    shell, expected = SOLIDS[name]
    assert_allclose(volume(shell.points, shell.triangles), expected, rtol=FACETED)
    # moved far away, an open surface has another volume
    far = shell.placed(np.eye(3), [30.0, -20.0, 10.0])
    assert_allclose(volume(far.points, far.triangles), volume(shell.points, shell.triangles))


@pytest.mark.parametrize("name", SOLIDS)
def test_normals_point_out_of_the_triangles_they_belong_to(name):
    shell, _ = SOLIDS[name]
    assert_allclose(np.linalg.norm(shell.normals, axis=1), 1)
    a, b, c = np.moveaxis(shell.points[shell.triangles], 1, 0)
    flat = np.cross(b - a, c - a)
    at_corners = np.einsum("ij,ikj->ik", flat, shell.normals[shell.triangles])
    assert (at_corners > 0).all()


def test_a_mesh_is_smooth_where_it_bends_gently_and_sharp_where_it_does_not():
    ball, _ = SOLIDS["sphere"]
    soft = shells.from_triangles(ball.points, ball.triangles)
    out = soft.points / np.linalg.norm(soft.points, axis=1, keepdims=True)
    assert np.einsum("ij,ij->i", out, soft.normals).min() > 0.99
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    sharp = shells.from_triangles(corners, faces)
    assert len(sharp.points) == 12  # each face has corners of its own
    assert_allclose(volume(sharp.points, sharp.triangles), 1 / 6)


@pytest.mark.parametrize("name", one_in(3, library()))
def test_every_built_in_robot_has_a_surface_for_all_that_moves(name):
    robot = numeric(name)
    if robot is None or not robot.n:
        return
    parts = surfaces_of(robot).parts
    assert sum(len(part.triangles) for part in parts) <= 40_000
    for part in parts:
        assert -1 <= part.body < len(robot.tree.bodies)
        assert np.isfinite(part.points).all()
        assert part.triangles.max() < len(part.points)
        assert re.fullmatch("#[0-9a-f]{6}", part.colour.lower())
    assert not surfaces_of(robot).missing


@pytest.mark.parametrize("robot", ["two arms", "scara", "two_link"])
def test_fewer_triangles_are_made_where_fewer_are_wanted(robot):
    arm = Robot(deep_tree(1, 6)) if robot == "two arms" else qddot.load(robot)
    many, few = surfaces_of(arm), surfaces_of(arm, triangles=4_000)
    assert sum(len(part.triangles) for part in few.parts) <= 4_000
    assert {part.body for part in few.parts} == {part.body for part in many.parts}


def test_shapes_of_a_file_are_shown_where_it_says(tmp_path):
    (tmp_path / "arm.toml").write_text(
        """
        [[link]]
        name = "base"
        [[joint]]
        name = "j"
        type = "revolute"
        parent = "base"
        child = "arm"
        xyz = [0, 0, 1]
        axis = [0, 0, 1]
        [[link]]
        name = "arm"
        mass = 1
        inertia = [0.01, 0.02, 0.02]
        visual = { kind = "box", size = [0.2, 0.4, 0.6], xyz = [1, 2, 3], colour = [1, 0, 0.2] }
        """
    )
    (part,) = surfaces_of(qddot.load(tmp_path / "arm.toml")).parts
    assert part.body == 0
    assert part.colour == "#ff0033"
    assert_allclose(part.points.min(axis=0), [0.9, 1.8, 2.7])
    assert_allclose(part.points.max(axis=0), [1.1, 2.2, 3.3])


def test_a_mesh_that_is_not_there_is_named_and_the_arm_is_shown(tmp_path):
    (tmp_path / "arm.urdf").write_text(
        """<robot name="arm"><link name="base"/>
        <joint name="j" type="revolute"><parent link="base"/><child link="tip"/>
          <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
        <link name="tip"><inertial><mass value="1"/><origin xyz="0.5 0 0"/>
          <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1.5"/></inertial>
          <visual><geometry><mesh filename="gone.stl"/></geometry></visual></link></robot>"""
    )
    found = surfaces_of(qddot.load(tmp_path / "arm.urdf"))
    assert "gone.stl" in found.missing
    assert {part.body for part in found.parts} >= {0}


@pytest.mark.parametrize("size", ["0 0 0", "0 1 1"])
def test_an_arm_whose_shapes_have_no_size_is_shown_as_it_is_made(size):
    model = qddot.load("pendulum").model
    flat = BoxShape(tuple(float(x) for x in size.split()))
    links = tuple(replace(x, visuals=(Geometry(flat),)) for x in model.links)
    parts = surfaces_of(Robot(replace(model, links=links))).parts
    assert all(len(part.triangles) for part in parts)
    assert len(parts) > 1


def test_a_mesh_is_shown_with_its_scale_and_place_and_fewer_triangles(tmp_path):
    ball, _ = SOLIDS["sphere"]
    lines = [f"v {x} {y} {z}" for x, y, z in ball.points]
    lines += [f"f {a} {b} {c}" for a, b, c in ball.triangles + 1]
    (tmp_path / "ball.obj").write_text("\n".join(lines))
    (tmp_path / "arm.toml").write_text(
        """
        [[dh]]
        a = 1
        mass = 1
        visual = { kind = "mesh", file = "ball.obj", scale = [-2, 1, 1], xyz = [0, 0, 1] }
        """.replace("[[dh]]", 'convention = "standard"\n        [[dh]]', 1)
    )
    (part,) = surfaces_of(qddot.load(tmp_path / "arm.toml"), triangles=1000).parts
    assert 300 <= len(part.triangles) <= 1000 < len(ball.triangles)
    assert_allclose(part.points.max(axis=0) - part.points.min(axis=0), [1.6, 0.8, 0.8], rtol=0.05)
    middle = (part.points.max(axis=0) + part.points.min(axis=0)) / 2
    assert_allclose(middle, [1, 0, 1], rtol=0, atol=0.02)  # its frame is at the end of the link
    assert volume(part.points, part.triangles) > 0  # mirrored, and still seen from outside


def test_what_is_packed_is_what_was_there():
    parts = surfaces_of(qddot.load("two_link")).parts
    for part, packed in zip(parts, surfaces_of(qddot.load("two_link")).packed(), strict=True):
        points = np.frombuffer(base64.b64decode(packed["points"]), "<f4").reshape(-1, 3)
        normals = np.frombuffer(base64.b64decode(packed["normals"]), "<i2").reshape(-1, 3)
        triangles = np.frombuffer(base64.b64decode(packed["triangles"]), "<u2").reshape(-1, 3)
        assert_allclose(points, part.points, rtol=0, atol=1e-6)
        assert_allclose(normals / 32767, part.normals, rtol=0, atol=2e-5)
        assert (triangles == part.triangles).all()


def test_what_was_made_of_meshes_is_kept_until_a_file_changes(tmp_path, monkeypatch):
    ball, _ = SOLIDS["sphere"]
    monkeypatch.setenv("QDDOT_CACHE_DIR", str(tmp_path / "cache"))

    def write(scale):
        corners = scale * ball.points[ball.triangles].astype("<f4")
        rows = np.zeros(len(corners), dtype=[("n", "<f4", 3), ("p", "<f4", (3, 3)), ("a", "<u2")])
        rows["p"] = corners
        head = bytes(80) + np.uint32(len(rows)).tobytes()
        (tmp_path / "ball.stl").write_bytes(head + rows.tobytes())

    (tmp_path / "arm.toml").write_text(
        'convention = "standard"\n[[dh]]\na = 1\nmass = 1\n'
        'visual = { kind = "mesh", file = "ball.stl" }\n'
    )
    write(1.0)
    robot = qddot.load(tmp_path / "arm.toml")
    first = surfaces_of(robot).parts
    monkeypatch.setattr("qddot.readers.meshes.read_mesh", None)  # nothing is read again
    again = surfaces_of(robot).parts
    assert [part.colour for part in again] == [part.colour for part in first]
    np.testing.assert_array_equal(again[0].points, first[0].points)
    monkeypatch.undo()
    monkeypatch.setenv("QDDOT_CACHE_DIR", str(tmp_path / "cache"))
    write(2.0)
    wider = surfaces_of(robot).parts[0].points
    assert_allclose(np.ptp(wider, axis=0), 2 * np.ptp(first[0].points, axis=0), rtol=0.05)


def test_a_mesh_that_no_package_reads_is_named_with_the_command(tmp_path, monkeypatch):
    monkeypatch.setenv("QDDOT_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "a.dae").write_text(
        """<COLLADA><library_geometries><geometry id="g"><mesh><source id="s">
        <float_array id="f">0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor source="#f"
        count="3" stride="3"/></technique_common></source><vertices id="v"><input source="#s"
        semantic="POSITION"/></vertices><triangles><input semantic="VERTEX" source="#v" offset="0"/>
        <p>0 1 2</p></triangles></mesh></geometry></library_geometries></COLLADA>"""
    )
    (tmp_path / "arm.toml").write_text(
        'convention = "standard"\n[[dh]]\na = 1\nmass = 1\n'
        'visual = { kind = "mesh", file = "a.dae" }\n'
    )
    robot = qddot.load(tmp_path / "arm.toml")
    with monkeypatch.context() as less:
        not_installed(less, "collada", "trimesh", "fast_simplification")
        found = surfaces_of(robot)
        assert found.missing == (
            "A mesh is not shown, simple shapes are in their place (Reading a.dae needs trimesh, "
            "which is not installed: pip install 'qddot[meshes]')."
        )
        assert len(found.parts) > 1  # the skeleton
    (part,) = surfaces_of(robot).parts  # and nothing of it was kept
    assert len(part.triangles) == 1


def one_link(shapes):
    return (
        f'<robot name="r"><link name="base"/><link name="a">{shapes}</link><joint name="j" '
        'type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>'
    )


def shown(tmp_path, shapes):
    path = tmp_path / "arm.urdf"
    path.write_text(one_link(shapes))
    with pytest.warns(qddot.RobotWarning):
        return surfaces_of(qddot.load(path))


BOX = '<visual><origin xyz="{} 0 0"/><geometry><box size="1 1 1"/></geometry></visual>'


def test_shapes_in_one_place_are_one_and_thousands_are_cut_with_a_sentence(tmp_path):
    assert len(shown(tmp_path, BOX.format(0) * 5000).parts) == 1
    found = shown(tmp_path, "".join(BOX.format(k) for k in range(1500)))
    assert len(found.parts) == 1000
    assert found.missing == "Only 1000 of 1500 shapes are shown."


def test_a_triangle_of_many_materials_is_one(tmp_path):
    faces = "".join(f"usemtl m{k}\nf 1 2 3\n" for k in range(9000))
    (tmp_path / "mesh.obj").write_text(f"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n{faces}f 3 2 1\n")
    found = shown(tmp_path, '<visual><geometry><mesh filename="mesh.obj"/></geometry></visual>')
    assert [len(part.triangles) for part in found.parts] == [2]  # its back has another order


def test_thousands_of_triangles_meet_at_a_tip_without_their_square_in_memory():
    turn = np.linspace(0, 2 * np.pi, 6000, endpoint=False)
    rim = np.column_stack([np.cos(turn), np.sin(turn), 0 * turn])
    k = np.arange(len(turn))
    corners = np.column_stack([0 * k, 1 + k, 1 + (k + 1) % len(k)])
    tracemalloc.start()
    shell = shells.from_triangles(np.vstack([[0, 0, 1], rim]), corners)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert_allclose(np.linalg.norm(shell.normals, axis=1), 1, rtol=0, atol=1e-12)
    assert peak < 6000**2 * 4  # [bytes]


def test_surfaces_behind_one_another_without_end_are_refused(tmp_path):
    from qddot.errors import BadArgument
    from qddot.present.figures.robot_picture import plot_robot

    balls = "".join(
        f'<visual><geometry><sphere radius="{1 + k / 999}"/></geometry></visual>'
        for k in range(999)
    )
    (tmp_path / "arm.urdf").write_text(one_link(balls))
    with pytest.warns(qddot.RobotWarning):
        robot = qddot.load(tmp_path / "arm.urdf")
    with pytest.raises(BadArgument, match=r"lie \d+ deep over one another; at most \d+ are drawn"):
        plot_robot(robot)
