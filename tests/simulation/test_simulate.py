"""Simulation of one robot: the decks' figures, what acts, the audit, and what cannot be right."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from long import examples, long
from made import ARM
from strategies import models

import qddot
from qddot.control import PDGravity, closed_loop
from qddot.simulation.method import METHODS

# DOP853 at 1e-12, checked with Radau at 1e-11; the deck's Simulink model (I = 10, m = 50, L = 1)
DECK = {
    0: {
        1: (-2.31828417, -0.76123343, -3.09074273, 0.60536857),
        5: (-1.53921648, 0.40959175, 1.72939534, 5.37083176),
        10: (-2.88427222, -0.87412720, 1.19961809, -1.69675215),
    },
    30: {
        1: (-2.29544577, -0.27096994, -2.43884175, -0.37532808),
        10: (-1.38108331, 0.07782070, 0.95830982, 0.56548501),
    },
    80: {
        1: (-2.12604816, -0.19268874, -2.08793127, -0.56957797),
        10: (-1.48235473, 0.02936805, 0.11152916, 0.08007056),
    },
}
DISSIPATED = {30: 863.266277, 80: 975.026539}
PRINTED = 6e-9  # the figures have eight digits


def drop(viscous, **more):
    return qddot.simulate(ARM.with_friction(viscous=viscous), [0, 0], duration=10.0, **more)


@pytest.mark.parametrize("viscous", DECK)
def test_the_decks_arm_falls_as_the_deck_says(viscous):
    for tolerance, near in ((None, 1e-6), (1e-13, PRINTED)):
        run = drop(viscous, **({"tolerance": tolerance} if tolerance else {}))
        for t, expected in DECK[viscous].items():
            row = int(np.flatnonzero(np.isclose(run.t, t))[0])
            np.testing.assert_allclose([*run.q[row], *run.qd[row]], expected, rtol=0, atol=near)
        assert run.good, run.status
    if viscous:
        assert run.energy.total[-1] == pytest.approx(-DISSIPATED[viscous], abs=1e-6)
        assert run.energy.friction[-1].sum() == pytest.approx(DISSIPATED[viscous], abs=1e-6)
    np.testing.assert_allclose(run.qdd[0], (-10.35838509, 10.96770186), rtol=0, atol=PRINTED)


def test_the_undamped_fall_keeps_its_energy():
    run = drop(0)
    drift = np.abs(run.energy.total - run.energy.total[0]).max()
    assert drift <= 1e-9 * run.energy.exchanged
    assert run.energy.exchanged == pytest.approx(980.5, rel=1e-3)
    tight = drop(0, tolerance=1e-13)
    assert np.abs(tight.energy.total).max() < 1e-9


def test_the_loose_tolerance_of_the_deck_agrees_to_five_digits():
    """ode45 with a relative error of 1e-3 and steps of at most 0.02 s."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qddot.SimulationWarning)
        run = drop(30, tolerance=1e-3, step=0.02)
    assert run.how["method"] == "RK45"
    np.testing.assert_allclose([*run.q[-1], *run.qd[-1]], DECK[30][10], rtol=0, atol=1e-5)


def test_the_work_of_gravity_is_the_fall_of_the_potential_energy():
    """∫ gᵀ q̇ dt = P(t) − P(0), all along."""
    for name in ("two_link", "panda", "scara"):
        robot = qddot.load(name)
        run = qddot.simulate(robot, np.full(robot.n, 0.1), np.full(robot.n, 0.5), duration=1.0)
        scale = run.energy.exchanged
        assert np.abs(run.audit.gravity_residual).max() <= 1e-9 * scale


