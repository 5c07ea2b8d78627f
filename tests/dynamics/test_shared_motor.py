"""A motor that turns with several joints, against the formulas of an arm that has one."""

import numpy as np
import pytest
from long import long
from nearness import assert_near

import qddot
from qddot.certificate.cut import before, floating
from qddot.control.laws import AdaptiveSlotineLi, ComputedTorque, SlotineLi
from qddot.control.loop import closed_loop
from qddot.equations.document import about
from qddot.errors import BadRobot
from qddot.identification import identifiable
from qddot.identification.back_to_robot import robot_with_parameters
from qddot.model import Coupling, Friction, Motor
from qddot.motions import Fourier
from qddot.present.figures import friction as friction_figure

JOINTS, RATIOS = ("j1", "j2"), (1, 2)
E = np.array([1.0, 2.0])
IA, FV, FS, F0 = 0.3, 0.7, 0.4, -0.2


def arm(**more):
    coupling = {
        "joints": list(JOINTS),
        "ratios": list(RATIOS),
        "motor": {"rotor_inertia": IA / 9, "gear": 3},
        "friction": {"viscous": FV, "coulomb": FS, "offset": F0},
    }
    rows = [{"a": 1, "mass": 2, "com": [-0.5, 0, 0], "inertia": [0, 0.1, 0.1]} for _ in range(2)]
    return qddot.from_dh(rows, "standard", gravity=(0, -9.81, 0), coupling=[coupling | more])


@pytest.fixture(scope="module")
def robot():
    return arm()


@pytest.fixture
def state():
    return np.random.default_rng(3).uniform(-1, 1, (3, 2))


def plain(robot):
    return robot.without("friction").without("rotor_inertia")


def test_each_joint_feels_its_ratio_of_the_torque(robot, state):
    """τ += e (Iₐ e·q̈ + fᵥ w + fₛ sgn w + f₀), with w = e·q̇."""
    q, qd, qdd = state
    w = E @ qd
    felt = E * (FV * w + FS * np.sign(w) + F0)
    assert_near(robot.friction_torque(qd), felt)
    tau = robot.inverse_dynamics(q, qd, qdd)
    expected = plain(robot).inverse_dynamics(q, qd, qdd) + felt + E * IA * (E @ qdd)
    assert_near(tau, expected)
    assert_near(robot.forward_dynamics(q, qd, tau), qdd, tolerance=1e-12)
    assert_near(robot.bias_torque(q, qd), plain(robot).bias_torque(q, qd) + felt)


def test_the_rotor_is_in_the_mass_matrix_and_in_the_energy(robot, state):
    q, qd, _ = state
    bare = plain(robot)
    assert_near(robot.mass_matrix(q), bare.mass_matrix(q) + IA * np.outer(E, E))
    whole = bare.kinetic_energy(q, qd) + IA * (E @ qd) ** 2 / 2
    assert_near(robot.kinetic_energy(q, qd), whole)


def test_the_regressor_has_its_parameters_by_name(robot, state):
    names = robot.parameter_names[-4:]
    assert names == ("j1+2*j2.Ia", "j1+2*j2.fv", "j1+2*j2.fs", "j1+2*j2.f0")
    assert_near(robot.parameters[-4:], [IA, FV, FS, F0])
    q, qd, qdd = state
    Y = robot.regressor(q, qd, qdd)
    assert_near(Y @ robot.parameters, robot.inverse_dynamics(q, qd, qdd))
    assert_near(Y[:, -4:], np.outer(E, [E @ qdd, E @ qd, np.sign(E @ qd), 1]))


@pytest.mark.parametrize("method", ["lagrange", "explicit", "trace", "stacked", "recursive"])
def test_closed_forms_have_all_but_the_dry_part(robot, state, method):
    q, qd, qdd = state
    found = qddot.derive(robot, method)
    assert_near(found.to_function("M")(q), robot.mass_matrix(q), tolerance=1e-12)
    dry = E * FS * np.sign(E @ qd)
    mine = found.to_function("tau")(q, qd, qdd)
    assert_near(mine, robot.inverse_dynamics(q, qd, qdd) - dry, tolerance=1e-12)
    said = [item for item in about(found) if isinstance(item, str)]
    assert any("sign of a sum of velocities" in words for words in said)


