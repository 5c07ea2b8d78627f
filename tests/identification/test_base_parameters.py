"""What can be known of an arm's parameters: counted, grouped, and told in words."""

import json
from dataclasses import replace

import numpy as np
import pytest
import sympy
from long import long, one_in
from nearness import assert_near

import qddot
from qddot.errors import BadArgument, NoValues
from qddot.identification.base_parameters import (
    base_regressor,
    groups,
    identifiable,
)
from qddot.identification.identifiability import Identifiability
from qddot.identification.regression import Regression
from qddot.identification.solution import least_squares
from qddot.model import Limits
from qddot.readers.read import built_in_names

NUMERIC = [name for name in built_in_names() if not name.endswith("_symbolic")]
ROOTS = ("baxter", "so101", "panda_hand", "kinova_jaco")  # angles whose sines are not rational
SAME_ANSWER = 1e-9  # exact and numerical coefficients
ALPHA = ["α1", "α2", "α3", "α4", "α5"]
TRUTH = np.array([25, 22.5, 50, 25, 22.5])  # m1 aC1, m1 aC1² + I1, m2, m2 aC2, m2 aC2² + I2


@pytest.fixture(scope="module")
def planar():
    """The two-link arm of the lecture's five-parameter regressor: Y, in symbols, and torques."""
    q1, q2, v1, v2, a, b, a1, g = sympy.symbols("q1 q2 qd1 qd2 qdd1 qdd2 a1 g")
    cos, sin = sympy.cos, sympy.sin
    coupled = a1 * cos(q2) * (2 * a + b) - a1 * sin(q2) * (v2**2 + 2 * v1 * v2)
    Y = sympy.Matrix(
        [
            [g * cos(q1), a, a1 * g * cos(q1) + a1**2 * a, coupled + g * cos(q1 + q2), a + b],
            [0, 0, 0, a1 * cos(q2) * a + a1 * sin(q2) * v1**2 + g * cos(q1 + q2), a + b],
        ]
    )
    robot = qddot.load("two_link")
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-2, 2, (3, 40, 2))
    numbers = sympy.lambdify((q1, q2, v1, v2, a, b), Y.subs({a1: 1, g: 9.81}), "numpy")
    rows = [numbers(*x, *v, *w) for x, v, w in zip(q, qd, qdd, strict=True)]
    return Y, np.array(rows, dtype=float), robot.inverse_dynamics(q, qd, qdd)


def bare(name):
    return qddot.load(name).without("friction", "rotor_inertia")


@pytest.mark.parametrize(
    ("name", "count"),
    [("ur3", 36), ("panda", 43), *long(("ur5", 36), ("ur10", 36), ("puma560", 36), ("iiwa14", 43))],
)
def test_rigid_arms_have_the_base_parameters_that_the_literature_counts(name, count):
    assert identifiable(bare(name)).rank == count


def test_an_arm_in_modified_dh_has_36():
    """The geometry of a Stäubli TX40."""
    lengths = [(0, 0, 0), (0, 0, -1), (0.035, 0.225, 0), (0.225, 0, 1), (0, 0, -1), (0.065, 0, 1)]
    rows = [
        {"d": d, "a": a, "alpha": f"{turn}*pi/2", "mass": 1, "inertia": [1, 1, 1]}
        for d, a, turn in lengths
    ]
    arm = qddot.from_dh(rows, "modified")
    assert identifiable(arm).rank == identifiable(arm, exact=True).rank == 36


def test_the_puma_has_58_with_rotors_and_friction():
    """36 rigid, four rotors (those of joints 1 and 2 join Izz), and three of friction a joint."""
    found = identifiable(qddot.load("puma560"))
    assert found.rank == 36 + 4 + 3 * 6
    assert [name for name in found.alone if name.endswith(".Ia")] == [
        f"j{k}.Ia" for k in (3, 4, 5, 6)
    ]
    assert "j1.Ia" in found.groups[0].members


