"""Exciting motions: at rest at the ends, within every limit, better than random, kept in files."""

import json
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from long import long
from made import ARM, PANDA
from nearness import CANCELLED

import qddot
from qddot.errors import BadFile
from qddot.identification import excitation, excitation_basis, excitation_search
from qddot.identification.excitation_basis import FourierBasis
from qddot.identification.excitation_files import curve_facts
from qddot.identification.excitation_limits import motion_limits
from qddot.identification.excitation_result import Excitation
from qddot.identification.excitation_use import used
from qddot.motions import Fourier

excite = partial(qddot.excite, terms=())

DIFFERENCES = 1e-5  # of central differences at a step of 1e-5 s
DENSE = 20_000

TWO_LINK = {"lower": -2.5, "upper": 2.5, "velocity": 3.0}
HANGS = 600  # [s]: a search ends by itself long before
BASES = [FourierBasis(7.0, 4), FourierBasis(10.0, 2)]


@pytest.fixture(scope="module")
def panda_motion() -> Excitation:
    return excite(PANDA, starts=1, seconds=HANGS)


@pytest.fixture(scope="module")
def small_motion() -> Excitation:
    return excite(ARM, limits=TWO_LINK, starts=2, seconds=HANGS)


def random_curve(basis: FourierBasis) -> Fourier:
    return basis.curve(np.random.default_rng(3).standard_normal((basis.size, 3)))


@pytest.mark.parametrize("basis", BASES)
def test_a_motion_rests_where_it_begins_and_ends_there(basis):
    curve = random_curve(basis)
    first, last = curve.at(0.0), curve.at(basis.period)
    np.testing.assert_allclose(first[0], last[0], rtol=0, atol=CANCELLED)
    for x in (*first[1:], *last[1:]):
        np.testing.assert_allclose(x, 0, rtol=0, atol=CANCELLED * 10)


@pytest.mark.parametrize("basis", BASES)
def test_a_motion_repeats_itself(basis):
    curve, t = random_curve(basis), np.linspace(0, basis.period, 41)
    for x, y in zip(curve.values(t), curve.values(t + 3 * basis.period), strict=True):
        np.testing.assert_allclose(x, y, rtol=0, atol=1e-8)


@pytest.mark.parametrize("basis", BASES)
def test_the_space_of_curves_is_linear_in_its_members(basis):
    X = np.random.default_rng(1).standard_normal((basis.size, 2))
    t = np.linspace(0, basis.period, 31)
    for B, x in zip(basis.matrices(t), basis.curve(X).values(t), strict=True):
        np.testing.assert_allclose(B @ X, x, rtol=0, atol=CANCELLED * 10)
    np.testing.assert_allclose(basis.curve(X).at(0.0)[0], X[0], rtol=0, atol=CANCELLED)


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("count", [40, 101])
def test_no_peak_is_above_its_bound(basis, count):
    """The bound of a few nodes holds at many more instants, and is not far off."""
    curve = random_curve(basis)
    t, factor = curve.nodes(count)
    dense = np.linspace(0, basis.period, DENSE)
    for coarse, fine in zip(curve.values(t), curve.values(dense), strict=True):
        bound = factor * np.abs(coarse).max(axis=0)
        assert (np.abs(fine).max(axis=0) <= bound * (1 + CANCELLED)).all()
    assert factor < 1.1


@pytest.mark.long
def test_a_panda_is_excited_better_than_at_random(panda_motion):
    """With a reduced budget; random motions are the best of 100 of each kind."""
    assert panda_motion.parameters == 50  # 43 inertial ones, 7 of friction
    assert panda_motion.random_condition >= 4 * panda_motion.condition
    assert panda_motion.start_condition >= 2 * panda_motion.condition
    assert panda_motion.finished, panda_motion.status
    assert (np.diff(panda_motion.history[:, 1]) < 0).all()


@pytest.mark.parametrize(
    ("name", "limits", "factor"),
    [("two_link", TWO_LINK, 2), *long(("scara", {"velocity": 2.0}, 4))],
)
def test_small_arms_are_excited_better_than_at_random(name, limits, factor):
    motion = excite(qddot.load(name), limits=limits, starts=2, seconds=HANGS)
    assert motion.gain >= factor
    assert not motion.violations()