def test_its_equations_are_proved(robot):
    assert qddot.prove(robot).holds


def test_followers_and_held_joints_are_counted_by_virtual_work():
    """j3 follows at r = -2, so that w = q̇1 + 3 q̇3 is (1 - 6) q̇1; a joint that is held adds none."""
    rows = [{"a": 1, "mass": 1, "com": [-0.5, 0, 0], "inertia": [0, 0.1, 0.1]} for _ in range(3)]
    rows[2]["mimic"] = {"joint": "j1", "multiplier": -2}
    coupling = {"joints": ["j1", "j2", "j3"], "ratios": [1, 5, 3], "friction": {"viscous": 2}}
    robot = qddot.from_dh(rows, "standard", coupling=[coupling])
    e = np.array([-5.0, 5.0])
    qd = np.array([0.3, -0.4])
    assert_near(robot.friction_torque(qd), e * 2 * (e @ qd))
    assert_near(robot.locked({"j2": 0.1}).friction_torque(qd[:1]), [25 * 2 * 0.3])


@pytest.mark.parametrize("ending", ["toml", "json"])
def test_files_keep_it(robot, tmp_path, state, ending):
    path = tmp_path / f"arm.{ending}"
    assert not robot.save(path)
    again = qddot.load(path)
    assert again.model.couplings == robot.model.couplings
    assert np.array_equal(again.inverse_dynamics(*state), robot.inverse_dynamics(*state))


def test_a_urdf_says_what_it_loses(robot, tmp_path):
    with pytest.warns(qddot.RobotWarning, match="coupling of joints 'j1', 'j2': a motor, friction"):
        robot.save(tmp_path / "arm.urdf")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"ratios": [1]}, "Give 2 numbers"),
        ({"ratios": [1, 0]}, "one of its ratios is zero"),
        ({"ratios": [1, "x y"]}, "ratios"),
        ({"joints": ["j1"], "ratios": [1]}, "it does not name two joints"),
        ({"joints": ["j1", "j2", "j1"], "ratios": [1, 1, 1]}, "it joins a joint to itself"),
        ({"joints": ["j1", "j2", "j9"], "ratios": [1, 1, 1]}, "there is no moving joint 'j9'"),
        ({"motor": {"rotor_inertia": -1}}, "its rotor inertia is negative"),
        ({"motor": {"gear": 0}}, "its gear ratio is zero"),
        ({"motor": {"on": "j1"}}, "on"),
        ({"friction": {"viscous": -1}}, "it would create energy"),
        ({"friction": {"rub": 1}}, "rub"),
    ],
)
def test_what_cannot_be_is_refused(given, words):
    with pytest.raises(BadRobot, match=words):
        arm(**given)


def test_two_of_the_same_name_are_refused(robot):
    from qddot.model.validation import build

    model = robot.model
    twice = [*model.couplings, Coupling(JOINTS, ratios=RATIOS, friction=Friction(viscous=1))]
    with pytest.raises(BadRobot, match="something else with a motor or friction is called"):
        build("twice", model.links, model.joints, couplings=tuple(twice))
    for odd in (Coupling("j1"), Coupling(("j1", 3)), Coupling(JOINTS, ratios=("a", 2))):
        with pytest.raises(BadRobot, match=r"its joints are|Give one ratio for each joint"):
            build("odd", model.links, model.joints, couplings=(odd,))


def test_what_a_shaft_lacks_costs_nothing(robot):
    """A coupling with a spring alone has no parameters and leaves the program as it is."""
    spring = arm(motor={}, friction={}, stiffness=1)
    assert spring.parameter_names == plain(robot).parameter_names
    assert Coupling(JOINTS, 1).motor == Motor()


def test_energy_is_kept_and_lost_in_a_run(robot):
    """Kinetic and potential energy fall by what friction takes."""
    run = qddot.simulate(robot, [0.5, 0.2], [1.0, -2.0], duration=0.5)
    audit = run.energy
    assert abs(audit.residual[-1]) < 1e-6 * abs(audit.friction[-1].sum())


