"""Joints that follow others, in closed form: any offset, whole ratios, one behind the other."""

from fractions import Fraction

import numpy as np
import pytest
from long import one_in
from nearness import ROUND_OFF
from numpy.testing import assert_allclose

import qddot
from qddot.equations.values import many_digits, value_at
from qddot.errors import BadArgument
from qddot.model import Inertial, Joint, Link, Mimic, Placement, build
from qddot.robot import Robot
from qddot.scalars.expressions import PI_EXPRESSION, symbol

AXES = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (0, -1, 0))
OFFSETS = (0.0, 0.3, -1.1, 2.05, 0.7, -0.02, np.pi / 2, -np.pi, 0.123456)


def inertial(rng) -> Inertial:
    xx, yy, zz, mass, x, y, z = rng.uniform(0.1, 0.15, 7).round(3).tolist()
    return Inertial(mass, (x, y, z), (xx, 0, 0, yy, 0, zz))


def following(seed: int) -> Robot:
    """Return an arm of up to four joints, of which the later ones follow earlier ones."""
    rng = np.random.default_rng(seed)
    links, joints = [Link("base")], []
    for i in range(int(rng.integers(2, 5))):
        kind = "prismatic" if rng.random() < 0.25 else "continuous"
        # a joint that turns by radians a metre of one that slides is followed too
        leader = f"j{rng.integers(i)}" if i and rng.random() < 0.7 else None
        ratio, offset = float(rng.choice([1, -1, 2, -2, 3])), float(rng.choice(OFFSETS))
        turned = Placement(
            tuple(rng.uniform(-1, 1, 3).round(2)), (0, float(rng.choice(OFFSETS)), 0)
        )
        links.append(Link(f"l{i}", inertial(rng)))
        mimic = Mimic(leader, ratio, offset) if leader else None
        axis = AXES[rng.integers(4)]
        parent = f"l{i - 1}" if i else "base"
        joints.append(Joint(f"j{i}", kind, parent, f"l{i}", turned, axis, mimic=mimic))
    return Robot(build("following", links, joints, gravity=(1.0, -2.0, -9.0)))


def agrees(seed: int, formulation: str = "lagrange") -> None:
    robot = following(seed)
    eqs = qddot.derive(robot, formulation)
    q, qd, qdd = np.random.default_rng(seed).uniform(-2, 2, (3, robot.n))
    right = robot.inverse_dynamics(q, qd, qdd)
    # cos 27q, multiplied out, has huge terms that cancel: in seventy digits
    state = [[Fraction(x) for x in vector] for vector in (q, qd, qdd)]
    with many_digits():
        found = [float(value_at(x, state, {})) for x in eqs.tau]
    assert_allclose(found, right, rtol=0, atol=ROUND_OFF * max(1, np.abs(right).max()))


@pytest.mark.parametrize("seed", one_in(3, range(12)))
def test_the_closed_form_of_followers_is_what_the_kernels_compute(seed):
    agrees(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12, 160))
def test_the_closed_form_of_many_followers_is_what_the_kernels_compute(seed):
    agrees(seed)
    agrees(seed, "recursive")


def pair(ratio, offset=0.0, kind="continuous") -> Robot:
    """Return two links in a plane, the second of which follows the first."""
    rng = np.random.default_rng(1)
    links = [Link("base"), *(Link(f"l{i}", inertial(rng)) for i in (1, 2))]
    ahead = Placement((0.5, 0, 0), (0, 0, 0))
    first = Joint("lead", "continuous", "base", "l1", axis=(0, 0, 1))
    mimic = Mimic("lead", ratio, offset)
    second = Joint("behind", kind, "l1", "l2", ahead, (0, 0, 1), mimic=mimic)
    return Robot(build("pair", links, [first, second]))


SEVENTH = PI_EXPRESSION / 7


@pytest.mark.parametrize("offset", [0.3, -0.3, SEVENTH, symbol("phi")], ids=str)
def test_an_offset_stays_exact_and_everything_is_proved(offset):
    robot = pair(2, offset)
    assert qddot.prove(robot).holds
    if offset == 0.3:
        assert "cos(3/10)" in qddot.derive(robot).text("M")
        found = qddot.certify(robot, quantities=["M.norm1.max"])
        assert {p.how for p in found.properties if p.name == "energy"} == {"proved"}


def test_an_offset_typed_with_five_digits_is_read_as_what_was_meant():
    eqs = qddot.derive(pair(1, 1.5708))
    assert eqs.robot.notes == ("1.5708 rad at the offset of joint 'behind' was read as pi/2.",)
    assert eqs == qddot.derive(pair(1, np.pi / 2))


@pytest.mark.parametrize("verb", [qddot.derive, qddot.prove])
def test_a_ratio_that_is_not_whole_names_the_joint_and_the_remedy(verb):
    words = r"Joint 'behind' follows 'lead' by the ratio 1/2, .*\n.*robot.locked\({'behind': 0}\)"
    with pytest.raises(BadArgument, match=words):
        verb(pair(0.5))
    words = r"Joint 'behind' follows 'lead' by the ratio k, .*\n.*robot.with_values\(k=2\)"
    with pytest.raises(BadArgument, match=words):
        verb(pair(symbol("k")))
    assert qddot.prove(pair(symbol("k")).with_values(k=2)).holds
    assert qddot.prove(pair(0.5, kind="prismatic")).holds  # what slides may follow by any part


def test_a_certificate_of_a_ratio_that_is_not_whole_samples_what_it_cannot_prove():
    found = qddot.certify(pair(0.5), box={"lead": (-1, 1)}, quantities=["M.norm1.max"])
    assert found.holds
    energy = next(p for p in found.properties if p.name == "energy")
    assert energy.how == "sampled"
    assert "Joint 'behind' follows 'lead' by the ratio 1/2" in energy.evidence
