"""Denavit–Hartenberg tables against the textbooks' matrices, by both conventions (SPEC B1)."""

import math
import tomllib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from long import examples
from nearness import assert_close
from refused import refusals
from strategies import inertial, seeds

from qddot import from_dh
from qddot.errors import BadArgument, BadRobot
from qddot.model import Inertial, Joint, Link, Placement
from qddot.model.folding import exact, fold
from qddot.model.tree import BASE
from qddot.readers.dh import dh_document
from qddot.readers.document import read_document
from qddot.readers.toml import line_finder
from qddot.scalars import sincos
from qddot.scalars.expressions import symbol
from qddot.spatial.inertia import Inertia
from qddot.spatial.pose import STILL, Pose
from qddot.spatial.rotation import from_rpy

CONVENTIONS = ("standard", "modified")


# the textbooks' matrices


def Rz(t):
    s, c = math.sin(t), math.cos(t)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


def Rx(t):
    s, c = math.sin(t), math.cos(t)
    return np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]])


def T(x, z):
    return np.array([[1, 0, 0, x], [0, 1, 0, 0], [0, 0, 1, z], [0, 0, 0, 1.0]])


TEXTBOOK = {
    "standard": lambda theta, d, a, alpha: Rz(theta) @ T(0, d) @ T(a, 0) @ Rx(alpha),
    "modified": lambda theta, d, a, alpha: T(a, 0) @ Rx(alpha) @ Rz(theta) @ T(0, d),
}


def textbook_frames(rows, convention, q):
    """Return the 4×4 pose of every DH frame in the base."""
    frames, pose = [], np.eye(4)
    for row, x in zip(rows, q, strict=True):
        prismatic = row.get("type") == "prismatic"
        own = "d" if prismatic else "theta"
        values = {key: row.get(key, 0) for key in ("theta", "d", "a", "alpha")}
        values[own] += row.get("offset", 0) + x
        pose = pose @ TEXTBOOK[convention](**values)
        frames.append(pose)
    return frames


def pose_of(tree, q, frame):
    """Return the 4×4 pose of a frame, up the tree."""
    body, X = tree.frame(frame)
    while body != BASE:
        X, body = tree.poses(q)[body] @ X, tree.bodies[body].parent
    return (STILL @ X).matrix()


@st.composite
def tables(draw):
    """Return rows of any kind: turning, sliding, with offsets, right angles and zeros."""
    rng = np.random.default_rng(draw(seeds))
    rows = []
    for _ in range(draw(st.integers(1, 5))):
        row = {"type": draw(st.sampled_from(("revolute", "prismatic")))}
        for key in ("d", "a"):
            if draw(st.booleans()):
                row[key] = float(rng.uniform(-1, 1))
        for key in ("theta", "alpha"):
            if draw(st.booleans()):
                row[key] = float(rng.choice([rng.uniform(-3, 3), math.pi / 2, -math.pi / 2]))
        if draw(st.booleans()):
            row.pop("d" if row["type"] == "prismatic" else "theta", None)
            row["offset"] = float(rng.uniform(-1, 1))
        rows.append(row)
    return rows


# where the frames are


@examples(60)
@given(tables(), st.sampled_from(CONVENTIONS), seeds)
def test_every_frame_is_where_the_textbook_has_it(rows, convention, seed):
    q = np.random.default_rng(seed).uniform(-2, 2, len(rows))
    robot = from_dh([row | {"mass": 1} for row in rows], convention)
    expected = textbook_frames(rows, convention, q)
    for i, pose in enumerate(expected, 1):
        assert_close(pose_of(robot.tree, q, f"link{i}"), pose)
    assert_close(pose_of(robot.tree, q, "tool"), expected[-1])