@examples(8)
@given(model=models(most=4), seed=st.integers(0, 2**16))
def test_energy_is_accounted_for_whatever_acts(model, seed):
    """Random robots under torque, a wrench, a disturbance and a moving base, with friction."""
    rng = np.random.default_rng(seed)
    robot = qddot.Robot(model)
    if not robot.n or not np.isfinite(robot.forward_dynamics(*np.zeros((3, robot.n)))).all():
        return
    frame = robot.frame_names[-1]
    a, b = rng.standard_normal((2, robot.n))
    wave = rng.standard_normal((2, 6))
    size = np.abs(robot.gravity_torque(np.zeros(robot.n))).max() + 1.0
    run = qddot.simulate(
        robot,
        rng.uniform(-1, 1, robot.n),
        rng.uniform(-1, 1, robot.n),
        duration=0.2,
        torque=lambda t, q, qd: size * a * np.sin(3 * t) - 0.1 * qd,
        disturbance=lambda t, q, qd: 0.1 * size * b,
        wrenches={frame: lambda t, q, qd: 0.1 * size * wave[0] * np.cos(t)},
        base_motion=lambda t: (wave[1] * np.sin(t), wave[1] * np.cos(t)),
        tolerance=1e-9,
    )
    assert run.finished, run.status
    assert run.audit.number < 1e-5, run.status


# what acts


def test_a_torque_can_be_given_in_every_form():
    """The same torque as a function, a table, samples and a recorded controller."""
    law = qddot.record(lambda t, q, qd: 100 * np.stack([t, 1 - t]) - 5 * qd, t=(), q=(2,), qd=(2,))
    table = np.stack([np.linspace(0, 100, 11), np.linspace(100, 0, 11)], axis=1)
    damped = ARM.with_friction(viscous=5.0)
    runs = [
        qddot.simulate(ARM, [0.1, 0.2], duration=1.0, torque=law),
        qddot.simulate(ARM, [0.1, 0.2], duration=1.0, torque=lambda t, q, qd: law(t, q, qd)),
        qddot.simulate(damped, [0.1, 0.2], duration=1.0, torque=table),
        qddot.simulate(
            damped, [0.1, 0.2], duration=1.0, torque=qddot.Samples([0, 1], table[[0, -1]])
        ),
    ]
    for run in runs:
        np.testing.assert_allclose(run.q[-1], runs[0].q[-1], rtol=0, atol=1e-8)
        assert run.good, run.status
    np.testing.assert_allclose(runs[2].tau[0], [0, 100])


def test_a_held_table_jumps_exactly_where_it_says():
    steps = qddot.Samples([0.0, 0.35], [[50.0, 0.0], [0.0, 20.0]], between="hold")
    run = qddot.simulate(ARM, [0, 0], duration=1.0, torque=steps)
    switch = np.flatnonzero(run.t == 0.35)
    assert len(switch) == 2
    np.testing.assert_allclose(run.tau[switch[0] - 1], [50, 0])
    np.testing.assert_allclose(run.tau[switch[1]], [0, 20])
    first = qddot.simulate(ARM, [0, 0], duration=0.35, torque=[50.0, 0.0])
    then = qddot.simulate(ARM, first.q[-1], first.qd[-1], duration=0.65, torque=[0.0, 20.0])
    np.testing.assert_allclose(run.q[-1], then.q[-1], rtol=0, atol=1e-9)


def test_a_controller_with_a_state_integrates_it():
    """PID against gravity: the integral state ends where it carries the arm's weight."""

    def pid(q, qd, x):
        e = np.array([0.5, 0.3]) - q
        return {"tau": 4000 * e - 800 * qd + x, "xd": 6000 * e}

    law = qddot.record(pid, "pid", q=(2,), qd=(2,), x=(2,))
    run = qddot.simulate(ARM, [0, 0], duration=20.0, torque=law, inputs={"x": [0.0, 0.0]})
    np.testing.assert_allclose(run.q[-1], [0.5, 0.3], rtol=0, atol=1e-6)
    np.testing.assert_allclose(run.state[-1], ARM.gravity_torque(run.q[-1]), rtol=1e-5)
    assert run.good, run.status


def test_a_wrench_at_rest_without_gravity_accelerates_by_the_effective_mass():
    """(f_x, f_y) = M_C (ẍ, ÿ): SPEC's force at the tip, as the environment applies it."""
    arm = ARM.without("gravity")
    q, f = np.array([0.3, 0.9]), np.array([0, 0, 0, 7.0, -3.0, 0])
    run = qddot.simulate(arm, q, duration=0.01, wrenches={"tool": f})
    J = arm.jacobian(q, "tool")[3:5]
    mass = np.linalg.inv(J @ np.linalg.inv(arm.mass_matrix(q)) @ J.T)
    np.testing.assert_allclose(mass @ (J @ run.qdd[0]), f[3:5], rtol=1e-10)
    np.testing.assert_allclose(run.wrenches["tool"], np.tile(f, (len(run.t), 1)))
    assert run.energy.wrenches[-1] > 0


