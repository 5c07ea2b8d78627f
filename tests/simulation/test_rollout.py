"""Rollouts: many motions, each the one that a plain loop over the robot's own methods gives."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import threading
import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from long import examples, one_in
from made import ARM, SHOULDER
from nearness import SINGLE_DIVIDED, SOLVED
from numpy.testing import assert_allclose, assert_array_equal
from random_trees import deep_tree, robots
from stepping import Loop, constant
from strategies import states

import qddot
from qddot.backends import iterated
from qddot.backends.iterated import IteratedKernel
from qddot.model import Friction
from qddot.robot import Robot
from qddot.simulation.steps import METHODS

RNG = np.random.default_rng(0)


def assert_near(found: Any, expected: Any, tolerance: float = SOLVED) -> None:
    size = max(1.0, np.abs(expected).max(initial=0))
    assert_allclose(found, expected, rtol=0, atol=tolerance * size)


# the same motion as a loop in Python


@examples(12)
@given(model=robots(most=5), method=st.sampled_from(METHODS), data=st.data())
def test_every_trajectory_is_that_of_a_plain_loop(model, method, data):
    """Whatever the robot has: followers, slides, rotors, springs, Stribeck friction."""
    robot = Robot(model)
    q0, qd0, tau = (np.array(data.draw(states(robot.n, 3))) for _ in range(3))
    run = qddot.rollout(
        *(robot, q0, qd0), torque=tau, steps=12, step=2e-4, method=method, smoothing=0.5
    )
    assert run.q.shape == run.qd.shape == (3, 13, robot.n)
    for k in range(3):
        loop = Loop(robot, constant(tau[k]), smoothing=0.5)
        q, qd, _ = loop.run(method, q0[k], qd0[k], 12, 2e-4)
        assert_near(run.q[k], q)
        assert_near(run.qd[k], qd)


@pytest.mark.parametrize("method", one_in(3, METHODS))
@pytest.mark.parametrize("name", ["panda_hand", "stanford", "ur5"])
def test_built_in_robots_move_as_in_a_plain_loop(name, method):
    robot = qddot.load(name).with_friction(coulomb=0.3)
    q0, qd0, tau = RNG.uniform(-1, 1, (3, robot.n))
    run = qddot.rollout(robot, q0, qd0, torque=tau, steps=40, step=1e-3, method=method)
    q, qd, _ = Loop(robot, constant(tau)).run(method, q0, qd0, 40, 1e-3)
    assert_near(run.q, q)
    assert_near(run.qd, qd)
    assert_allclose(run.t, np.arange(41) * 1e-3, rtol=1e-15)


def test_long_chains_take_the_articulated_body_way():
    robot = Robot(deep_tree(2, 16)).without("friction")
    q0, qd0 = RNG.uniform(-0.3, 0.3, (2, 5, robot.n))
    method = "semi_implicit_euler"
    run = qddot.rollout(robot, q0, qd0, steps=5, step=1e-4, method=method)
    q, qd, _ = Loop(robot, constant(np.zeros(robot.n))).run(method, q0[4], qd0[4], 5, 1e-4)
    assert_near(run.q[4], q)
    assert_near(run.qd[4], qd)
    name, mass = robot.parameter_names[0], robot.parameters[0]
    varied = qddot.rollout(
        *(robot, q0, qd0), steps=5, step=1e-4, method=method, parameters={name: mass}
    )
    assert_near(varied.q, run.q)


# batches


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 17])
def test_a_batch_of_any_size_is_its_trajectories(count):
    q0 = RNG.uniform(-1, 1, (count, 4))
    run = qddot.rollout(SHOULDER, q0, steps=20, step=1e-3)
    for k in range(count):
        alone = qddot.rollout(SHOULDER, q0[k], steps=20, step=1e-3)
        assert_array_equal(alone.q, run.q[k])


def test_whatever_varies_broadcasts():
    q0 = RNG.uniform(-1, 1, (4, 1, 4))
    torques = RNG.normal(size=(3, 10, 4))
    masses = np.array([[0.5], [1.0], [1.5], [2.0]])
    more = dict(steps=10, step=1e-3)
    run = qddot.rollout(
        SHOULDER, q0, torques=torques, parameters={"panda_joint4.m": masses}, **more
    )
    assert run.q.shape == (4, 3, 11, 4)
    assert run.finite.shape == (4, 3)
    for i, j in np.ndindex(4, 3):
        parameters = {"panda_joint4.m": masses[i, 0]}
        one = qddot.rollout(SHOULDER, q0[i, 0], torques=torques[j], parameters=parameters, **more)
        assert_array_equal(one.q, run.q[i, j])


def test_no_trajectories_are_no_motion():
    run = qddot.rollout(ARM, np.zeros((0, 2)), steps=4, step=0.1)
    assert run.q.shape == (0, 5, 2)
    assert run.status == "0 trajectories, finite to the end"


@pytest.mark.parametrize("method", one_in(3, METHODS))
def test_every_kth_state_is_kept(method):
    q0, qd0 = RNG.uniform(-1, 1, (2, 5, 4))
    torques = RNG.normal(size=(5, 60, 4))
    more = dict(torques=torques, steps=60, step=1e-3, method=method)
    every, some = (qddot.rollout(SHOULDER, q0, qd0, every=x, **more) for x in (None, 0.012))
    for name in ("q", "qd"):
        assert_array_equal(getattr(some, name), getattr(every, name)[:, ::12])
    assert_array_equal(some.t, every.t[::12])


def test_torques_are_held_for_a_step():
    torques = RNG.normal(size=(6, 2))
    run = qddot.rollout(ARM, [0.1, 0.2], torques=torques, steps=6, step=0.01)
    q, qd = np.array([0.1, 0.2]), np.zeros(2)
    for k, tau in enumerate(torques):
        parts = Loop(ARM, constant(tau)).run("rk4", q, qd, 1, 0.01)
        q, qd = parts[0][1], parts[1][1]
        assert_near(run.q[k + 1], q)


@pytest.mark.parametrize("layout", ["reversed", "transposed", "broadcast", "float32", "lists"])
def test_torques_may_lie_anyhow(layout):
    torques = RNG.normal(size=(5, 6, 2))
    if layout == "float32":
        torques = torques.astype("float32")
    laid = {
        "reversed": lambda: torques[::-1, ::-1, ::-1].copy()[::-1, ::-1, ::-1],
        "transposed": lambda: np.asfortranarray(torques),
        "broadcast": lambda: np.broadcast_to(torques[:1], torques.shape),
        "lists": torques.tolist,
    }.get(layout, lambda: torques)()
    plain = np.array(laid, dtype=float)
    found, expected = (
        qddot.rollout(ARM, [0.1, 0.2], torques=x, steps=6, step=0.01).q for x in (laid, plain)
    )
    assert_array_equal(found, expected)


@pytest.mark.parametrize("method", one_in(3, METHODS))
def test_single_precision_is_the_same_motion_with_fewer_digits(method):
    q0, qd0 = RNG.uniform(-1, 1, (2, 19, 4))
    pd = qddot.record(lambda t, q, qd: np.sin(3 * t) - 10 * q - 2 * qd, t=(), q=(4,), qd=(4,))
    more = dict(torque=pd, steps=50, step=1e-3, method=method)
    runs = [
        qddot.rollout(r, q0, qd0, **more)
        for r in (SHOULDER.with_options(dtype="float32"), SHOULDER)
    ]
    assert runs[0].q.dtype == runs[0].qd.dtype == np.float32
    assert_near(runs[0].q, runs[1].q, SINGLE_DIVIDED)
    assert_near(runs[0].qd, runs[1].qd, SINGLE_DIVIDED)


def test_threads_and_pieces_change_nothing(monkeypatch):
    """Shares of trajectories on two threads, pieces of steps that end between two kept rows."""
    q0 = RNG.uniform(-1, 1, (37, 4))
    torques = RNG.normal(size=(37, 60, 4))
    more = dict(torques=torques, steps=60, step=1e-3, every=0.015, method="midpoint")
    expected = qddot.rollout(SHOULDER.with_options(threads=1), q0, **more)
    rounds = []
    real = iterated.in_rounds
    monkeypatch.setattr(iterated, "WORTH_A_THREAD", 1)
    monkeypatch.setattr(
        iterated, "in_rounds", lambda *a: (rounds.append((a[2], a[3])), real(*a))[1]
    )
    operations = 8 * 9000  # about one step of one block
    for budget in (operations // 2, 4 * operations, 40 * operations, 10**12):
        monkeypatch.setattr(iterated, "WORTH_A_WORD", budget)
        run = qddot.rollout(SHOULDER.with_options(threads=2), q0, **more)
        assert_array_equal(run.q, expected.q)
        assert_array_equal(run.qd, expected.qd)
    assert {threads for _, threads in rounds} == {2}
    pieces = [count for count, _ in rounds]
    assert pieces == sorted(pieces, reverse=True)
    assert pieces[0] > 100
    assert pieces[-1] == 2


def test_a_long_run_hears_ctrl_c(monkeypatch):
    """One that would take days; pressed while compiled code is at work."""
    begun, real = threading.Event(), iterated.in_rounds

    def watched(what, piece, *more):
        real(what, lambda k: (begun.set() if k == 2 else None, piece(k)), *more)

    def press():
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(iterated, "in_rounds", watched)
    presses = threading.Thread(target=press, daemon=True)
    presses.start()
    gc.disable()  # Python drops a Ctrl-C that comes while it looks for garbage
    try:
        with pytest.raises(KeyboardInterrupt):
            qddot.rollout(ARM, [0.1, 0.2], steps=10**13, step=1e-3, every=1e10)
    finally:
        gc.enable()
    presses.join()


def test_memory_is_what_is_kept():
    q0 = np.zeros((500, 4))
    torques = np.zeros((500, 200, 4))
    more = dict(steps=200, step=1e-3, every=0.05)
    qddot.rollout(SHOULDER, q0, torques=torques, **more)
    tracemalloc.start()
    run = qddot.rollout(SHOULDER, q0, torques=torques, **more)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    one_row = 500 * 14 * 8  # the state itself
    assert peak < run.q.nbytes + run.qd.nbytes + 4 * one_row
    assert peak < torques.nbytes / 10


# what trajectories differ in


@pytest.mark.parametrize("method", one_in(3, METHODS))
def test_varied_parameters_are_those_of_another_robot(method):
    """Of a payload: what it adds to the ten numbers of the last body."""
    load = SHOULDER.with_payload(
        "tool", mass=1.5, com=(0.02, 0.01, 0.1), inertia=(0.02, 0.03, 0.01)
    )
    loaded = load.with_friction(viscous=0.4, coulomb=0.6, offset=0.1)
    names = [name for name in loaded.parameter_names if not name.endswith(".Ia")]
    values = dict(zip(loaded.parameter_names, loaded.parameters, strict=True))
    changed = {name: np.array([values[name]] * 3) for name in names if "joint4" in name}
    changed |= {name: values[name] for name in names if name.endswith((".fs", ".fv", ".f0"))}
    q0, qd0 = RNG.uniform(-1, 1, (2, 3, 4))
    more = dict(steps=30, step=1e-3, method=method)
    found = qddot.rollout(SHOULDER.without("friction"), q0, qd0, parameters=changed, **more)
    expected = qddot.rollout(loaded, q0, qd0, **more)
    assert_near(found.q, expected.q)
    assert_near(found.qd, expected.qd)


def test_friction_alone_may_vary_whatever_its_form():
    """The Stribeck effect is linear in both its sizes, so one of them may vary."""
    joint = replace(ARM.model.joints[0], friction=Friction(0.5, 2.0, 3.0, 0.1, 0.0))
    sticky = Robot(replace(ARM.model, joints=(joint, *ARM.model.joints[1:])))
    other = replace(joint, friction=Friction(0.7, 1.0, 3.0, 0.1, 0.2))
    slippery = Robot(replace(ARM.model, joints=(other, *ARM.model.joints[1:])))
    changed = {"j1.fs": 1.0, "j1.fv": 0.7, "j1.f0": 0.2}
    more = dict(steps=50, step=1e-3)
    found = qddot.rollout(sticky, [0.1, 0.2], [0.05, -0.1], parameters=changed, **more)
    expected = qddot.rollout(slippery, [0.1, 0.2], [0.05, -0.1], **more)
    assert_near(found.q, expected.q)


def test_rotor_inertia_may_vary_where_the_model_has_none():
    run = qddot.rollout(ARM, [0.3, 0.2], steps=20, step=0.01, parameters={"j2.Ia": [0.0, 1e9]})
    plain = qddot.rollout(ARM, [0.3, 0.2], steps=20, step=0.01)
    assert_near(run.q[0], plain.q)
    assert np.abs(run.q[1, :, 1] - 0.2).max() < 1e-4  # too heavy to move


@pytest.mark.parametrize("method", METHODS)
def test_symbols_may_vary(method):
    robot = qddot.load("two_link_symbolic")
    given = dict(m1=50, m2=50, I1=10, I2=10, a1=1, a2=1, aC1=0.5, aC2=0.5, d1=0, d2=0, g=9.81)
    masses = np.array([30.0, 50.0])
    found = qddot.rollout(
        *(robot, [0.5, 0.2]), steps=50, step=0.01, method=method,
        parameters={**given, "m2": masses},
    )  # fmt: skip
    for k, m2 in enumerate(masses):
        numeric = robot.with_values(**{**given, "m2": float(m2)})
        expected = qddot.rollout(numeric, [0.5, 0.2], steps=50, step=0.01, method=method)
        assert_near(found.q[k], expected.q)


def test_springs_and_dampers_may_be_symbols():
    robot = qddot.load("mass_spring_damper_symbolic")
    values = {name: 1.5 + 0.2 * k for k, name in enumerate(robot.symbols)}
    found = qddot.rollout(robot, [0.1] * robot.n, steps=50, step=0.01, parameters=values)
    expected = qddot.rollout(robot.with_values(**values), [0.1] * robot.n, steps=50, step=0.01)
    assert_near(found.q, expected.q)


# controllers


def law(t: Any, q: Any, qd: Any, x: Any, target: Any, gain: Any) -> dict[str, Any]:
    """A PID law towards a target that sways, with limited torques."""
    error = target + 0.1 * np.sin(5 * t) - q
    return {"tau": np.clip(gain * error - 3 * qd + 5 * x, -40, 40), "xd": error}


@pytest.mark.parametrize("method", one_in(3, METHODS))
def test_a_recorded_controller_is_the_same_law_in_a_plain_loop(method):
    program = qddot.record(law, "pid", t=(), q=(4,), qd=(4,), x=(4,), target=(4,), gain=())
    q0, target = RNG.uniform(-1, 1, (2, 3, 4))
    gain = np.array([20.0, 40.0, 60.0])
    run = qddot.rollout(
        *(SHOULDER, q0), steps=40, step=1e-3, method=method, torque=program,
        inputs={"gain": gain, "target": target, "x": np.full(4, 0.1)},
    )  # fmt: skip
    assert run.x is not None
    for k in range(3):

        def plain(t: Any, q: Any, qd: Any, x: Any, k: int = k) -> tuple:
            return tuple(law(t, q, qd, x, target[k], gain[k]).values())

        q, qd, x = Loop(SHOULDER, plain).run(method, q0[k], 0 * q0[k], 40, 1e-3, np.full(4, 0.1))
        assert_near(run.q[k], q)
        assert_near(run.qd[k], qd)
        assert_near(run.x[k], x)


def test_what_holds_a_program_is_a_controller_and_torques_are_added_to_it():
    program = qddot.record(lambda q, qd: -30 * q - 4 * qd, q=(2,), qd=(2,))
    torques = RNG.normal(size=(20, 2))
    found = qddot.rollout(
        *(ARM, [0.3, 0.2]), torque=qddot.Kernel(program), torques=torques, steps=20, step=0.01
    )
    again = qddot.rollout(ARM, [0.3, 0.2], torque=program, torques=torques, steps=20, step=0.01)
    assert_array_equal(found.q, again.q)
    assert found.x is None
    tau = np.array([-30 * 0.3, -30 * 0.2]) + torques[0]
    qdd = (found.qd[1] - found.qd[0]) / 0.01
    assert_allclose(qdd, ARM.forward_dynamics([0.3, 0.2], [0.0, 0.0], tau), rtol=0, atol=0.05)


def test_loops_are_compiled_once_for_each_choice():
    robot = qddot.Robot(qddot.load("two_link").model)
    program = qddot.record(lambda q: -q, q=(2,))
    for step in (0.01, 0.02):
        qddot.rollout(robot, [0.1, 0.2], steps=2, step=step)
        qddot.rollout(robot, [0.1, 0.2], steps=2, step=step, torque=program)
        qddot.rollout(robot, [[0.1, 0.2]], steps=4, step=step, torque=[1.0, 2.0])
    kernels = [made for made in robot._cache.values() if isinstance(made, IteratedKernel)]
    assert len(kernels) == 3
    kernel = kernels[0]
    assert pickle.loads(pickle.dumps(kernel)).loop == kernel.loop


# how it went


def test_a_trajectory_that_explodes_harms_no_other():
    q0 = np.tile([0.3, 0.2], (9, 1))
    qd0 = np.zeros((9, 2))
    qd0[4] = 1e6
    run = qddot.rollout(ARM, q0, qd0, steps=400, step=0.01, every=0.1)
    assert run.finite.tolist() == [True] * 4 + [False] + [True] * 4
    assert_array_equal(run.q[0], run.q[8])
    first = run.t[
        np.argmax(~np.isfinite(run.q[4]).all(axis=1) | ~np.isfinite(run.qd[4]).all(axis=1))
    ]
    assert run.status == (
        f"1 of 9 trajectories stopped being finite, the first by t = {first:g} s; "
        "a step of 0.01 s is probably too long for them: take a shorter one"
    )
    assert repr(run) == f"<Rollout of 'two_link': 41 instants; {run.status}>"


def test_a_run_that_stays_finite_says_so():
    run = qddot.rollout(ARM, [0.3, 0.2], steps=2, step=0.01)
    assert run.finite.shape == ()
    assert run.finite
    assert run.status == "1 trajectory, finite to the end"