@pytest.mark.parametrize("name", one_in(4, [x for x in NUMERIC if x not in ROOTS]))
def test_numbers_and_exact_algebra_find_the_same_groups(name):
    robot = qddot.load(name)
    numeric = identifiable(robot, limits=False)
    exact = identifiable(robot, exact=True)
    assert exact.columns.kept == numeric.columns.kept
    assert exact.none == numeric.none
    assert_near(numeric.B, exact.B, tolerance=SAME_ANSWER)


@pytest.mark.parametrize("name", ["scara", "rp", "stanford", *long("panda", "panda_hand", "z1")])
def test_the_base_regressor_gives_the_torques_with_fewer_columns(name):
    """Y φ = Y_b B φ, whatever φ is."""
    robot, rng = qddot.load(name), np.random.default_rng(3)
    states = rng.uniform(-1, 1, (3, 5, robot.n))
    Y_b, known = base_regressor(robot), identifiable(robot, limits=False)
    columns, whole = Y_b(*states), robot.regressor(*states)
    assert columns.shape == (5, robot.n, known.rank)
    for phi in (robot.parameters, rng.normal(size=whole.shape[-1])):
        assert_near(columns @ (known.B @ phi), whole @ phi, np.abs(whole) @ np.abs(phi))
    assert np.linalg.matrix_rank(columns.reshape(-1, known.rank)) <= known.rank < whole.shape[-1]
    # all products of the arm that turns and slides are needed for its six columns
    assert len(Y_b.program) < len(robot.program("regressor")) or name == "rp"
    assert_near(Y_b(*states[:, 0].copy()), columns[0])
    more = base_regressor(robot, terms=("friction",))(*states)
    assert more.shape[-1] == identifiable(robot, terms=("friction",), limits=False).rank


def test_the_base_regressor_of_symbols_asks_for_values():
    with pytest.raises(NoValues):
        base_regressor("two_link_symbolic")


def test_a_symbolic_arm_is_told_in_its_own_symbols():
    found = identifiable(qddot.load("two_link_symbolic"))
    assert found.base_names[:3] == ("j1.mx + a1·j2.m", "j1.my", "j1.Izz + a1²·j2.m")
    assert found.why("j2.m") == (
        "j2.m alone cannot be known, because it only acts together with j1.mx, j1.Izz: "
        "torques show j1.mx + a1·j2.m and j1.Izz + a1²·j2.m."
    )
    assert found.why("j2.mx") == "j2.mx can be known."
    assert found.why("j1.m") == "j1.m cannot be known: it acts on no torque at any state."
    assert "No effect at all: j1.m, j1.mz" in str(found)
    assert "j1.mx + a1·j2.m" in str(found)


def test_a_sliding_joint_shows_its_mass_and_hides_its_inertia():
    found = identifiable(qddot.load("rp_symbolic"))
    assert "j2.m" in found.alone
    assert "j1.Izz + j2.Iyy" in found.base_names


def test_an_offset_hides_behind_a_constant_weight():
    """A joint that slides upwards feels its weight as a constant, as it does an offset."""
    lift = qddot.from_dh([{"type": "prismatic", "mass": 2}], "standard").with_friction(offset=1.0)
    for exact in (True, False):
        found = identifiable(lift, exact=exact)
        assert found.rank == 2  # the mass is known from its acceleration
    still = identifiable(lift, hold={"j1": 0.1})
    assert still.base_names == ("j1.m + 0.1019·j1.f0",)
    assert still.lost == ("j1.f0",)


def test_lengths_may_be_given_names():
    found = identifiable(qddot.load("two_link"), symbols={"a1": 1.0, "L": 0.5})
    assert found.groups[0].text == "j1.mx + j2.m"  # a length of 1 needs no name
    Y = np.random.default_rng(0).normal(size=(9, 2))
    Y = np.column_stack([Y, 0.3 * Y[:, 0] - 0.6 * Y[:, 1]])
    found = groups(Y, ["x", "y", "z"], symbols={"a": 0.3})
    assert found.base_names == ("x + a·z", "y - 2·a·z")