@pytest.mark.parametrize("axes", ["local", *long("base")])
def test_a_wrench_in_other_axes_is_the_turned_or_moved_one_of_world_axes(axes):
    """In a run the frame moves: what is constant in its own axes turns with it."""
    f = np.array([1.0, -2.0, 3.0, 30.0, -10.0, 20.0])

    def in_world(t, q, qd):
        X, moment, force = ARM.pose(q, "tool"), f[:3], f[3:]
        if axes == "local":
            return np.concatenate([X[:3, :3] @ moment, X[:3, :3] @ force])
        return np.concatenate([moment - np.cross(X[:3, 3], force), force])

    given = qddot.simulate(ARM, [0.3, 0.9], duration=0.5, wrenches={"tool": f}, axes=axes)
    turned = qddot.simulate(ARM, [0.3, 0.9], duration=0.5, wrenches={"tool": in_world})
    np.testing.assert_allclose(given.q, turned.q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(given.wrenches["tool"], turned.wrenches["tool"], rtol=0, atol=1e-6)
    np.testing.assert_allclose(given.energy.wrenches, turned.energy.wrenches, rtol=0, atol=1e-6)
    assert given.good
    assert abs(given.energy.wrenches[-1]) > 1e-3
    law = PDGravity(ARM, kp=200, kd=50, reference=[0.3, 0.9])
    sampled = dict(q0=[0.3, 0.9], duration=0.1, rate=200)
    mine = closed_loop(ARM, law, wrenches={"tool": f}, axes=axes, **sampled)
    other = closed_loop(ARM, law, wrenches={"tool": in_world}, **sampled)
    kept = mine.trajectory.wrenches["tool"], other.trajectory.wrenches["tool"]
    np.testing.assert_allclose(*kept, rtol=0, atol=1e-3)
    np.testing.assert_allclose(mine.trajectory.q, other.trajectory.q, rtol=0, atol=1e-6)


def test_a_wrench_on_the_environment_acts_on_the_robot_with_the_other_sign():
    """F_tip of Lynch and Park, equation 8.90: τ = M θ̈ + c + g + Jᵀ F_tip, in any of the forms."""
    q, qd, qdd = np.array([0.3, 0.9]), np.array([0.5, -0.2]), np.array([1.0, 2.0])
    F_tip = np.array([1.0, -2.0, 3.0, 30.0, -10.0, 20.0])
    acts = dict(wrenches={"tool": list(F_tip)}, wrenches_on="environment", axes="local")
    pressed = ARM.jacobian(q, "tool", "local").T @ F_tip
    tau = ARM.inverse_dynamics(q, qd, qdd, **acts)
    np.testing.assert_allclose(tau, ARM.inverse_dynamics(q, qd, qdd) + pressed, rtol=1e-12)
    bias = ARM.bias_torque(q, qd, **acts)
    np.testing.assert_allclose(bias, ARM.bias_torque(q, qd) + pressed, rtol=1e-12)
    np.testing.assert_allclose(ARM.forward_dynamics(q, qd, tau, **acts), qdd, rtol=1e-11)

    same = qddot.simulate(ARM, q, duration=0.2, wrenches={"tool": -F_tip})
    law = PDGravity(ARM, kp=200, kd=50, reference=q)
    kept = closed_loop(ARM, law, q0=q, duration=0.1, rate=100, wrenches={"tool": -F_tip})
    for form in (F_tip, qddot.Samples([0, 1], [F_tip, F_tip]), lambda t, q, qd: list(F_tip)):
        acts = dict(wrenches={"tool": form}, wrenches_on="environment")
        run = qddot.simulate(ARM, q, duration=0.2, **acts)
        np.testing.assert_allclose(run.q[-1], same.q[-1], rtol=0, atol=1e-8)
        np.testing.assert_allclose(run.wrenches["tool"][-1], -F_tip, rtol=1e-12)
        run = closed_loop(ARM, law, q0=q, duration=0.1, rate=100, **acts)
        np.testing.assert_allclose(run.trajectory.q[-1], kept.trajectory.q[-1], rtol=1e-12)


def test_a_disturbance_takes_from_the_torque():
    given = qddot.simulate(ARM, [0, 0], duration=1.0, torque=[30.0, 5.0], disturbance=[10.0, 5.0])
    plain = qddot.simulate(ARM, [0, 0], duration=1.0, torque=[20.0, 0.0])
    np.testing.assert_allclose(given.q[-1], plain.q[-1], rtol=0, atol=1e-9)


def test_a_base_that_falls_freely_takes_gravity_away():
    falling = (np.zeros(6), np.array([0, 0, 0, 0, -9.81, 0]))
    run = qddot.simulate(ARM, [0.2, 0.4], duration=1.0, base_motion=falling)
    np.testing.assert_allclose(run.q, np.tile([0.2, 0.4], (len(run.t), 1)), rtol=0, atol=1e-10)


def test_gravity_keeps_its_direction_while_the_base_turns():
    """A base that turns about z moves the arm in the world as a first joint that turns would."""
    w = 0.7
    turning = (np.array([0, 0, w, 0, 0, 0]), np.zeros(6))
    based = qddot.simulate(ARM, [0.1, 0.2], [0.0, 0.0], duration=2.0, base_motion=turning)
    free = qddot.simulate(ARM, [0.1, 0.2], [w, 0.0], duration=2.0)
    np.testing.assert_allclose(based.q[:, 0] + w * based.t, free.q[:, 0], rtol=0, atol=1e-8)
    np.testing.assert_allclose(based.q[:, 1], free.q[:, 1], rtol=0, atol=1e-8)
    assert based.good, based.status


# methods


@pytest.mark.parametrize(
    ("method", "order"), [("semi_implicit_euler", 1), ("midpoint", 2), ("rk4", 4)]
)
def test_a_fixed_step_method_has_its_order(method, order):
    alike = dict(duration=1.0, every=0.02)
    exact = qddot.simulate(ARM, [0, 0], tolerance=1e-13, **alike).q
    steps = np.array([0.01, 0.005, 0.0025])
    errors = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qddot.SimulationWarning)
        for step in steps:
            run = qddot.simulate(ARM, [0, 0], method=method, step=step, **alike)
            errors.append(np.abs(run.q - exact).max())
    slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert slope == pytest.approx(order, abs=0.15)


