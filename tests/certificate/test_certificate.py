"""The certificate as a whole: what it says, keeps and finds forged; and its command."""

import json

import numpy as np
import pytest
from command_line import run
from faults import interrupted
from made import ARM

import qddot
from qddot.certificate.bound import box_of
from qddot.certificate.bounds import bounds, bounds_over_joint
from qddot.certificate.problems import QUANTITIES, BoundProblems, joint_bounds


@pytest.fixture(scope="module")
def whole():
    return qddot.certify(ARM, seconds=3600)  # one is enough on a quiet core


def test_the_decks_arm_has_the_decks_bounds(whole):
    """SPEC G3, G4, G6, G7: enclosed, and to a millionth."""
    expected = {
        "M.eigenvalue.min": 6.23992001,
        "M.eigenvalue.max": 161.26007999,
        "M.norm1.min": 47.5,
        "M.norm1.max": 192.5,
        "M.norm2.max": 161.26007999,
        "c.norm1": 25.0,
        "c.norm2": 1.6444905 * 25,
        "c.crude": 4 * 25.0,
        "g.norm1": 1226.25,
        "g.j1": 981.0,
        "g.j2": 245.25,
    }
    for name, value in expected.items():
        bound = whole[name]
        assert bound.lower <= value * (1 + 2e-8), name  # the figures have eight digits
        assert bound.upper >= value * (1 - 2e-8), name
        assert bound.gap <= 1e-6, name
        assert bound.closed
    assert whole.holds


def test_limits_of_a_quarter_turn_raise_the_least_norm():
    limited = qddot.certify(ARM, box={"j2": (-np.pi / 2, np.pi / 2)}, norm=1)
    assert limited["M.norm1.min"].lower == pytest.approx(117.5, rel=1e-6)
    assert limited["M.norm1.min"].upper >= 117.5
    assert not [name for name in limited.bounds if "norm2" in name or "normF" in name]


def test_friction_is_bounded_by_its_largest_coefficient():
    """SPEC D6."""
    rubbed = qddot.certify(ARM.with_friction(viscous=[30, 80]), quantities=["D.norm2"])
    assert rubbed["D.norm2"].lower <= 80 <= rubbed["D.norm2"].upper
    assert rubbed["D.norm2"].gap < 1e-12


def test_a_certificate_tells_how_each_thing_is_known(whole):
    text = str(whole)
    for words in ("proved: zero polynomials", "certified: 6.2399", "μ₂ = max λ(M)", "1226.25"):
        assert words in text
    assert "<script" not in whole._repr_html_()
    how = {p.name: p.how for p in whole.properties}
    assert how["skewness"] == "proved"
    assert how["positive definite"] == "certified"
    assert how["singularities"] == "sampled"


def test_a_stretched_arm_is_singular_and_that_is_no_fault(whole):
    singular = next(p for p in whole.properties if p.name == "singularities")
    assert singular.holds is False
    assert not singular.needed


def test_what_is_saved_can_be_checked_and_a_forgery_is_found(tmp_path, whole):
    path = tmp_path / "arm.json"
    whole.save(path)
    again = qddot.Certificate.load(path)
    assert again.box == whole.box
    assert {n: (b.lower, b.upper) for n, b in again.bounds.items()} == {
        n: (b.lower, b.upper) for n, b in whole.bounds.items()
    }
    assert again.check().holds
    data = json.loads(path.read_text())
    for name, end, factor in (
        ("g.norm1", "upper", 0.99),
        ("M.eigenvalue.min", "lower", 1.1),
        ("c.norm2", "upper", 0.98),
        ("M.norm1.max", "lower", 1.01),
    ):
        forged = json.loads(path.read_text())
        forged["bounds"][name][end] = data["bounds"][name][end] * factor
        (tmp_path / "forged.json").write_text(json.dumps(forged))
        with pytest.raises(qddot.QddotError):
            qddot.Certificate.load(tmp_path / "forged.json").check()


