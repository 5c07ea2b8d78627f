"""JAX: the same numbers, under jit and vmap, and derivatives of both kinds and any order."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from complex_step import STEP
from late import jax_in_double, late
from long import long
from made import PANDA, STILL, UR5
from nearness import LAST_DIGIT, SINGLE_DIVIDED
from translated import QUANTITIES, ROBOTS, assert_same, state

import qddot
from qddot.errors import QddotError

jax = late("jax", "JAX is not installed")


@pytest.fixture(autouse=True)
def _double():
    with jax_in_double():
        yield


@pytest.mark.parametrize("name", ROBOTS)
def test_jax_gives_what_the_kernels_give(name):
    robot = qddot.load(name)
    functions = qddot.to_jax(robot)
    arrays = state(robot, 5)
    for quantity in QUANTITIES:
        given = arrays[: len(robot.program(quantity).inputs)]
        wanted = getattr(robot, quantity)(*given)
        function = getattr(functions, quantity)
        assert_same(function(*given), wanted)
        assert_same(jax.jit(jax.vmap(function))(*given), wanted)
    frame = robot.frame_names[-1]
    q = arrays[0]
    assert_same(functions.jacobian(q, frame, axes="local"), robot.jacobian(q, frame, "local"))
    qd = arrays[1]
    for at in ((), (frame,)):
        wanted = robot.all_terms(q, qd, *at)
        found = functions.all_terms(q, qd, *at)
        assert type(found) is type(wanted)
        for x, y in zip(found, wanted, strict=True):
            assert_same(x, y)
    wrench = np.arange(6.0)
    found = functions.inverse_dynamics(*arrays, wrenches={frame: wrench})
    assert_same(found, robot.inverse_dynamics(*arrays, wrenches={frame: wrench}))
    loads = dict(wrenches={frame: wrench}, axes="local", disturbance=arrays[0])
    loads |= dict(wrenches_on="environment")
    found = functions.inverse_dynamics(*arrays, **loads)
    assert_same(found, robot.inverse_dynamics(*arrays, **loads))


@pytest.mark.parametrize("name", ["rp", *long("ur5")])
def test_derivatives_are_those_of_the_kernels(name):
    robot = qddot.load(name)
    functions = qddot.to_jax(robot)
    q, qd, qdd = state(robot)
    by_q, by_qd = robot.inverse_dynamics_derivatives(q, qd, qdd)
    for how in (jax.jacfwd, jax.jacrev):
        found = jax.jit(how(functions.inverse_dynamics, argnums=(0, 1, 2)))(q, qd, qdd)
        for a, b in zip(found, (by_q, by_qd, robot.mass_matrix(q)), strict=True):
            assert_same(a, b)
    assert_same(jax.grad(functions.potential_energy)(q), robot.gravity_torque(q))


@pytest.mark.parametrize("outer", ["jacfwd", *long("jacrev")])
@pytest.mark.parametrize("inner", ["jacrev", *long("jacfwd")])
def test_second_derivatives_agree_however_they_are_taken(outer, inner):
    """By q and q̇ of the kinetic energy: against complex steps through the first derivatives."""
    robot = qddot.load("two_link")
    functions = qddot.to_jax(robot)
    q, qd, qdd = state(robot)
    slopes = getattr(jax, inner)(functions.inverse_dynamics)
    found = getattr(jax, outer)(slopes)(q, qd, qdd)
    program = robot.program("inverse_dynamics_derivatives")
    wanted = np.stack(
        [
            np.imag(program(q + 1j * STEP * e, qd.astype(complex), qdd.astype(complex))[0]) / STEP
            for e in np.eye(robot.n)
        ],
        axis=-1,
    )
    assert_same(found, wanted)
    curvature = jax.hessian(functions.kinetic_energy, argnums=1)(q, qd)
    assert_same(curvature, robot.mass_matrix(q))


def test_derivatives_are_mapped_and_batches_broadcast():
    robot = UR5
    functions = qddot.to_jax(robot)
    q, qd, qdd = state(robot, 4)
    slopes = jax.jit(jax.vmap(jax.jacfwd(functions.inverse_dynamics), in_axes=(0, None, 0)))
    wanted = robot.inverse_dynamics_derivatives(q, np.tile(qd[0], (4, 1)), qdd)[0]
    assert_same(slopes(q, qd[0], qdd), wanted)
    assert_same(
        functions.inverse_dynamics(q[:, None], qd[None], qdd[0]),
        robot.inverse_dynamics(q[:, None], qd[None], qdd[0]),
    )
    twice = jax.vmap(jax.vmap(functions.gravity_torque, in_axes=1, out_axes=1))(
        q.reshape(2, 6, 2).swapaxes(1, 2).swapaxes(1, 2)
    )
    assert twice.shape == (2, 6, 2)


def test_a_loss_goes_down():
    """A gradient through a simulated step: the torque that takes the arm where it should be."""
    robot = qddot.load("two_link")
    functions = qddot.to_jax(robot)
    q, qd, wanted = jax.numpy.zeros(2), jax.numpy.zeros(2), jax.numpy.array([2.0, -3.0])

    @jax.jit
    def loss(tau):
        return ((functions.forward_dynamics(q, qd, tau) - wanted) ** 2).sum()

    tau = jax.numpy.zeros(2)
    curvature = jax.hessian(loss)(tau)
    tau = tau - jax.numpy.linalg.solve(
        curvature, jax.grad(loss)(tau)
    )  # quadratic: one step of Newton
    assert loss(tau) < 1e-16
    assert_same(tau, robot.inverse_dynamics(q, qd, wanted))


def test_it_computes_in_single_precision_where_jax_does():
    robot = PANDA
    arrays = state(robot, 10)
    with jax_in_double(False):
        found = jax.jit(qddot.to_jax(robot).inverse_dynamics)(*arrays)
        assert found.dtype == jax.numpy.float32
    assert_same(found, robot.inverse_dynamics(*arrays), SINGLE_DIVIDED)


@pytest.mark.long
def test_without_the_kernel_jax_computes_the_same():
    """What runs on a GPU: JAX's own operations, compiled here for the CPU."""
    from qddot.backends.jax_program import _native, known

    robot = UR5.with_friction(viscous=1, coulomb=2)
    arrays = state(robot, 6)
    for quantity in ("inverse_dynamics", "inverse_dynamics_derivatives"):
        program = robot.program(quantity)
        found = jax.jit(lambda *x, of: _native(*x, of=of), static_argnames="of")(
            *map(jax.numpy.asarray, arrays), of=known(program)
        )
        wanted = program(*arrays)
        for a, b in zip(found, wanted if isinstance(wanted, tuple) else (wanted,), strict=True):
            assert_same(a, b)