def test_limits_are_kept_at_every_instant(panda_motion):
    limits = motion_limits(PANDA)
    t = np.linspace(0, panda_motion.period, DENSE)
    q, qd, qdd = panda_motion.at(t)
    assert ((limits.lower <= q) & (q <= limits.upper)).all()
    assert (np.abs(qd) <= limits.velocity).all()
    assert (np.abs(qdd) <= limits.acceleration).all()
    assert (np.abs(PANDA.inverse_dynamics(q, qd, qdd)) <= limits.effort).all()
    assert panda_motion.violations() == ()
    # and they are used: a timid motion shows little
    assert panda_motion.use.velocity.max() > 0.98


def test_the_margin_is_of_the_limits_of_the_model():
    limits, whole = motion_limits(PANDA, margin=0.1), motion_limits(PANDA, margin=0)
    model = [float(joint.limits.velocity) for joint in PANDA.model.free_joints]
    np.testing.assert_allclose(limits.velocity, 0.9 * np.array(model))
    np.testing.assert_allclose(limits.half, 0.9 * whole.half)
    assert limits.margin == pytest.approx(0.1)
    assert "accelerations are limited to 4 1/s" in limits.notes[0]


@pytest.mark.long
def test_torque_limits_are_kept_where_they_bind():
    weak = {"effort": {"panda_joint2": 45.0, "panda_joint4": 20.0}}
    motion = excite(PANDA, limits=weak, starts=1, seconds=HANGS)
    assert motion.violations() == ()
    assert motion.limits.effort[1] == pytest.approx(0.95 * 45)
    assert motion.use.effort.max() > 0.9


@pytest.mark.long
def test_the_workspace_is_respected():
    box = {"tool": {"z": (0.3, None), "x": (-0.5, 0.8)}}
    motion = excite(PANDA, workspace=box, starts=1, seconds=HANGS, harmonics=4)
    q, _, _ = motion.at(np.linspace(0, motion.period, DENSE))
    p = PANDA.pose(q, "tool")[:, :3, 3]
    assert (p[:, 2] >= 0.3).all()
    assert ((p[:, 0] >= -0.5) & (p[:, 0] <= 0.8)).all()
    assert motion.use.workspace >= 0
    assert not motion.violations()


def test_a_motion_begins_where_it_is_told_to():
    home = [0.4, -0.785]
    motion = excite(ARM, limits=TWO_LINK, start=home, starts=1, seconds=HANGS)
    np.testing.assert_allclose(motion.at(0.0)[0], home, rtol=0, atol=CANCELLED)
    assert not motion.violations()


def test_the_determinant_can_be_made_small_instead():
    few = dict(limits=TWO_LINK, starts=1, seconds=HANGS)
    motion = excite(ARM, criterion="determinant", **few)
    other = excite(ARM, criterion="condition", **few)
    assert motion.condition >= other.condition
    assert motion.history[-1, 1] < motion.history[0, 1]


def test_the_same_seed_gives_the_same_motion(small_motion):
    again = excite(ARM, limits=TWO_LINK, starts=2, seconds=HANGS)
    assert small_motion.finished
    assert curve_facts(again.curve) == curve_facts(small_motion.curve)
    other = excite(ARM, limits=TWO_LINK, starts=1, seconds=HANGS, seed=1)
    assert curve_facts(other.curve) != curve_facts(again.curve)


def test_progress_tells_how_far_and_how_good():
    said = []
    excite(ARM, limits=TWO_LINK, starts=1, progress=lambda *x: said.append(x))
    shares, best = zip(*said, strict=True)
    assert list(shares) == sorted(shares)
    assert shares[-1] == 1
    assert best[-1] == min(best) < best[1]


def test_interrupted_it_returns_the_best_so_far():
    def stop(share: float, best: float) -> None:
        if share > 0.4:
            raise KeyboardInterrupt

    motion = excite(ARM, limits=TWO_LINK, starts=3, progress=stop)
    assert not motion.finished
    assert "interrupted; this is the best motion so far" in motion.status
    assert motion.condition < motion.random_condition
    assert not motion.violations()


def test_when_time_runs_out_it_says_so():
    motion = excite(PANDA, seconds=0.01)
    assert not motion.finished
    assert motion.status.startswith("0 of ")
    assert "time ran out" in motion.status
    assert not motion.violations()