def test_midpoint_keeps_its_energy_over_a_long_run_and_rk4_does_not():
    pendulum = qddot.load("double_pendulum").without("friction")
    drift = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qddot.SimulationWarning)
        for method in ("midpoint", "rk4"):
            run = qddot.simulate(
                pendulum, [0.6, 0.2], duration=60.0, method=method, step=0.05, every=0.05
            )
            E = run.energy.total
            drift[method] = abs(E[-300:].mean() - E[:300].mean()) / run.energy.exchanged
    assert drift["midpoint"] < 1e-3
    assert drift["rk4"] > 5 * drift["midpoint"]


def test_stiff_models_get_an_implicit_method():
    arm = ARM.with_friction(viscous=1e6)
    run = qddot.simulate(arm, [0, 0], duration=10.0, tolerance=1e-7)
    assert run.how["method"] == "Radau"
    assert run.how["steps"] < 2000
    # creeping: d q̇ = −g
    np.testing.assert_allclose(run.qd[-1], -arm.gravity_torque(run.q[-1]) / 1e6, rtol=1e-3)
    assert run.good, run.status


@pytest.mark.parametrize("method", METHODS)
def test_every_method_runs_every_kind_of_arm(method):
    arm = ARM.with_friction(viscous=1.0, coulomb=[2.0, 0.0])
    more = {"step": 0.002} if method in ("rk4", "midpoint", "semi_implicit_euler") else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qddot.SimulationWarning)
        run = qddot.simulate(arm, [0, 0], duration=0.5, method=method, **more)
    assert run.finished
    reference = qddot.simulate(arm, [0, 0], duration=0.5, tolerance=1e-12)
    np.testing.assert_allclose(
        run.q[-1], reference.q[-1], rtol=0, atol=0.02 if "euler" in method else 1e-4
    )


# the audit


