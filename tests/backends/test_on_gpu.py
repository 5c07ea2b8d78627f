"""JAX and PyTorch on a GPU: the CUDA kernels inside their own programs."""

from __future__ import annotations

from functools import partial

import pytest
from late import jax_in_double
from nearness import CANCELLED
from translated import assert_same, state

import qddot
from qddot.backends.device_arrays import cupy_or_error
from qddot.errors import QddotError

try:
    cupy_or_error()
    WHY = ""
except QddotError:
    WHY = "there is no GPU; on a machine that has one, pip install 'qddot[cuda]'"
pytestmark = pytest.mark.skipif(bool(WHY), reason=WHY)

ROBOTS = ("panda", "ur5", "puma560", "rp", "two_link", "double_pendulum")
QUANTITIES = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "kinetic_energy")
assert_close = partial(assert_same, tolerance=CANCELLED)  # with what dividing by M costs
MANY = 100  # states


@pytest.mark.parametrize("name", ROBOTS)
def test_jax_launches_the_kernels(name):
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    if jax.default_backend() != "gpu":
        pytest.skip("this JAX has no GPU")
    robot = qddot.load(name)
    with jax_in_double():
        functions = qddot.to_jax(robot)
        for quantity in QUANTITIES:
            program = robot.program(quantity)
            given = state(robot, MANY)[: len(program.inputs)]
            found = jax.jit(jax.vmap(getattr(functions, quantity)))(*given)
            assert_close(found, program(*given))
        q, qd, qdd = state(robot, 3)
        slopes = robot.program("inverse_dynamics_derivatives")(q, qd, qdd)[0]
        for how in (jax.jacfwd, jax.jacrev):
            found = jax.jit(jax.vmap(how(functions.inverse_dynamics)))(q, qd, qdd)
            assert_close(found, slopes)
        # in order with what JAX computes itself, in its own stream
        chained = jax.jit(lambda q: functions.gravity_torque(functions.gravity_torque(q) * 0.5 + q))
        gravity = robot.program("gravity_torque")
        assert_close(chained(q), gravity(gravity(q) * 0.5 + q))


@pytest.mark.parametrize("name", ROBOTS)
def test_pytorch_launches_the_kernels(name):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    if not torch.cuda.is_available():
        pytest.skip("this PyTorch has no GPU")
    robot = qddot.load(name)
    functions = qddot.to_torch(robot)
    for quantity in QUANTITIES:
        program = robot.program(quantity)
        given = state(robot, MANY)[: len(program.inputs)]
        found = getattr(functions, quantity)(*(torch.tensor(x, device="cuda") for x in given))
        assert found.is_cuda
        assert_close(found.cpu(), program(*given))
    q, qd, qdd = (torch.tensor(x, device="cuda") for x in state(robot, 3))
    slopes = robot.program("inverse_dynamics_derivatives")(*state(robot, 3))[0]
    found = torch.func.vmap(torch.func.jacrev(functions.inverse_dynamics))(q, qd, qdd)
    assert_close(found.cpu(), slopes)
    q.requires_grad_()
    loss = functions.potential_energy(q).sum()
    assert_close(
        torch.autograd.grad(loss, q)[0].cpu(),
        robot.program("gravity_torque")(q.detach().cpu().numpy()),
    )


def test_pytorch_launches_them_in_its_own_stream():
    """Work that waits in another stream is done before a kernel reads what it gives."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    if not torch.cuda.is_available():
        pytest.skip("this PyTorch has no GPU")
    robot = qddot.load("ur5")
    functions = qddot.to_torch(robot)
    q = state(robot, MANY)[0]
    wanted = robot.program("gravity_torque")(3 * q)
    functions.gravity_torque(torch.tensor(q, device="cuda"))
    for _ in range(3):
        with torch.cuda.stream(torch.cuda.Stream()):
            there = torch.tensor(q, device="cuda")
            torch.cuda._sleep(10_000_000)
            found = functions.gravity_torque(3 * there) + 0
            del there
            scratch = torch.full((100, 6), torch.nan, device="cuda", dtype=torch.float64)
        torch.cuda.synchronize()
        assert_close(found.cpu(), wanted)
        assert scratch.isnan().all()