def test_a_violation_names_joint_time_and_limit(panda_motion):
    tight = motion_limits(PANDA, {"velocity": {"panda_joint3": 1.0}, "acceleration": 20}, margin=0)
    _, broken = used(PANDA, panda_motion.curve, tight)
    assert [each.who for each in broken] == ["panda_joint3"]
    t = broken[0].t
    assert abs(panda_motion.at(t)[1][2]) == pytest.approx(broken[0].value, rel=1e-4)
    assert str(broken[0]).startswith(f"panda_joint3: at {t:.4f} s the velocity is ")
    assert str(broken[0]).endswith("above 1 rad/s")
    heavy = PANDA.with_payload("tool", 12.0, (0, 0, 0.1))
    assert any(each.what == "effort" for each in panda_motion.violations(heavy))


@pytest.mark.parametrize("name", ["motion.json", "motion.csv"])
def test_what_is_saved_comes_back(panda_motion, tmp_path, name):
    panda_motion.save(tmp_path / name, rate=100)
    back = Excitation.load(tmp_path / name, PANDA)
    t = np.linspace(0, 10, 33)
    for x, y in zip(panda_motion.at(t), back.at(t), strict=True):
        np.testing.assert_array_equal(x, y)
    assert repr(back) == repr(panda_motion)
    assert not back.violations()
    np.testing.assert_array_equal(back.history, panda_motion.history)
    assert Excitation.load(tmp_path / name).robot is None


def test_a_csv_file_has_a_row_an_instant_named_like_a_simulation(small_motion, tmp_path):
    small_motion.save(tmp_path / "motion.csv", rate=50)
    lines = (tmp_path / "motion.csv").read_text().splitlines()
    assert lines[0].startswith("# qddot excitation {")
    assert lines[1] == "t,q.j1,q.j2,qd.j1,qd.j2,qdd.j1,qdd.j2"
    table = np.loadtxt(lines[2:], delimiter=",")
    assert table.shape == (501, 7)
    np.testing.assert_allclose(
        table[:, 1:3], small_motion.at(table[:, 0])[0], rtol=0, atol=CANCELLED
    )
    np.testing.assert_allclose(table[[0, -1], 3:], 0, rtol=0, atol=1e-9)


def test_a_motion_of_splines_is_refused(small_motion, tmp_path):
    path = tmp_path / "motion.json"
    small_motion.save(path)
    facts = json.loads(path.read_text())
    facts["curve"] = {"kind": "spline", "period": 10.0, "knots": [[0.0, 0.0], [1.0, 1.0]]}
    path.write_text(json.dumps(facts))
    with pytest.raises(
        BadFile, match=r"of kind 'spline', and only 'fourier' is known.*excite\(robot\)"
    ):
        Excitation.load(path)


def test_a_log_of_it_has_the_torques_that_the_robot_expects(small_motion):
    log = small_motion.to_log(rate=100, periods=2)
    assert len(log) == 2001
    assert log.duration == pytest.approx(20)
    expected = ARM.inverse_dynamics(log.q, log.qd, log.qdd)
    np.testing.assert_allclose(log.tau, expected, rtol=0, atol=CANCELLED)


def test_a_figure_shows_motion_torque_and_search(small_motion, tmp_path):
    figure = small_motion.plot(tmp_path / "motion.png")
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["q [rad]", "q̇ [rad/s]", "q̈ [rad/s²]", "τ / limit [1]", "condition number"]
    assert (tmp_path / "motion.png").stat().st_size > 10_000


def test_no_phase_of_a_search_goes_on_when_its_time_is_over(monkeypatch):
    """With no time at all there is one random motion of each kind, none of them improved."""
    tried, made = [], excitation_basis.random_motion

    def counted(*given, **how):
        tried.append(how["together"])
        return made(*given, **how)

    monkeypatch.setattr(excitation_basis, "random_motion", counted)
    motion = qddot.excite(PANDA, seconds=1e-9, workspace={"tool": "z > 0.1"})
    assert tried.count(False) == 1
    assert len(tried) < 20
    assert motion.how["evaluations"] == 0
    assert motion.status.endswith("time ran out")
    assert not motion.finished
    assert not motion.violations()
    assert motion.gain >= 1


@pytest.mark.parametrize("reads", [30, 100, 300])
def test_whatever_a_search_is_doing_it_ends_soon_after_its_time(monkeypatch, reads):
    """By a clock that counts how often it is read: few times once the time is over."""
    clock = SimpleNamespace(now=0)
    clock.monotonic = lambda: setattr(clock, "now", clock.now + 1) or clock.now
    for module in (excitation, excitation_search):
        monkeypatch.setattr(module, "time", clock)
    motion = qddot.excite("two_link", seconds=reads, terms=(), limits=TWO_LINK, starts=2)
    assert clock.now <= reads + 10
    assert not motion.violations()
