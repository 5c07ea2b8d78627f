"""Inertia by integrating a density: SymPy's integrals (SPEC A1), meshes, files that cannot be."""

from __future__ import annotations

import math
import struct
from itertools import product

import numpy as np
import pytest
import sympy as sp
from faults import not_installed
from hypothesis import given
from hypothesis import strategies as st
from long import examples
from nearness import assert_close
from refused import refusals
from strategies import random_rpy, seeds

import qddot
from qddot.errors import BadArgument, BadFile, BadRobot, MissingExtra
from qddot.model import shapes
from qddot.readers.meshes import read_mesh
from qddot.readers.meshes.closed import closed
from qddot.scalars.expressions import PI_EXPRESSION, expression, symbol
from qddot.spatial.inertia import upper
from qddot.spatial.rotation import from_rpy

X = sp.symbols("x y z")
a, b, h, r, l, rho, k = sp.symbols("a b h r l rho k", positive=True)


def integrated(density, over):
    """Return the ten numbers about the origin, integrated by SymPy; `over` does one integral."""
    x, y, z = X
    weights = [1, x, y, z, y**2 + z**2, -x * y, -x * z, x**2 + z**2, -y * z, x**2 + y**2]
    return [sp.expand(over(sp.expand(density * weight))) for weight in weights]


def as_sympy(inertial):
    names = {str(s): s for s in (a, b, h, r, l, rho, k)}
    found = inertial.about_origin().parameters
    return [sp.expand(sp.cancel(sp.sympify(str(expression(x)), names))) for x in found]


def over_box(f):
    x, y, z = X  # from the start: x from 0 to a
    return sp.integrate(f, (x, 0, a), (y, -b / 2, b / 2), (z, -h / 2, h / 2))


def over_cylinder(f):
    x, y, z = X  # along z, towards −z
    s, t = sp.symbols("s t")
    polar = sp.expand(f.subs({x: s * sp.cos(t), y: s * sp.sin(t)}) * s)
    return sp.integrate(polar, (t, 0, 2 * sp.pi), (s, 0, r), (z, -l, 0))


def over_sphere(f):
    x, y, z = X
    s, t, u = sp.symbols("s t u")
    at = {x: s * sp.sin(u) * sp.cos(t), y: s * sp.sin(u) * sp.sin(t), z: s * sp.cos(u)}
    polar = sp.expand(sp.sympify(f).subs(at) * s**2 * sp.sin(u))
    return sp.integrate(polar, (t, 0, 2 * sp.pi), (u, 0, sp.pi), (s, 0, r))


BOX_SIZE = {"size": [a, b, h], "frame": "start"}
CYLINDER_SIZE = {"radius": r, "length": l, "axis": "z", "frame": "end"}


@pytest.mark.parametrize(
    ("density", "solid", "dimensions", "over"),
    [
        (rho * (1 + X[0] + k * X[1] ** 2), "box", BOX_SIZE, over_box),
        (rho, "cylinder", CYLINDER_SIZE, over_cylinder),
        pytest.param(
            *(rho * (1 + k * X[0] ** 2 * X[2]), "cylinder", CYLINDER_SIZE, over_cylinder),
            marks=pytest.mark.long,
        ),
        pytest.param(
            *(rho * (1 + k * X[2]), "sphere", {"radius": r}, over_sphere), marks=pytest.mark.long
        ),
    ],
)
def test_the_integrals_are_those_of_sympy(density, solid, dimensions, over):
    assert as_sympy(qddot.inertia_of(density, solid, **dimensions)) == integrated(density, over)


@pytest.mark.parametrize(
    ("kind", "dimensions", "volume"),
    [
        ("box", {"size": ["a", "b", "h"], "axis": "y", "frame": "end"}, "a*b*h"),
        ("cylinder", {"radius": "r", "length": "l", "frame": "start"}, "pi*r**2*l"),
        (
            "hollow_cylinder",
            {"outer": "r", "inner": "b", "length": "l", "axis": "y"},
            "pi*l*(r**2 - b**2)",
        ),
        ("sphere", {"radius": "r"}, "4*pi*r**3/3"),
    ],
)
def test_a_uniform_solid_is_the_shape_of_its_mass(kind, dimensions, volume):
    """A4 to A9: integrating the density gives the formulas of the shapes, exactly."""
    found = qddot.inertia_of("rho", kind, **dimensions)
    mass = qddot.inertia_of(f"rho*({volume})", "box", size=[1, 1, 1]).mass
    read = {
        key: tuple(symbol(x) for x in value)
        if key == "size"
        else value
        if key in ("axis", "frame")
        else symbol(value)
        for key, value in dimensions.items()
    }
    shape = shapes.SHAPES[kind](mass, **read)
    ours, theirs = found.about_origin().parameters, shape.about_origin().parameters
    assert [expression(x) for x in ours] == [expression(x) for x in theirs]