def test_a_coarse_run_does_not_call_itself_good_and_says_what_to_tighten():
    with pytest.warns(qddot.SimulationWarning, match="NOT GOOD.*Tighten the tolerance"):
        run = drop(0, tolerance=1e-3)
    assert not run.good
    with pytest.warns(qddot.SimulationWarning, match="Take a shorter step, about"):
        drop(0, method="rk4", step=0.05)
    follow = float(run.status.split("to about ")[1].rstrip("."))
    assert drop(0, tolerance=follow).good


def test_a_wrong_model_of_power_would_be_found():
    """The audit is no tautology: energies that do not belong to the motion leave a residual."""
    from dataclasses import replace

    run = drop(30)
    wrong = replace(run.energy, kinetic=1.001 * run.energy.kinetic)
    assert replace(run, energy=wrong).audit.number > 1e-4
    assert not replace(run, energy=wrong).good


# what cannot be right


def test_a_singular_mass_matrix_is_named_with_its_joint(tmp_path):
    path = tmp_path / "massless.toml"
    path.write_text(
        'name = "massless"\n[[joint]]\nname = "j1"\ntype = "continuous"\nparent = "base"\n'
        'child = "a"\naxis = [0, 1, 0]\n[[link]]\nname = "a"\nmass = 0\n'
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = qddot.load(path)
    with pytest.raises(qddot.QddotError, match=r"(?s)joint 'j1' is not finite.*singular"):
        qddot.simulate(robot, [0.0], duration=1.0)


@pytest.mark.parametrize(
    ("late", "words"),
    [
        (lambda: [0.0, float("nan")], "the torque of 'j2' is nan"),
        (lambda: [float("inf"), 0.0], "the torque of 'j1' is inf"),
        (lambda: [0.0], r"the torque has shape (1,)"),
        (lambda: {}["gain"], "raised KeyError: 'gain'"),
    ],
)
def test_what_fails_on_the_way_keeps_the_part_before_it(late, words):
    def torque(t, q, qd):
        return [0.0, 0.0] if t < 0.5 else late()

    with pytest.warns(qddot.SimulationWarning):
        run = qddot.simulate(ARM, [0, 0], duration=1.0, torque=torque)
    assert words in run.status
    assert run.status.startswith("stopped at t = 0.5")
    assert not run.finished
    assert not run.good
    assert 0.3 < run.t[-1] <= 0.5
    whole = qddot.simulate(ARM, [0, 0], duration=1.0)
    np.testing.assert_allclose(run.q[100], whole.q[100], rtol=0, atol=1e-8)


def test_an_unstable_step_is_told_with_its_time():
    stiff = ARM.with_friction(viscous=1e5)
    with pytest.warns(qddot.SimulationWarning):
        run = qddot.simulate(stiff, [0, 0], duration=10.0, method="rk4", step=0.1)
    assert "the step of 0.1 s is too long" in run.status
    assert not run.finished
    assert np.isfinite(run.q).all()


def test_ctrl_c_keeps_what_was_computed():
    def torque(t, q, qd):
        if t > 0.4:
            raise KeyboardInterrupt
        return [0.0, 0.0]

    with pytest.raises(KeyboardInterrupt) as caught:
        qddot.simulate(ARM, [0, 0], duration=1.0, torque=torque)
    run = caught.value.trajectory
    assert isinstance(caught.value, qddot.Interrupted)
    assert run.status.startswith("interrupted at t = 0.")
    assert len(run.t) > 100


def test_a_function_is_asked_anew_where_a_solver_writes_into_its_state():
    """BDF iterates in place: of an old answer it would take many more steps."""

    def torque(t, q, qd):
        return [-300 * qd[0] - 50 * q[0], -200 * qd[1]]

    arm, how = qddot.load("two_link"), {"duration": 1.0, "method": "BDF", "tolerance": 1e-8}
    asked = qddot.simulate(arm, [0.3, 0.2], torque=torque, **how)
    law = qddot.record(lambda q, qd: np.array(torque(0, q, qd)), q=(2,), qd=(2,))
    recorded = qddot.simulate(arm, [0.3, 0.2], torque=law, **how)
    assert asked.how["steps"] == pytest.approx(recorded.how["steps"], rel=0.2)
