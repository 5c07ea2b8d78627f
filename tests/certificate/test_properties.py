"""Properties of the dynamics: proved where possible, sampled where not, and failing when false."""

import numpy as np
import pytest
from faults import ticking
from hypothesis import given
from hypothesis import strategies as st
from long import long
from made import ARM
from random_trees import grown

import qddot
from qddot.certificate.bound import box_of
from qddot.certificate.properties import can_exist, consistency, identities, inequalities, sampled
from qddot.model.link import Inertial


def test_identities_of_a_textbook_arm_are_proved():
    arm = qddot.load("two_link")
    found = {p.name: p for p in identities(arm, box_of(arm))}
    assert set(found) >= {
        *("symmetry", "dependence", "formulations", "quadratic", "skewness"),
        *("passivity", "gravity", "energy", "linearity"),
    }
    assert all(p.holds and p.how == "proved" for p in found.values())
    assert "compared exactly" in found["skewness"].evidence


@pytest.mark.parametrize("name", ["scara", "mass_spring_damper", *long("panda", "panda_hand")])
def test_sampled_identities_hold_on_real_arms(name):
    arm = qddot.load(name)
    box = box_of(arm, dict.fromkeys(arm.joint_names, (-1, 1)))
    for p in sampled(arm, box, "because"):
        assert p.holds, p
        assert p.how == "sampled"
        assert "1,000 states" in p.evidence
        assert "because" in p.evidence


@pytest.mark.long
def test_a_robot_too_large_for_exact_proofs_is_sampled_and_says_so():
    arm = qddot.Robot(grown(np.random.default_rng(0), list(range(12))))
    box = box_of(arm, dict.fromkeys(arm.joint_names, (-1, 1)))
    found = list(identities(arm, box))
    assert {p.how for p in found} == {"sampled"}
    assert all(p.holds for p in found)
    assert all("closed form" in p.evidence for p in found)


def test_a_wrong_kernel_would_be_found():
    class Wrong(qddot.Robot):
        def coriolis_matrix(self, q, qd, **more):
            return 1.001 * super().coriolis_matrix(q, qd, **more)

    arm = Wrong(ARM.model)
    found = {p.name: p.holds for p in sampled(arm, box_of(arm), "")}
    assert found["symmetry"]
    assert not found["skewness"]
    assert not found["passivity"]


# bodies that can exist


def inertial(mass, xx, yy, zz, xy=0.0, xz=0.0, yz=0.0):
    return Inertial(mass, (0, 0, 0), (xx, xy, xz, yy, yz, zz))


@pytest.mark.parametrize(
    ("body", "exists"),
    [
        (inertial(1.0, 0.1, 0.1, 0.1), True),
        (inertial(1.0, 0.1, 0.1, 0.2), True),  # a flat one: exactly on the border
        (inertial(1.0, 0, 0.1, 0.1), True),  # a rod
        (inertial(1.0, 0, 0, 0), True),  # a point
        (inertial(0, 0, 0, 0), True),
        (inertial(1.0, 0.1, 0.1, 0.2000001), False),
        (inertial(1.0, 0.1, 0.1, 0.1, xy=0.2), False),
        (inertial(-1.0, 0.1, 0.1, 0.1), False),
        (inertial(0, 0.1, 0.1, 0.1), False),
        (inertial(1.0, -0.1, 0.1, 0.1), False),
    ],
)
def test_whether_a_body_can_exist_is_decided_exactly(body, exists):
    assert can_exist(body) == exists


@given(seed=st.integers(0, 2**16), points=st.integers(1, 6))
def test_clouds_of_masses_can_exist(seed, points):
    """Whole numbers, so that the border is met exactly."""
    rng = np.random.default_rng(seed)
    r = rng.integers(-5, 6, (points, 3))
    r = np.concatenate([r, -r])  # about their own centre
    J = r.T @ r
    I = np.trace(J) * np.eye(3, dtype=int) - J
    moments = (I[0, 0], I[0, 1], I[0, 2], I[1, 1], I[1, 2], I[2, 2])
    assert can_exist(Inertial(2 * points, (0, 0, 0), tuple(int(x) for x in moments)))


def test_every_link_of_the_library_is_judged():
    assert consistency(qddot.load("panda")).how == "proved"
    heavy = qddot.load("panda").with_payload("panda_link7", 1.0, (0, 0, 0), (0.1, 0.1, 0.21))
    found = consistency(heavy)
    assert not found.holds
    assert "payload at panda_link7" in found.evidence


# inequalities


def made(quantity, lower, upper, closed=True):
    from qddot.certificate.bound import Bound

    return Bound(quantity, lower, upper, "sup", (0.0, 0.0), "", closed, 0.0, {})


def test_what_bounds_say_and_what_they_leave_open():
    def verdicts(*bounds):
        return {p.name: p.holds for p in inequalities({b.quantity: b for b in bounds})}

    least, most = made("M.eigenvalue.min", 0.5, 0.6), made("M.eigenvalue.max", 2.0, 2.1)
    assert verdicts(least, most)["positive definite"] is True
    assert verdicts(least, most)["condition"] is True
    assert verdicts(made("M.eigenvalue.min", -0.1, 0.6))["positive definite"] is None
    assert verdicts(made("M.eigenvalue.min", -0.2, -0.1))["positive definite"] is False
    assert verdicts(made("g.effort", 0.7, 0.8))["holding"] is True
    assert verdicts(made("g.effort", 0.9, 1.1))["holding"] is None
    assert verdicts(made("g.effort", 1.1, 1.2))["holding"] is False


# springs, and time that is over


def test_sampled_linearity_sees_springs():
    """Y φ and the springs against τ; a spring that τ forgets is found."""

    class Forgetful(qddot.Robot):
        def inverse_dynamics(self, *state, **more):
            return qddot.Robot(self.model).without("springs").inverse_dynamics(*state, **more)

    arm = qddot.load("mass_spring_damper")
    box = box_of(arm, dict.fromkeys(arm.joint_names, (-1, 1)))
    assert {p.name: p.holds for p in sampled(arm, box, "")}["linearity"]
    assert not {p.name: p.holds for p in sampled(Forgetful(arm.model), box, "")}["linearity"]


def test_identities_without_time_are_sampled_or_open():
    arm = qddot.load("two_link")
    found = {p.name: p for p in identities(arm, box_of(arm), seconds=0.0)}
    assert found["energy"].how == "sampled"
    assert "not decided in the time given" in found["energy"].evidence
    assert found["formulations"].holds is None
    assert found["formulations"].how == "open"


def test_exact_work_ends_with_its_time(monkeypatch):
    """On a clock that ticks with each product of polynomials, none comes after the last tick."""
    from qddot.equations import polynomial, proofs

    ticks = ticking(monkeypatch, polynomial, proofs)
    proof = proofs.prove(qddot.load("panda"), seconds=500)
    assert next(ticks) < 1000  # a few more for looking at the clock
    assert proof.holds is None
    assert {claim.holds for claim in proof.claims} == {None}
    assert "not decided in the time given" in str(proof)