def test_dry_friction_along_a_sum_of_joints_all_but_stops_it():
    """Nothing pulls: the motor brakes w and then creeps, at less than the width of its tanh."""
    robot = arm(friction={"coulomb": 5}).without("gravity")
    run = qddot.simulate(robot, [0.0, 0.0], [0.5, 0.5], duration=2.0)
    assert abs(E @ run.qd[-1]) < 1e-3
    assert np.abs(run.qd[-1]).max() > 0.05  # along the other direction it goes on


def test_people_see_it(robot):
    assert "j1+2*j2: Fv 0.7, Fs 0.4, f0 -0.2, Ia 0.3" in robot._repr_html_()
    assert "along j1+2*j2: Fv 0.7" in str(robot)
    (panel,), _ = friction_figure._of_robot(robot)
    assert list(panel[1]) == ["j1+2*j2"]


# laws and bounds

MOVE = Fourier([0.2, -0.3], [[0.4, 0.2], [0.3, -0.2]], [[0.1, 0.3], [-0.3, 0.2]], 0.4)


@pytest.mark.parametrize("friction", ["measured", "desired"])
@pytest.mark.parametrize("law", [ComputedTorque, SlotineLi])
def test_a_law_with_the_right_model_follows(robot, law, friction):
    gains = {"kp": 100, "kd": 20} if law is ComputedTorque else {"lam": 5, "kd": 20}
    made = law(robot, **gains, reference=MOVE, friction=friction)
    q, qd = (np.asarray(part, float) for part in MOVE.at(0.0)[:2])
    run = closed_loop(robot, made, duration=1.0, q0=q, qd0=qd)
    assert np.abs(run.error).max() < 2e-3
    weaker = made.on(arm(friction={"viscous": FV / 2, "coulomb": FS, "offset": F0}))
    (same, *_) = weaker.assumptions(robot)
    assert not same.holds
    assert "viscous friction of j1+2*j2 is 0.7, in the law's model 0.35" in same.why
    lighter = made.on(arm(motor={"rotor_inertia": IA / 2}))
    assert "rotor inertia differs" in lighter.assumptions(arm())[0].why


def test_an_adaptive_law_estimates_it(robot, state):
    """Yᵀ s and Y φ have the columns of the regressor, with reference velocities."""
    law = AdaptiveSlotineLi(robot, lam=5, kd=20, adaptation=1, reference=MOVE, estimate="all")
    names = law.parameters.names[-4:]
    assert names == robot.parameter_names[-4:]
    q, qd, qdd_r = state
    qd_r, s = np.array([0.3, -0.7]), np.array([1.1, -0.4])
    moving = law.parameters.movements(q, qd, qd_r, qdd_r)
    found = law.parameters.powers(moving, s, qd, qd_r, qdd_r, np.sign)[-4:]
    assert_near(found, (E @ s) * np.array([E @ qdd_r, E @ qd_r, np.sign(E @ qd), 1]))
    phi = np.zeros(len(law.parameters))
    phi[-4:] = IA, FV, FS, F0
    torque = law.parameters.torque(phi, q, qd, qd_r, qdd_r, np.sign)
    w, w_r = E @ qd, E @ qd_r
    assert_near(torque, E * (IA * (E @ qdd_r) + FV * w_r + FS * np.sign(w) + F0))


def test_the_fastest_timing_of_a_path_counts_it(robot):
    """Torques of the timed motion keep to the limits and reach them; w changes its sign within."""
    rough = arm(friction={"viscous": FV, "coulomb": 4.0})
    effort = np.array([60.0, 40.0])
    path = [[0.0, 0.0], [0.6, -0.1], [0.2, 0.5], [-0.4, 0.1]]
    motion = qddot.motions.time_optimal(rough, path, effort=effort)
    t = np.linspace(1e-6, motion.duration - 1e-6, 2001)
    q, qd, qdd = (np.array(part, float) for part in zip(*map(motion.at, t), strict=True))
    used = np.abs(rough.inverse_dynamics(q, qd, qdd)) / effort
    assert (np.diff(np.sign(qd @ E)) != 0).any()
    assert np.quantile(used.max(axis=1), 0.99) < 1.01
    assert np.median(used.max(axis=1)) > 0.98
    assert motion.duration > qddot.motions.time_optimal(robot, path, effort=effort).duration