def test_numbers_come_out_as_numbers():
    found = qddot.inertia_of(2700, "cylinder", radius=0.05, length=0.3)
    assert isinstance(found.mass, float)
    assert found.mass == pytest.approx(2700 * math.pi * 0.05**2 * 0.3)


# meshes


def box_mesh(size, at=(0, 0, 0)):
    """Return the twelve triangles of a box, outwards."""
    v = np.array(list(product((0.0, 1.0), repeat=3))) * size + np.array(at)
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return np.array([[v[i] for i in t] for p, q, r, s in sides for t in ((p, q, r), (p, r, s))])


def binary(triangles):
    rows = [struct.pack("<12fH", 0, 0, 0, *t.ravel(), 0) for t in np.asarray(triangles)]
    return b"solid of a CAD program".ljust(80) + struct.pack("<I", len(rows)) + b"".join(rows)


def text(triangles):
    def corner(p):
        return f"      vertex {p[0]!r} {p[1]:e} {float(p[2])}\n"

    parts = [
        "  facet normal 0 0 0\n    outer loop\n"
        + "".join(corner([float(x) for x in p]) for p in t)
        + "    endloop\n  endfacet\n"
        for t in triangles
    ]
    return f"solid my part\n{''.join(parts)}endsolid my part\n".encode()


def file_of(folder, data, name="part.stl"):
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("write", [binary, text])
def test_a_box_in_a_file_is_a_box(tmp_path, write):
    path = file_of(tmp_path, write(box_mesh((0.5, 0.25, 2), (1, 0, -1))))
    found = qddot.inertia_of(1000, path)
    box = shapes.box(250.0, (0.5, 0.25, 2))
    assert_close([found.mass, *found.com], [250, 1.25, 0.125, 0])
    assert_close(found.inertia, box.inertia)


@examples(15)
@given(seeds)
def test_a_mesh_anywhere_is_the_sum_of_its_tetrahedra(tmp_path_factory, seed):
    """Against a tetrahedron's own second moments: Σ = V/20 (Σ pᵢ pᵢᵀ + s sᵀ), s = Σ pᵢ."""
    rng = np.random.default_rng(seed)
    p = rng.normal(size=(4, 3)).astype("f4").astype(float)
    if np.linalg.det(p[1:] - p[0]) < 0:
        p = p[[0, 2, 1, 3]]
    faces = np.array([p[list(i)] for i in ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))])
    path = file_of(tmp_path_factory.mktemp("mesh"), binary(faces))
    xyz, rpy, scale = rng.normal(size=3), random_rpy(rng), float(rng.uniform(0.5, 2))
    found = qddot.inertia_of(3.0, path, scale=scale, xyz=xyz, rpy=rpy)
    p = scale * p @ np.array(from_rpy(rpy), float).T + xyz
    V, s = 3.0 * np.linalg.det(p[1:] - p[0]) / 6, p.sum(axis=0)
    second = V / 20 * (p.T @ p + np.outer(s, s))
    I = np.trace(second) * np.eye(3) - second
    size = np.abs(I).max()
    assert_close(np.array([found.mass, *found.mass * np.array(found.com)]) / V, [1, *s / 4])
    assert_close(np.array(found.about_origin().parameters[4:]) / size, np.array(upper(I)) / size)


def test_a_density_that_varies_over_a_mesh(tmp_path):
    path = file_of(tmp_path, binary(box_mesh((1, 2, 3), (10, -1, -1.5))))
    found = qddot.inertia_of("1000*(1 + (x - 10)**2*z**2)", path)
    box = qddot.inertia_of("1000*(1 + x**2*z**2)", "box", size=[1, 2, 3], frame="start")
    assert_close(found.mass, box.mass)
    assert_close(np.array(found.com) - (10, 0, 0), box.com)
    assert np.allclose(found.inertia, box.inertia, rtol=1e-12, atol=1e-9)