def test_a_held_joint_and_a_log_show_less():
    robot = bare("ur5").with_friction(viscous=1.0)
    free, held = identifiable(robot), identifiable(robot, hold={"shoulder_pan_joint": 1.0})
    assert held.rank < free.rank
    assert len(held.lost) == free.rank - held.rank
    assert "shoulder_pan_joint.fv" in held.lost
    assert "Not shown with joints held, though the robot has it:" in str(held)
    slow = np.linspace(0, 1, 200)[:, None] * np.ones(6)
    log = identifiable(robot, (slow, 0 * slow, 0 * slow))
    assert log.rank < held.rank
    assert "in this log" in str(log)


def test_narrow_limits_make_the_regressor_worse():
    robot = bare("ur5")
    wide = identifiable(robot, limits=False)
    narrow = robot.model.with_joints(
        lambda j: replace(j, limits=Limits(-0.1, 0.1, 0.2)) if j.moves else j
    )
    found = identifiable(qddot.Robot(narrow))
    assert found.rank == wide.rank
    assert found.condition > 3 * wide.condition
    assert found.elsewhere == wide.condition


def test_the_five_parameter_regressor_is_refused_with_its_four_groups(planar):
    symbolic, Y, tau = planar
    told = groups(symbolic, ALPHA, constants=["a1", "g"])
    assert told.rank == 4
    assert told.sentence == "α1 + a1·α3, α2 + a1²·α3, α4, α5 identifiable"
    with pytest.raises(BadArgument) as error:
        least_squares(Y, tau, ALPHA, identifiability=told)
    assert str(error.value) == (
        "YᵀY has no inverse: rank 4 of 5. α1 + a1·α3, α2 + a1²·α3, α4, α5 identifiable.\n"
        "  α3 alone cannot be known, because it only acts together with α1, α2: "
        "torques show α1 + a1·α3 and α2 + a1²·α3.\n"
        "  Solve for these groups: base=True."
    )


def test_the_pseudo_inverse_gives_other_numbers_but_the_base_parameters_are_right(planar):
    _, Y, tau = planar
    rows, right = Y.reshape(-1, 5), tau.reshape(-1)
    assert_near(rows @ TRUTH, right)
    smallest = np.linalg.pinv(rows) @ right
    assert smallest == pytest.approx([25.8333, 23.3333, 49.1667, 25, 22.5], abs=5e-5)
    found = least_squares(Y, tau, ALPHA, base=True)
    assert_near(found.values, [75, 72.5, 25, 22.5])
    assert found.names == ("α1 + α3", "α2 + α3", "α4", "α5")
    assert found.relative_error < 1e-12


def test_the_answer_is_plain_data():
    for found in (identifiable(qddot.load("scara")), identifiable(qddot.load("rp_symbolic"))):
        data = json.loads(json.dumps(found.to_dict()))
        assert data["rank"] == found.rank
        assert len(data["groups"]) == found.rank
        assert set(data["together"]) == set(found.together)
        assert isinstance(found, Identifiability)


def test_the_answer_is_the_same_every_time():
    robot = qddot.load("ur5")
    assert str(identifiable(robot)) == str(identifiable(robot))


def test_terms_that_a_model_lacks_can_be_added():
    names = Regression.of(qddot.load("ur5"), ("friction", "Ia", "offset")).names
    assert names[-4:] == tuple(f"wrist_3_joint.{x}" for x in ("Ia", "fv", "fs", "f0"))
    with pytest.raises(BadArgument, match=r"There is no term 'viscos'. Did you mean 'viscous'\?"):
        Regression.of(qddot.load("ur5"), ("viscos",))


def test_wrong_regressors_are_refused():
    with pytest.raises(BadArgument, match="2 names for 3 columns"):
        groups(np.ones((4, 3)), ["a", "b"])
    with pytest.raises(BadArgument, match=r"Y is nan at index .*; it must be finite"):
        groups([[1.0, np.nan]])
    with pytest.raises(BadArgument, match="must have rows and columns"):
        groups([1.0, 2.0])
    with pytest.raises(BadArgument, match="3 torques for 4 rows"):
        least_squares(np.eye(4), [1, 2, 3])
    with pytest.raises(BadArgument, match=r"sqrt\(2\) in its geometry are not available"):
        identifiable(qddot.load("panda_hand"), exact=True)
    with pytest.raises(BadArgument, match="holds at every state"):
        identifiable(qddot.load("rp_symbolic"), hold={"j1": 0})