def test_the_certificate_counts_it(robot):
    bounds = qddot.certify(robot).bounds
    largest = np.linalg.norm(FV * np.outer(E, E), 2)
    assert bounds["D.norm2"].lower <= largest <= bounds["D.norm2"].upper * (1 + 1e-12)


def test_a_long_chain_is_cut_without_it():
    """A rotor only adds to M, so that λ_min(M) is bounded by the parts of the arm alone."""
    rows = [{"a": 0.3, "alpha": "pi/2", "mass": 1, "inertia": [0.1, 0.1, 0.1]} for _ in range(3)]
    robot = qddot.from_dh(
        rows, "standard", coupling=[{"joints": ["j1", "j3"], "motor": {"rotor_inertia": 1}}]
    )
    assert before(robot.tree, 1, 0.5).shared == ()
    assert floating(robot.tree, 1, 0.5).shared == ()


@pytest.mark.parametrize("exact", [False, True])
def test_base_parameters_tell_it_from_the_joints(robot, exact):
    """Three rotors on two joints: q̇1², q̇1 q̇2 and q̇2² are three, and M has no more."""
    own = robot.with_friction(viscous=1, coulomb=1)
    found = identifiable(own, exact=exact)
    names = " ".join(str(group) for group in found.groups)
    assert "j1+2*j2.fv" in names
    assert found.rank == identifiable(own, exact=not exact).rank


def test_parameters_go_back_into_the_coupling(robot):
    changed = robot_with_parameters(robot, {"j1+2*j2.fs": 0.9, "j1+2*j2.Ia": 0.6})
    (coupling,) = changed.model.couplings
    assert coupling.friction.coulomb == 0.9
    assert coupling.motor.gear == 3
    assert_near(coupling.motor.reflected, 0.6)


def test_many_runs_vary_its_friction(robot):
    """Rollouts take its parameters by name, and have the smooth sign of w."""
    fv = np.array([0.0, 2.0])
    found = qddot.rollout(
        robot, np.zeros((2, 2)), np.array([[0.5, 0.5]] * 2), duration=0.3, step=1e-3,
        parameters={"j1+2*j2.fv": fv},
    )  # fmt: skip
    slow, fast = np.abs(found.qd[1, -1] @ E), np.abs(found.qd[0, -1] @ E)
    assert slow < fast


@pytest.mark.parametrize("method", ["weighted", *long("consistent")])
def test_estimators_find_it_where_the_model_has_one(robot, method):
    t = np.arange(1500) / 150
    turns = 2 * np.pi * np.array([[0.2, 0.3], [0.5, 0.6], [0.8, 1.0]])
    phase = np.multiply.outer(turns, t).swapaxes(1, 2) + np.arange(3)[:, None, None]
    q, qd, qdd = (
        sum(0.5 * w**k * wave(p) * sign for w, p in zip(turns, phase, strict=True))
        for k, (wave, sign) in enumerate([(np.sin, 1), (np.cos, 1), (np.sin, -1)])
    )
    noise = np.random.default_rng(0).normal(0, 0.01, q.shape)
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    log = pandas.DataFrame(np.column_stack([t, q, qd, robot.inverse_dynamics(q, qd, qdd) + noise]))
    log.columns = ["t", "q.j1", "q.j2", "qd.j1", "qd.j2", "tau.j1", "tau.j2"]
    wrong = arm(friction={"viscous": 0.5, "coulomb": 0.3, "offset": -0.1}, motor={"gear": 0.5})
    wrong = robot_with_parameters(wrong, {"j1+2*j2.Ia": 0.2})
    fit = qddot.identify(wrong, qddot.load_log(log, wrong), method, terms=())
    (found,) = fit.robot.model.couplings
    assert found.motor.reflected == pytest.approx(IA, rel=0.02)
    assert found.friction.viscous == pytest.approx(FV, rel=0.02)
    assert found.friction.coulomb == pytest.approx(FS, rel=0.02)