def test_a_mesh_inside_out_or_with_a_cavity_is_the_solid_that_it_bounds(tmp_path):
    box = box_mesh((2, 2, 2), (-1, -1, -1))
    inside_out = file_of(tmp_path, binary(box[:, ::-1]))
    assert qddot.inertia_of(1, inside_out).mass == pytest.approx(8)
    hollow = np.concatenate([box, box_mesh((1, 1, 1), (-0.5,) * 3)[:, ::-1]])
    assert qddot.inertia_of(1, file_of(tmp_path, binary(hollow))).mass == pytest.approx(7)


def test_corners_that_rounding_has_parted_are_joined(tmp_path):
    box = box_mesh((1, 1, 1))
    box[3] += 1e-8
    assert qddot.inertia_of(1, file_of(tmp_path, text(box))).mass == pytest.approx(1)


BOX = box_mesh((1, 1, 1))
NAN = BOX.copy()
NAN[4, 1, 2] = np.nan
BAD = {
    "a hole": (binary(BOX[:-1]), "its surface has a hole: 3 edges without a neighbour, one at"),
    "a flipped triangle": (
        binary([*BOX[:-1], BOX[-1][::-1]]),
        "its triangles do not face the same way: 3 edges disagree",
    ),
    "flat": (binary([BOX[0], BOX[0][::-1]]), "its surface encloses no volume"),
    "no triangles": (binary([]), "it has no triangles"),
    "not a number": (binary(NAN), "triangle 4 has a corner that is no number"),
    "huge": (binary(BOX * 1e30), "its numbers are out of all proportion"),
    "cut off": (binary(BOX)[:-1], "it is no STL file: it has 683 bytes, where its count of 12"),
    "a count that lies": (
        binary(BOX)[:80] + struct.pack("<I", 2**32 - 1) + binary(BOX)[84:],
        "its count of 4294967295 triangles needs",
    ),
    "empty": (b"", "it is empty"),
    "something else": (b"<robot/>", "it is no STL file"),
    "text cut off": (text(BOX)[:-40], "stands where|cut off"),
    "text with words": (
        text(BOX).replace(b"vertex", b"vortex", 1),
        "4: 'vortex' stands where 'vertex' should",
    ),
    "text with code": (
        text(BOX).replace(b"normal 0", b"normal __import__", 1),
        "'__import__' stands where a number should",
    ),
    "text with nan": (text(BOX).replace(b"normal 0", b"normal nan", 1), "'nan' stands where a num"),
}


@pytest.mark.parametrize(("data", "words"), BAD.values(), ids=BAD)
def test_what_bounds_no_solid_is_refused_in_words(tmp_path, data, words):
    path = file_of(tmp_path, data)
    with pytest.raises(BadFile, match=words):
        closed(path, read_mesh(path).corners)


@examples(60)
@given(st.binary(max_size=400), st.integers(0, 700), st.booleans())
def test_broken_files_end_in_words(tmp_path_factory, more, at, as_text):
    whole = text(BOX) if as_text else binary(BOX)
    path = file_of(tmp_path_factory.mktemp("mesh"), whole[:at] + more + whole[at + len(more) :])
    try:
        corners = closed(path, read_mesh(path).corners)
    except BadFile:
        return
    assert np.isfinite(corners).all()


# in robot files


def test_links_of_a_file_are_weighed_by_density_and_mesh(tmp_path):
    file_of(tmp_path, binary(box_mesh((500, 250, 2000))), "link.stl")
    robot = tmp_path / "arm.toml"
    robot.write_text("""
convention = "standard"
[[dh]]
a = 1
density = 2700
shape = { kind = "cylinder", radius = 0.05, length = 1, frame = "end" }
[[dh]]
a = 1
density = 1000
mesh = { file = "link.stl", scale = 0.001, xyz = [-0.5, 0, 0] }
[[dh]]
a = 1
mass = "m3"
mesh = { file = "link.stl", scale = 0.001 }
[[dh]]
a = 1
density = "rho*(1 + x)"
shape = { kind = "box", size = [1, 1, 1] }
""")
    arm = qddot.load(robot)
    weights = [arm.model.link(f"link{i}").inertial for i in range(1, 5)]
    assert weights[0].mass == pytest.approx(2700 * math.pi * 0.0025)
    assert weights[0].com == (-0.5, 0, 0)
    assert_close([weights[1].mass, *weights[1].com], [250, -0.25, 0.125, 1])
    assert weights[2].mass == symbol("m3")
    assert float(expression(weights[2].inertia[0]).substitute({"m3": 250})) == pytest.approx(
        weights[1].inertia[0]
    )
    assert (weights[3].mass, weights[3].com[0]) == (symbol("rho"), pytest.approx(1 / 12))
    assert arm.symbols == ("m3", "rho")


