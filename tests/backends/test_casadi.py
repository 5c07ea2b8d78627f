"""CasADi: the same numbers, as functions that an optimal control problem can be made of."""

from __future__ import annotations

import numpy as np
import pytest
from translated import QUANTITIES, ROBOTS, assert_same, state

import qddot
from qddot.program.operations import OPERATIONS
from qddot.program.program import Port, Program, Step

casadi = pytest.importorskip("casadi", reason="CasADi is not installed")


def assert_close(found, wanted):
    assert_same(np.asarray(found).reshape(np.shape(wanted)), wanted)


@pytest.mark.parametrize("name", ROBOTS)
def test_casadi_gives_what_the_kernels_give(name):
    robot = qddot.load(name)
    functions = qddot.to_casadi(robot)
    arrays = state(robot)
    for quantity in QUANTITIES:
        given = arrays[: len(robot.program(quantity).inputs)]
        assert_close(getattr(functions, quantity)(*given), getattr(robot, quantity)(*given))
    frame = robot.frame_names[-1]
    assert_close(functions.pose(arrays[0], frame), robot.pose(arrays[0], frame))
    found = functions.christoffel(arrays[0])
    assert found.shape == (robot.n, robot.n**2)
    assert_close(found, robot.christoffel(arrays[0]))


def test_derivatives_by_casadi_are_those_of_the_kernels():
    robot = qddot.load("ur5")
    functions = qddot.to_casadi(robot)
    symbols = [casadi.MX.sym(name, 6) for name in ("q", "qd", "qdd")]
    tau = functions.inverse_dynamics(*symbols)
    slopes = casadi.Function("slopes", symbols, [casadi.jacobian(tau, s) for s in symbols])
    arrays = state(robot, seed=1)
    wanted = (*robot.inverse_dynamics_derivatives(*arrays), robot.mass_matrix(arrays[0]))
    for found, right in zip(slopes(*arrays), wanted, strict=True):
        assert_close(found, right)


def test_functions_have_names_and_can_be_mapped():
    function = qddot.to_casadi(qddot.load("panda")).lowered("inverse_dynamics")
    assert function.name_in() == ["q", "qd", "qdd"]
    states = np.random.default_rng(0).normal(size=(3, 7, 20))
    found = function.map(20)(*states)
    wanted = qddot.load("panda").inverse_dynamics(*(x.T for x in states))
    assert_close(np.asarray(found).T, wanted)


def test_names_that_casadi_keeps_for_itself_are_replaced():
    from qddot.backends.casadi_program import function

    made = function(qddot.record(lambda jac, q: {"q": jac + q}, "hess", jac=(2,), q=(2,)))
    assert (made.name(), made.name_in(), made.name_out()) == ("program", ["i0", "q"], ["o0"])


def test_every_operation_means_what_it_does_in_numpy():
    from qddot.backends.casadi_program import function

    values = np.array([-2.5, -1.0, 0.0, 0.7, 1.0, 3.0])
    for op in OPERATIONS.values():
        program = Program(
            "one",
            (Port("x", (3,)),),
            (),
            (Step(op, tuple(range(op.arity))),),
            (Port("y", ()),),
            (3,),
        )
        run = function(program)
        for x in np.array(np.meshgrid(values, values, values)).reshape(3, -1).T:
            with np.errstate(all="ignore"):
                wanted = op.apply(*x[: op.arity])
            if np.isfinite(wanted):
                assert np.isclose(float(run(x)), wanted, rtol=1e-14, atol=0), op.name