@examples(60)
@given(tables(), st.sampled_from(CONVENTIONS), seeds)
def test_masses_are_given_in_the_frame_of_their_row(rows, convention, seed):
    """All ten numbers of the arm, seen from the base, from the textbook's poses alone."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-2, 2, len(rows))
    bodies = [inertial(rng) for _ in rows]
    whole = 0
    for body, pose in zip(bodies, textbook_frames(rows, convention, q), strict=True):
        X = Pose(pose[:3, :3], pose[:3, 3])
        whole = whole + body.about_origin().seen_from(X).parameters
    keys = [
        {"mass": b.mass, "com": b.com, "inertia": b.inertia, "inertia_rpy": b.rpy} for b in bodies
    ]
    full = [row | key for row, key in zip(rows, keys, strict=True)]
    tree = from_dh(full, convention).tree
    folded = tree.base.parameters
    for i, body in enumerate(tree.bodies):
        X = STILL
        while i != BASE:
            X, i = tree.poses(q)[i] @ X, tree.bodies[i].parent
        folded = folded + body.inertia.seen_from(X).parameters
    assert_close(folded, whole)


def test_the_two_link_arm_has_the_printed_matrix():
    """Rows (θ1, 0, 0, L1) and (θ2, 0, 0, L2): the product as the decks print it, in symbols."""
    robot = from_dh([{"a": "L1", "mass": 1}, {"a": "L2", "mass": 1}], "standard")
    q = np.array([symbol("t1"), symbol("t2")])
    (s1, c1), (s2, c2) = (sincos(x) for x in q)
    c12, s12 = c1 * c2 - s1 * s2, s1 * c2 + c1 * s2
    L1, L2 = symbol("L1"), symbol("L2")
    tree = fold(robot.model, exact)
    assert pose_of(tree, q, "link1").tolist() == [
        [c1, -s1, 0, L1 * c1],
        [s1, c1, 0, L1 * s1],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
    ]
    assert pose_of(tree, q, "tool").tolist() == [
        [c12, -s12, 0, L1 * c1 + L2 * c12],
        [s12, c12, 0, L1 * s1 + L2 * s12],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
    ]


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_a_general_row_is_the_books_matrix_in_symbols(kind):
    row = {"theta": "t", "d": "d", "a": "a", "alpha": "al", "type": kind, "mass": 1}
    q = np.array([symbol("x")])
    t, d, a, al = (symbol(name) for name in ("t", "d", "a", "al"))
    t, d = (t, d + symbol("x")) if kind == "prismatic" else (t, d)
    st_, ct = sincos(t)
    if kind == "revolute":
        # the joint turns on from θ: sines and cosines of the sum, by the addition theorems
        sx, cx = sincos(symbol("x"))
        st_, ct = st_ * cx + ct * sx, ct * cx - st_ * sx
    sa, ca = sincos(al)
    standard = [
        [ct, -st_ * ca, st_ * sa, a * ct],
        [st_, ct * ca, -ct * sa, a * st_],
        [0, sa, ca, d],
        [0, 0, 0, 1],
    ]
    modified = [
        [ct, -st_, 0, a],
        [st_ * ca, ct * ca, -sa, -sa * d],
        [st_ * sa, ct * sa, ca, ca * d],
        [0, 0, 0, 1],
    ]
    for convention, matrix in (("standard", standard), ("modified", modified)):
        tree = fold(from_dh([row], convention).model, exact)
        assert pose_of(tree, q, "tool").tolist() == matrix


def test_the_two_conventions_are_two_arms():
    rows = [{"a": 1, "alpha": math.pi / 2, "mass": 1}, {"a": 0.5, "d": 0.2, "mass": 1}]
    q = np.array([0.3, 0.7])
    standard, modified = (pose_of(from_dh(rows, c).tree, q, "tool") for c in CONVENTIONS)
    assert np.abs(standard - modified).max() > 0.1


# what a table becomes


def test_joints_and_links_are_numbered_from_one():
    model = from_dh([{"a": 1, "mass": 1}, {"d": 1, "mass": 1}], "standard").model
    assert model.joint_names == ("j1", "j2")
    assert model.frame_names == ("base", "link1_start", "link1", "link2", "tool")
    assert model.joint("j1") == Joint("j1", "revolute", "base", "link1_start", axis=(0, 0, 1))
    assert model.joint("link1_step") == Joint(
        *("link1_step", "fixed", "link1_start", "link1"), Placement((1, 0, 0))
    )
    assert model.joint("j2").origin == Placement((0, 0, 1))
    assert model.frame("tool").link == "link2"


def test_rows_may_name_their_joint_and_link_and_carry_what_joints_carry():
    row = {
        "name": "shoulder",
        "link": "upper_arm",
        "d": 0.3,
        "mass": 2,
        "shape": {"kind": "rod", "length": 0.5, "frame": "end"},
        "limits": {"lower": -1, "upper": 1},
        "friction": {"viscous": 0.1},
        "motor": {"rotor_inertia": 0.01},
    }
    model = from_dh([row], "standard", name="arm").model
    assert model.name == "arm"
    assert model.joint_names == ("shoulder",)
    assert model.link("upper_arm").inertial.com == (-0.25, 0, 0)
    joint = model.joint("shoulder")
    assert (joint.limits.upper, joint.friction.viscous, joint.motor.rotor_inertia) == (1, 0.1, 0.01)


def test_a_frame_or_a_link_named_tool_replaces_the_last_frame():
    moved = {"name": "tool", "link": "link1", "xyz": [0, 0, 0.1]}
    model = from_dh([{"a": 1, "mass": 1}], "standard", frame=[moved]).model
    assert model.frame("tool").placement == Placement((0, 0, 0.1))
    model = from_dh([{"a": 1, "mass": 1, "link": "tool"}], "standard").model
    assert model.frame_names == ("base", "tool_start", "tool")


def test_more_may_hang_on_the_arm_and_the_base_may_have_mass():
    model = from_dh(
        [{"a": 1, "mass": 1}],
        "standard",
        gravity=(0, -9.81, 0),
        link=[{"name": "base", "mass": 5}, {"name": "hand", "mass": 0.1}],
        joint=[{"name": "weld", "type": "fixed", "parent": "link1", "child": "hand"}],
    ).model
    assert model.links[0] == Link("base", Inertial(5))
    assert model.link("hand").inertial.mass == 0.1
    assert model.gravity == (0, -9.81, 0)


def test_offset_is_another_word_for_theta_or_d():
    for kind, key in (("revolute", "theta"), ("prismatic", "d")):
        one = from_dh([{"type": kind, key: 0.4, "a": 1, "mass": 1}], "modified").model
        other = from_dh([{"type": kind, "offset": 0.4, "a": 1, "mass": 1}], "modified").model
        assert one == other


TABLE = """\
name = "arm"
convention = "modified"

