"""PyTorch: the same numbers, gradients of gradients, torch.func and torch.compile."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from late import late
from long import long
from made import PANDA, STILL, UR5
from nearness import DIVIDED, SINGLE_DIVIDED
from translated import QUANTITIES, ROBOTS, assert_same, state

import qddot
from qddot.errors import QddotError

torch = late("torch", "PyTorch is not installed")


def tensors_of(robot, *batch, **options):
    return [torch.tensor(x, **options) for x in state(robot, *batch)]


def numpy_of(tensors):
    return [x.detach().numpy() for x in tensors]


def assert_close(found, wanted, tolerance=DIVIDED):
    assert_same(found.detach().numpy(), wanted, tolerance)


@pytest.mark.parametrize("name", ROBOTS)
def test_pytorch_gives_what_the_kernels_give(name):
    robot = qddot.load(name)
    functions = qddot.to_torch(robot)
    tensors = tensors_of(robot, 5)
    for quantity in QUANTITIES:
        given = tensors[: len(robot.program(quantity).inputs)]
        wanted = getattr(robot, quantity)(*numpy_of(given))
        assert_close(getattr(functions, quantity)(*given), wanted)
        assert_close(torch.func.vmap(getattr(functions, quantity))(*given), wanted)
    single = [x.float() for x in tensors]
    found = functions.inverse_dynamics(*single)
    assert found.dtype == torch.float32
    assert_close(found, robot.inverse_dynamics(*numpy_of(tensors)), SINGLE_DIVIDED)


@pytest.mark.parametrize("name", ["two_link", "rp"])
def test_gradients_and_their_gradients_are_right(name):
    """Against finite differences, by PyTorch's own checks."""
    robot = qddot.load(name)
    functions = qddot.to_torch(robot)
    given = tensors_of(robot, 2, requires_grad=True)
    assert torch.autograd.gradcheck(functions.inverse_dynamics, given, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(functions.inverse_dynamics, given)
    assert torch.autograd.gradcheck(functions.forward_dynamics, given, rtol=1e-4)


def test_every_way_of_torch_func_gives_the_same_jacobian():
    robot = UR5
    functions = qddot.to_torch(robot)
    q, qd, qdd = tensors_of(robot, 3)
    wanted = robot.inverse_dynamics_derivatives(*numpy_of((q, qd, qdd)))[0]
    for how in (torch.func.jacrev, torch.func.jacfwd):
        assert_close(torch.func.vmap(how(functions.inverse_dynamics))(q, qd, qdd), wanted)
    stiffness = torch.func.vmap(torch.func.hessian(functions.potential_energy))(q)
    assert_close(stiffness, torch.func.vmap(torch.func.jacrev(functions.gravity_torque))(q).numpy())


@pytest.mark.long
def test_torch_compile_goes_through_without_a_break():
    robot = UR5
    functions = qddot.to_torch(robot)
    q, qd, qdd = tensors_of(robot, 4, requires_grad=True)

    def loss(q, qd, qdd):
        return functions.inverse_dynamics(q, qd, qdd).square().sum()

    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    wanted = torch.autograd.grad(loss(q, qd, qdd), q)[0]
    assert_close(torch.autograd.grad(compiled(q, qd, qdd), q)[0], wanted.numpy())


def test_a_quantity_may_first_be_asked_for_inside_what_is_compiled():
    robot = qddot.load("rp")
    functions = qddot.to_torch(robot)
    (q, *_) = tensors_of(robot, 3)
    compiled = torch.compile(lambda q: functions.mass_matrix(q), backend="eager", fullgraph=True)
    assert_close(compiled(q), robot.mass_matrix(q.numpy()))


@pytest.mark.parametrize("how", ["jacfwd", *long("jacrev")])
def test_derivatives_of_torch_func_are_right_inside_what_is_compiled(how):
    """PyTorch sees no derivative of the operator there, and would take it for zero."""
    robot = qddot.load("rp")
    functions = qddot.to_torch(robot)
    q = tensors_of(robot, 3)[0]
    slope = torch.func.vmap(getattr(torch.func, how)(functions.potential_energy))
    found = torch.compile(slope, backend="eager")(q)
    assert_close(found, robot.gravity_torque(q.numpy()))


def test_names_of_programs_mean_the_same_in_every_process():
    """Graphs are kept on a disk, with names of derivatives that nobody has asked for yet."""
    from qddot.backends.torch_program import PROGRAM_BY_NAME, known

    robot = qddot.load("stanford")
    qddot.to_torch(robot).potential_energy(torch.zeros(6, dtype=torch.float64))
    name = robot.program("potential_energy").digest
    assert name in PROGRAM_BY_NAME
    for more in ("<", ">", "<<", "<>"):
        assert name + more not in PROGRAM_BY_NAME
        assert known(name + more) is known(name + more)


def test_gradients_have_gradients_as_often_as_wanted():
    functions = qddot.to_torch(qddot.load("pendulum"))
    q = torch.tensor([0.7], dtype=torch.float64, requires_grad=True)
    ways = [functions.potential_energy(q)]
    for _ in range(5):
        ways.append(torch.autograd.grad(ways[-1].sum(), q, create_graph=True)[0])
    for k in (1, 2, 3):  # a sine, so that every second one is the same with another sign
        assert_close(ways[k + 2], -ways[k].detach().numpy())


def test_whole_numbers_and_arrays_of_any_layout_are_taken():
    robot = qddot.load("rp")
    functions = qddot.to_torch(robot)
    array = np.arange(8.0).reshape(4, 2)
    array.flags.writeable = False
    assert_close(functions.gravity_torque(array[::-1]), robot.gravity_torque(array[::-1]))
    q = torch.tensor(array.T)
    assert_close(functions.gravity_torque(q.T), robot.gravity_torque(array))
    assert functions.gravity_torque(torch.tensor([1, 2])).dtype == torch.float32
    torch.set_default_dtype(torch.float64)
    try:
        assert functions.gravity_torque(torch.tensor([1, 2])).dtype == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_functions_are_copied_and_sent():
    functions = qddot.to_torch(qddot.load("rp"))
    q = torch.ones(2, dtype=torch.float64)
    wanted = functions.gravity_torque(q)
    for other in (copy.deepcopy(functions), pickle.loads(pickle.dumps(functions))):
        assert torch.equal(other.gravity_torque(q), wanted)


def test_a_robot_without_joints_is_no_special_case():
    functions = qddot.to_torch(STILL)
    q = torch.zeros(5, 0, dtype=torch.float64)
    assert_close(functions.pose(q, "tip"), STILL.pose(q.numpy(), "tip"))
    assert functions.mass_matrix(q).shape == (5, 0, 0)


def test_a_network_can_learn_through_it():
    """Gravity compensation learnt from the energy that the torque leaves."""
    robot = qddot.load("two_link").with_options(threads=1)
    functions = qddot.to_torch(robot)
    torch.manual_seed(0)
    weights = torch.zeros(2, 2, dtype=torch.float64, requires_grad=True)
    q = torch.rand(64, 2, dtype=torch.float64) - 0.5
    features = torch.stack([torch.cos(q[:, 0]), torch.cos(q.sum(dim=1))], dim=1)
    optimiser = torch.optim.LBFGS([weights], max_iter=50)

    def closure():
        optimiser.zero_grad()
        tau = features @ weights
        loss = functions.forward_dynamics(q, torch.zeros_like(q), tau).square().mean()
        loss.backward()
        return loss

    optimiser.step(closure)
    assert closure() < 1e-10  # g is linear in these two


def test_mistakes_are_told_in_words():
    functions = qddot.to_torch(PANDA)
    with pytest.raises(QddotError, match=r"q has shape \(6,\); it must have shape \(..., 7\)"):
        functions.gravity_torque(torch.zeros(6))
    with pytest.raises(QddotError, match="do not fit together"):
        functions.inverse_dynamics(torch.zeros(2, 7), torch.zeros(3, 7), torch.zeros(7))
    with pytest.raises(QddotError, match="q is not an array of real numbers"):
        functions.gravity_torque(torch.zeros(7, dtype=torch.complex128))
    with pytest.raises(QddotError, match=r"takes 3 arrays \(q, qd, qdd\), not 1"):
        functions.inverse_dynamics(torch.zeros(7))
