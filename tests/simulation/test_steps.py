"""The methods of fixed step: their orders, and what each is known for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from made import ARM
from nearness import assert_near
from random_trees import poised, spin

import qddot
from qddot.dynamics.coriolis import coriolis_matrix
from qddot.dynamics.momentum import centrifugal_rate
from qddot.dynamics.regroup import regrouped
from qddot.program.operations import OPERATIONS
from qddot.simulation.acting import Forces, Law, law_of
from qddot.simulation.equation import System
from qddot.simulation.steps import METHODS, iteration

ORDERS = {"semi_implicit_euler": 1, "midpoint": 2, "rk4": 4}


def end(method: str, steps: int) -> np.ndarray:
    """Return where a second of motion leads, in so many steps."""
    run = qddot.rollout(
        *(ARM, [0.4, -0.7], [0.3, 0.5]), steps=steps, step=1 / steps, every=1.0, method=method
    )
    return np.concatenate([run.q[-1], run.qd[-1]])


@pytest.mark.parametrize("method", METHODS)
def test_halving_the_step_divides_the_error_by_two_to_the_order(method):
    exact = end("rk4", 8192)
    errors = [np.abs(end(method, steps) - exact).max() for steps in (128, 256, 512)]
    order = np.log2(np.divide(errors[:-1], errors[1:]))
    assert np.abs(order - ORDERS[method]).max() < 0.1


def test_the_stage_that_runs_four_times_is_the_step_of_four_stages():
    law = law_of(qddot.record(lambda q, qd, t: t - qd, q=(2,), qd=(2,), t=()), 2)
    system = System(ARM.model, Forces(law), ())
    long, short = (iteration(system, "rk4", short=short) for short in (False, True))
    nothing, ends = np.zeros(0), []
    for loop in (long, short):
        state = loop.start([0.4, -0.7], [0.3, 0.5], nothing, nothing)
        for t in (0.7, 0.75):
            for stage in loop.stages:
                for _ in range(stage.repeats):
                    state = stage.program(state, nothing, nothing, t, 0.05)
        ends.append(np.concatenate(loop.kept(state, nothing)))
    np.testing.assert_allclose(*ends, rtol=1e-13)
    assert len(long) > 3 * len(short.stages[0].program)


def energies(method: str, steps: int, step: float) -> np.ndarray:
    """Return the change of energy of an undamped double pendulum along a long swing."""
    robot = qddot.load("double_pendulum").without("friction")
    run = qddot.rollout(robot, [0.9, 0.5], steps=steps, step=step, every=10 * step, method=method)
    E = robot.kinetic_energy(run.q, run.qd) + robot.potential_energy(run.q)
    return np.abs(E - E[0]) / robot.kinetic_energy(run.q, run.qd).max()


def test_the_midpoint_rule_keeps_the_energy_where_runge_kutta_lets_it_drift():
    """Over thousands of swings: one error stays as it is, the other grows with time."""
    kept, drifting = (energies(method, 400_000, 0.02) for method in ("midpoint", "rk4"))
    early, late = slice(0, len(kept) // 10), slice(-(len(kept) // 10), None)
    assert kept[late].max() < 1.5 * kept[early].max()
    assert drifting[late].min() > 5 * drifting[early].max()


SLIDER = qddot.from_dh([{"type": "prismatic", "mass": 2.0}], "standard", gravity=(0, 0, 0))


def sprung(stiffness: float) -> dict:
    return {"torque": qddot.record(lambda q: -stiffness * q, q=(1,))}


@pytest.mark.parametrize(
    ("where", "stiffness"), [("model", 1e2), ("model", 1e6), ("law", 2e4), ("law", 1e9)]
)
def test_the_midpoint_rule_turns_an_oscillator_by_its_own_angle(where, stiffness, tmp_path):
    """Of a mass on a spring the rule makes a turn by 2 atan(h ω/2) a step, however stiff it is."""
    h, steps = 1e-3, 60
    if where == "model":
        path = tmp_path / "sprung.toml"
        SLIDER.save(path)
        text = path.read_text().replace('type = "prismatic"', f'type = "prismatic"\n'
                                        f"spring = {{ stiffness = {stiffness} }}")  # fmt: skip
        path.write_text(text)
        robot, more = qddot.load(path), {}
    else:
        robot, more = SLIDER, sprung(stiffness)
    angle = 2 * np.arctan(h * np.sqrt(stiffness / 2.0) / 2)
    expected = 0.1 * np.cos(angle * np.arange(steps + 1))
    run = qddot.rollout(robot, [0.1], steps=steps, step=h, method="midpoint", **more)
    np.testing.assert_allclose(run.q[:, 0], expected, rtol=0, atol=1e-8)
    alone = qddot.simulate(
        robot, [0.1], duration=h * steps, every=h, step=h, method="midpoint", audit_limit=1, **more
    )
    np.testing.assert_allclose(alone.q[:, 0], expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("coulomb", [3.0, 30.0, 3000.0])
def test_the_midpoint_rule_holds_with_dry_friction_that_is_stiff_for_the_step(coulomb):
    """m (v⁺ − v) = h (τ − F tanh(v_m / s)) with v_m = (q⁺ − q) / h, through stops and starts."""
    rough, h, s = SLIDER.with_friction(coulomb=coulomb), 1e-3, 0.01
    torques = 1.5 * coulomb * np.sin(np.arange(400)[:, None] * 0.03)
    run = qddot.rollout(
        rough, [0.0], [0.02], torques=torques, steps=400, step=h, smoothing=s, method="midpoint"
    )
    middle = np.diff(run.q[:, 0]) / h
    assert middle.min() < 0 < middle.max()
    pushed = h * (torques[:, 0] - coulomb * np.tanh(middle / s))
    np.testing.assert_allclose(2.0 * np.diff(run.qd[:, 0]), pushed, rtol=0, atol=1e-6 * h * coulomb)


def test_a_step_that_the_midpoint_rule_cannot_solve_is_told():
    for run in (
        qddot.rollout(ARM, [0.4, -0.7], [0.3, 0.5], steps=50, step=2.0, method="midpoint"),
        qddot.rollout(ARM, [[0.4, -0.7]], [[30, 50.0]], steps=50, step=0.5, method="midpoint"),
    ):
        assert not run.finite.any()
        assert "a step of" in run.status
        assert "is probably too long" in run.status


@given(poised(2))
def test_the_rate_of_momentum_that_is_no_force_is_the_transposed_coriolis_torque(drawn):
    """∂K/∂q = C(q, q̇)ᵀ q̇ for the Christoffel C, followers and slides included."""
    tree, q, qd = drawn
    C = np.asarray(coriolis_matrix(tree, q, qd), dtype=float)
    terms = spin(tree, q, qd, qd)
    assert_near(centrifugal_rate(tree, q, qd), C.T @ qd, terms)
    assert_near(centrifugal_rate(regrouped(tree), q, qd), C.T @ qd, terms, tolerance=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_a_step_is_plain_data_from_states_to_states(method):
    """What another backend needs: programs with the same inputs, and how often each runs."""
    law = qddot.record(lambda t, q, x, k: {"tau": k * q + t, "xd": x}, t=(), q=(2,), x=(3,), k=())
    loop = iteration(
        System(ARM.model, Forces(Law(law, 2), True, smoothing=0.01), ("j1.m",)), method
    )
    for stage in loop.stages:
        assert [port.name for port in stage.program.inputs] == [
            "state",
            "constants",
            "given",
            "t",
            "h",
        ]
        (output,) = stage.program.outputs
        assert output.shape == stage.program.inputs[0].shape
        assert all(step.op.name in OPERATIONS for step in stage.program.steps)
        stage.program.check()
    assert loop.sizes["constants"] == 2
    assert loop.sizes["given"] == 2
    assert [port.name for port in loop.kept.outputs] == ["q", "qd", "x"]
    assert len(loop) == sum(len(stage.program) * stage.repeats for stage in loop.stages)


@pytest.mark.parametrize("method", METHODS)
def test_the_programs_run_by_hand_give_the_rollout(method):
    loop = iteration(System(ARM.model, Forces(smoothing=0.01)), method)
    state = np.asarray(loop.start([0.4, -0.7], [0.3, 0.5], [], []), dtype=float)
    for k in range(5):
        for stage in loop.stages:
            for _ in range(stage.repeats):
                state = np.asarray(stage.program(state, [], [], k * 0.01, 0.01), dtype=float)
    q, qd = loop.kept(state, [])
    run = qddot.rollout(ARM, [0.4, -0.7], [0.3, 0.5], steps=5, step=0.01, method=method)
    assert_near(run.q[-1], q)
    assert_near(run.qd[-1], qd)