[[dh]]
a = 0.5
mass = 1

[[dh]]
type = "p"
offset = 0.2
mass = 2
com = [0, 0, 0.1]
"""


def test_a_table_in_toml_is_the_table_in_python():
    rows = [{"a": 0.5, "mass": 1}, {"type": "p", "offset": 0.2, "mass": 2, "com": [0, 0, 0.1]}]
    written = read_document(tomllib.loads(TABLE), "robot")
    assert written == from_dh(rows, "modified", name="arm").model
    assert read_document(dh_document(rows, "modified", name="arm"), "robot") == written


def test_inertia_about_a_dh_frame_is_that_of_the_body():
    """A point at (−l/2, 0, 0) in a standard frame sits halfway along the link."""
    tree = from_dh([{"a": 2, "mass": 3, "com": [-1, 0, 0]}], "standard").tree
    assert tree.bodies[0].inertia.h.tolist() == [3, 0, 0]
    R = from_rpy((math.pi / 2, 0, 0))
    row = {"a": 2, "alpha": math.pi / 2, "mass": 3, "inertia": [1, 2, 2.5]}
    turned = from_dh([row], "standard").tree
    expected = Inertia.about_com(3, (2, 0, 0), R @ np.diag([1, 2, 2.5]) @ R.T)
    assert_close(turned.bodies[0].inertia.parameters, expected.parameters)


# refusals


@pytest.mark.parametrize("convention", ["Standard", "craig", 3])
def test_the_convention_is_never_assumed(convention):
    with pytest.raises(BadArgument) as error:
        from_dh([{"a": 1}], convention)
    assert str(error.value) == (
        f"convention is {convention!r}; it must be 'standard' or 'modified'.\n"
        "  The same rows describe different arms in the two; see docs/conventions.md."
    )


@pytest.mark.parametrize("convention", [(), ("",), (None,)])
def test_a_table_without_a_convention_is_told_so(convention):
    with pytest.raises(BadArgument, match="No convention is given; it must be 'standard' or"):
        from_dh([{"a": 1}], *convention)


@pytest.mark.parametrize("row", [(0, 0, 1, 0), [0.1, 0, 0, 0], 3, "a"])
def test_bare_numbers_are_refused(row):
    with pytest.raises(BadArgument) as error:
        from_dh([{"a": 1}, row], "standard")
    assert str(error.value) == (
        f"DH row 1 is {row!r}; the order of bare numbers differs from book to book.\n"
        "  Name them: {'theta': 0, 'd': 0, 'a': 1, 'alpha': 0, 'mass': 1, ...}."
    )


def problems_of(text):
    with pytest.raises(BadRobot) as error:
        read_document(tomllib.loads(text), "arm", line_finder(text))
    return [str(problem) for problem in error.value.problems]


@pytest.mark.parametrize("row", refusals("document")["dh"], ids=lambda row: row["words"])
def test_a_wrong_row_is_named_with_its_line(row):
    assert row["old"] in TABLE
    found = problems_of(TABLE.replace(row["old"], row["new"], 1))
    assert any(problem.startswith(row["words"]) for problem in found), found


def test_a_table_without_rows_is_no_robot():
    with pytest.raises(BadRobot, match="it has no links"):
        from_dh([], "standard")