@pytest.mark.parametrize(("line", "words"), refusals("document")["weight"].items())
def test_what_cannot_be_weighed_is_refused_with_its_line(tmp_path, line, words):
    file_of(tmp_path, binary(BOX))
    robot = tmp_path / "arm.toml"
    robot.write_text(f"convention = 'standard'\n[[dh]]\n{line}\n")
    with pytest.raises(BadRobot, match=words):
        qddot.load(robot)


@pytest.mark.parametrize(
    ("given_to", "words"),
    [
        (("box", {"size": [1, 2]}), "size"),
        (("box", {}), "box: missing 1 required positional argument: 'size'"),
        (("cylinder", {"radius": 1, "length": -1}), "length is -1"),
        (("cone", {}), "solid is 'cone'; it must be box, cylinder, hollow_cylinder, sphere or a m"),
        (("part.ply", {}), "or a mesh"),
        (("part.stl", {"size": 1}), "size means nothing of a file"),
        (("point", {}), "A point has no volume"),
    ],
)
def test_what_is_no_solid_is_refused(given_to, words):
    solid, dimensions = given_to
    with pytest.raises(BadArgument, match=words):
        qddot.inertia_of(1, solid, **dimensions)


def test_pi_stays_exact_with_symbols():
    found = qddot.inertia_of("rho", "sphere", radius="r")
    assert found.mass == 4 * PI_EXPRESSION * symbol("rho") * symbol("r") ** 3 / 3


def test_mujoco_weighs_a_bent_ring_alike(tmp_path):
    """A torus, neither convex nor in a plane; MuJoCo integrates its mesh exactly."""
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    u, v = np.arange(24) * math.tau / 24, np.arange(12) * math.tau / 12
    away = 0.3 + 0.1 * np.cos(v)
    x, y = np.outer(np.cos(u), away), np.outer(np.sin(u), away)
    grid = np.stack([x + 0.2, y, 0.05 * np.sin(v) + 0.1 * np.sin(u)[:, None]], axis=-1)
    corners = [np.roll(grid, (-i, -j), (0, 1)) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))]
    ring = np.concatenate([np.stack([corners[k] for k in t], 2) for t in ((0, 1, 2), (0, 2, 3))])
    path = file_of(tmp_path, binary(ring.reshape(-1, 3, 3)))
    model = mujoco.MjModel.from_xml_string(f"""<mujoco><compiler meshdir="{tmp_path}"/>
      <asset><mesh name="ring" file="part.stl" inertia="exact"/></asset>
      <worldbody><body name="b"><freejoint/><geom type="mesh" mesh="ring" density="1000"/></body>
      </worldbody></mujoco>""")
    b = model.body("b").id
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.body_iquat[b])
    R = R.reshape(3, 3)
    I = R @ np.diag(model.body_inertia[b]) @ R.T
    found = qddot.inertia_of(1000, path)
    assert found.mass == pytest.approx(model.body_mass[b], rel=1e-9)
    assert np.allclose(found.com, model.body_ipos[b], rtol=0, atol=1e-9)
    assert np.allclose(found.inertia, I[np.triu_indices(3)], rtol=0, atol=1e-9)


def test_a_mesh_that_no_package_reads_has_no_inertia(tmp_path, monkeypatch):
    not_installed(monkeypatch, "collada", "trimesh")
    (tmp_path / "a.dae").write_text("<COLLADA><asset/></COLLADA>")
    with pytest.raises(MissingExtra, match=r"a.dae needs trimesh(.|\n)*qddot\[meshes]"):
        qddot.inertia_of(1000, tmp_path / "a.dae")
    row = '[[dh]]\na = 1\ndensity = 1000\nmesh = "a.dae"\n'
    (tmp_path / "arm.toml").write_text('convention = "standard"\n' + row)
    with pytest.raises(MissingExtra, match=r"a.dae needs trimesh(.|\n)*qddot\[meshes]"):
        qddot.load(tmp_path / "arm.toml")