def test_another_robot_in_the_file_is_found(tmp_path, whole):
    path = tmp_path / "arm.json"
    whole.save(path)
    text = path.read_text()
    assert "mass = 50" in text
    path.write_text(text.replace("mass = 50", "mass = 60"))
    with pytest.raises(qddot.QddotError):
        qddot.Certificate.load(path).check()


@pytest.mark.parametrize(
    "text", ["", "{}", "[1, 2]", '{"format": 1}', "\x00\xff", '{"format": 99}']
)
def test_what_is_no_certificate_is_refused(tmp_path, text):
    path = tmp_path / "bad.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(qddot.QddotError, match="it is not a certificate"):
        qddot.Certificate.load(path)


def test_a_bound_may_be_followed_along_a_sliding_joint():
    """M₁₁ of the RP arm grows with d²: SPEC's bounds that depend on a prismatic coordinate."""
    rp = qddot.load("rp")
    joint = rp.joint_names[1]
    reach = np.linspace(0.2, 1.0, 4)
    curve = bounds_over_joint(rp, "M.eigenvalue.max", joint, reach)
    q = np.stack([0 * reach, reach], axis=1)
    exact = np.linalg.eigvalsh(rp.mass_matrix(q))[:, -1]
    for bound, value in zip(curve, exact, strict=True):
        assert bound.lower <= value * (1 + 1e-12)
        assert value <= bound.upper
        assert bound.gap < 1e-5


# the command


def test_certify_prints_saves_and_checks(tmp_path):
    path = tmp_path / "rp.json"
    done = run("certify", "rp", "-o", path, "--norm", "1")
    assert done.returncode == 0, done.stderr
    assert "g_b = max ‖g‖₁" in done.stdout
    checked = run("certify", "--check", path)
    assert checked.returncode == 0, checked.stderr
    assert "every bound follows from its proof" in checked.stdout
    facts = json.loads(path.read_text())
    facts["bounds"]["g.norm1"]["upper"] *= 0.9
    path.write_text(json.dumps(facts))
    forged = run("certify", "--check", path)
    assert forged.returncode == 1
    assert "g.norm1" in forged.stderr


def test_certify_says_the_same_to_machines():
    done = run("certify", "two_link", "--box", "j2=-pi/2:pi/2", "--norm", "1", "--json")
    facts = json.loads(done.stdout)
    assert facts["bounds"]["M.norm1.min"]["lower"] == pytest.approx(117.5, rel=1e-6)
    assert facts["holds"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "Give a robot to certify, or a saved certificate"),
        (["two_link", "--box", "j2"], "joint=low:high"),
        (["two_link", "--box", "j2=1:x"], "--box j2"),
        (["two_link", "-o", "a.toml"], "A certificate is written as"),
        (["--check", "nothing.json"], "it cannot be read"),
    ],
)
def test_bad_words_of_certify_are_refused(words, message):
    done = run("certify", *words)
    assert done.returncode == 2
    assert message in done.stderr


# what a second look found


def test_a_certificate_for_another_box_or_quantity_is_found(tmp_path):
    path = tmp_path / "arm.json"
    small = qddot.certify(ARM, box={"j2": (-0.5, 0.5)}, quantities=["g.norm1", "g.norm2"])
    small.save(path)
    wider = json.loads(path.read_text())
    wider["box"]["upper"][1] = 3.2
    swapped = json.loads(path.read_text())
    swapped["bounds"] = {
        "g.norm1": swapped["bounds"]["g.norm2"],
        "g.norm2": swapped["bounds"]["g.norm1"],
    }
    garbled = json.loads(path.read_text())
    garbled["bounds"]["g.norm1"]["attained_at"] = [None, None]
    for forged in (wider, swapped, garbled):
        path.write_text(json.dumps(forged))
        with pytest.raises(qddot.QddotError):
            qddot.Certificate.load(path).check()