def test_without_the_kernel_angles_are_those_of_numpy_at_the_edges():
    from qddot.backends.jax_program import _native, known

    edges = np.array([0.0, -0.0, 1.0, -1.0, 1e30, np.inf, -np.inf, np.nan])
    y, x = (a.ravel() for a in np.meshgrid(edges, edges))
    program = qddot.record(lambda y, x: (np.arctan2(y, x), np.floor(y)), y=(), x=())
    found = _native(jax.numpy.asarray(y), jax.numpy.asarray(x), of=known(program))
    for mine, wanted in zip(found, (np.arctan2(y, x), np.floor(y)), strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=LAST_DIGIT, atol=0)
        number = ~np.isnan(wanted)
        assert np.array_equal(np.signbit(mine)[number], np.signbit(wanted)[number])


def test_empty_batches_and_robots_without_friction_are_no_special_case():
    robot = qddot.load("rp")
    functions = qddot.to_jax(robot)
    assert functions.mass_matrix(np.zeros((0, 2))).shape == (0, 2, 2)
    assert_same(functions.friction_torque(np.ones(2)), robot.friction_torque(np.ones(2)))


def test_a_robot_without_joints_is_no_special_case():
    functions = qddot.to_jax(STILL)
    q = np.zeros((5, 0))
    assert_same(functions.pose(q, "tip"), STILL.pose(q, "tip"))
    assert functions.mass_matrix(q).shape == (5, 0, 0)


def test_whole_numbers_are_computed_with_as_jax_does():
    functions = qddot.to_jax(qddot.load("rp"))
    assert functions.gravity_torque([1, 2]).dtype == jax.numpy.float64
    assert (
        functions.inverse_dynamics(np.ones(2, np.float32), [1, 2], [0, 0]).dtype
        == jax.numpy.float32
    )


def test_threads_may_ask_for_the_same_at_once():
    robot = qddot.load("stanford")
    functions = qddot.to_jax(robot)
    q = state(robot, 3)[0]
    together = Barrier(4)

    def ask(_):
        together.wait()
        with jax_in_double():
            return jax.jit(functions.gravity_torque)(q)

    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(ask, range(4)):
            assert_same(found, robot.gravity_torque(q))


SHARED = """
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
os.environ["JAX_PLATFORMS"] = "cpu"  # also where there is a GPU
import jax, numpy as np, qddot
from jax.sharding import AxisType, PartitionSpec as P
jax.config.update("jax_enable_x64", True)
functions = qddot.to_jax(qddot.load("rp"))
mesh = jax.make_mesh((2,), ("d",), axis_types=(AxisType.Auto,))
q, qd = np.random.default_rng(0).normal(size=(8, 2)), np.ones(2)
torque = lambda q, qd: functions.inverse_dynamics(q, qd, qd)
shared = jax.shard_map(torque, mesh=mesh, in_specs=(P("d"), P()), out_specs=P("d"))
for f in (torque, shared):
    found = jax.grad(lambda q, qd: f(q, qd).sum(), argnums=(0, 1))(q, qd)
    print(*(float(x).hex() for x in np.concatenate([np.ravel(x) for x in found])))
"""


@pytest.mark.long
def test_gradients_are_right_when_devices_share_the_work():
    if not hasattr(jax, "shard_map"):
        pytest.skip("this JAX has no jax.shard_map")
    done = subprocess.run([sys.executable, "-c", SHARED], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    alone, shared = (
        np.array([float.fromhex(x) for x in line.split()]) for line in done.stdout.splitlines()
    )
    assert_same(shared, alone)


def test_mistakes_are_told_in_words():
    functions = qddot.to_jax(PANDA)
    with pytest.raises(QddotError, match=r"q has shape \(6,\); it must have shape \(..., 7\)"):
        functions.gravity_torque(np.zeros(6))
    with pytest.raises(QddotError, match="do not fit together"):
        functions.inverse_dynamics(np.zeros((2, 7)), np.zeros((3, 7)), np.zeros(7))
    with pytest.raises(QddotError, match=r"takes 3 arrays \(q, qd, qdd\), not 1"):
        functions.inverse_dynamics(np.zeros(7))
    with pytest.raises(AttributeError, match="Did you mean 'mass_matrix'"):
        functions.mass_matrx  # noqa: B018
    with pytest.raises(QddotError, match="needs a frame"):
        functions.pose(np.zeros(7))
    with pytest.raises(QddotError, match="Did you mean 'tool'"):
        functions.pose(np.zeros(7), "tol")
    with pytest.raises(QddotError, match="symbols without a value"):
        qddot.to_jax(qddot.load("two_link_symbolic"))