def test_a_joint_may_be_held_at_one_position():
    held = qddot.certify(ARM, box={"j2": 0.3})
    M = ARM.mass_matrix([0.0, 0.3])
    assert held["M.eigenvalue.max"].lower <= np.linalg.eigvalsh(M)[-1] * (1 + 1e-12)
    assert held["M.eigenvalue.max"].gap < 1e-5
    assert "C.norminf" in held.bounds


def test_a_search_without_time_leaves_things_open_and_fails_nothing():
    hurried = qddot.certify(ARM, seconds=0.0)
    assert hurried.holds
    for bound in hurried.bounds.values():
        assert bound.lower <= bound.upper


def test_an_interrupt_starts_no_exact_proof_and_keeps_the_bounds(monkeypatch):
    from qddot.certificate import certificate, problem

    with monkeypatch.context() as during_the_proofs:
        during_the_proofs.setattr(certificate, "properties", interrupted)
        found = qddot.certify(ARM, quantities=["g.norm2", "M.norm1.max"])
    assert set(found.bounds) == {"g.norm2", "M.norm1.max"}
    assert "physical consistency" in {p.name for p in found.properties}

    monkeypatch.setattr(problem, "prove", interrupted)
    found = qddot.certify(ARM, quantities=["M.norm1.max", "c.norm1"])
    assert list(found.bounds) == ["M.norm1.max"]
    assert "skewness" not in {p.name for p in found.properties}


@pytest.mark.parametrize(
    ("field", "value"), [("unit", "N"), ("unit", ""), ("closed", False), ("closed", 1)]
)
def test_a_forged_unit_or_closed_is_refused(tmp_path, field, value):
    path = tmp_path / "arm.json"
    qddot.certify(ARM, quantities=["g.norm1"], identities=False).save(path)
    facts = json.loads(path.read_text())
    assert facts["bounds"]["g.norm1"][field] != value or value == 1
    facts["bounds"]["g.norm1"][field] = value
    path.write_text(json.dumps(facts))
    with pytest.raises(qddot.QddotError, match="its unit, or whether it is as narrow as asked"):
        qddot.Certificate.load(path).check()


def test_a_wide_bound_that_says_it_is_closed_is_refused(tmp_path):
    path = tmp_path / "arm.json"
    qddot.certify(ARM, quantities=["c.norm2"], seconds=0.0, identities=False).save(path)
    facts = json.loads(path.read_text())
    assert not facts["bounds"]["c.norm2"]["closed"]
    facts["bounds"]["c.norm2"]["closed"] = True
    path.write_text(json.dumps(facts))
    with pytest.raises(qddot.QddotError, match="its unit, or whether it is as narrow as asked"):
        qddot.Certificate.load(path).check()


def test_identities_may_be_left_out_and_stay_out_when_checked(tmp_path):
    path = tmp_path / "arm.json"
    found = qddot.certify(ARM, quantities=["g.norm1"], identities=False)
    found.save(path)
    for each in (found, qddot.Certificate.load(path).check()):
        names = {p.name for p in each.properties}
        assert "energy" not in names
        assert "physical consistency" in names


@pytest.mark.parametrize("names", [("norm1", "effort"), ("norm2", "joint.norm2")])
def test_joints_may_be_called_like_bounds(names):
    def arm(*names):
        rows = [{"a": 1.0, "mass": 1.0, "name": name} for name in names]
        rows[1] |= {"type": "prismatic"}
        return qddot.from_dh(rows, "standard", gravity=(0, -9.81, -3.0))

    mine, plain = arm(*names), arm("k0", "k1")
    own = list(joint_bounds(mine))
    assert not set(own) & set(QUANTITIES)
    box = [(-1, 1), (-1, 1)]
    assert BoundProblems(mine, box_of(mine, box)).applicable()[-2:] == own
    found = bounds(mine, ["g.norm1", *own], box=box)
    other = bounds(plain, ["g.norm1", "g.k0", "g.k1"], box=box)
    for a, b in zip(found.values(), other.values(), strict=True):
        assert (a.unit, a.lower, a.upper) == (b.unit, b.lower, b.upper)
    assert [bound.unit for bound in found.values()] == ["", "N·m", "N"]
