"""Exported C: it compiles without a word, checks itself, and gives what the kernels give."""

from __future__ import annotations

import ctypes
import shutil
from itertools import product

import numpy as np
import pytest
from exporting.compiling import (
    DO_EACH,
    SANITIZED,
    SHARED,
    assert_as_in_numpy,
    build,
    run,
    said,
    states_of_operations,
    with_gcc,
)
from long import long, one_in
from translated import assert_same

import qddot
from qddot.control.laws import AdaptiveSlotineLi, ComputedTorque
from qddot.errors import QddotError
from qddot.exporting.c_files import c_files
from qddot.exporting.functions import commanded
from qddot.motions import Setpoint
from qddot.program.operations import OPERATIONS

ROBOTS = ("panda", "ur5", "puma560", "rp", "two_link", "double_pendulum")
QUICK = [("rp", "float64"), ("rp", "float32")]
OTHERS = [case for case in product(ROBOTS, ("float64", "float32")) if case not in QUICK]
CASES = [*QUICK, *long(*OTHERS)]
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "friction_torque")


@pytest.mark.parametrize("compiler", ["gcc", *long("clang")])
@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_it_compiles_without_a_word_and_agrees_with_itself(name, compiler, dtype, tmp_path):
    robot = qddot.load(name)
    frame = robot.frame_names[-1]
    functions = [*FUNCTIONS, f"pose:{frame}", f"jacobian:{frame}:local", f"all_terms:{frame}"]
    qddot.export(robot, tmp_path, functions=functions, dtype=dtype)
    # clang's sanitizers are a package of their own
    watched = SANITIZED if compiler == "gcc" else []
    told = said(build(tmp_path, *watched, compiler=compiler))
    assert told.count("right") == len(functions)


@with_gcc
def test_options_that_may_make_wrong_numbers_are_refused(tmp_path):
    qddot.export(qddot.load("rp"), tmp_path, functions=["mass_matrix"])
    done = run("gcc", "-ffast-math", "-fsyntax-only", tmp_path / "rp.c")
    assert done.returncode
    assert "without -ffast-math" in done.stderr


@with_gcc
def test_a_wrong_number_is_found_by_the_check(tmp_path):
    qddot.export(qddot.load("two_link"), tmp_path, functions=["mass_matrix"])
    source = tmp_path / "two_link.c"
    text = source.read_text()
    assert "out[3] = " in text
    source.write_text(text.replace("out[3] = ", "out[3] = 1.0001 * "))
    assert "WRONG" in said(build(tmp_path), 1)


@with_gcc
@pytest.mark.parametrize("name", one_in(3, ROBOTS))
def test_it_gives_what_the_kernels_give(name, tmp_path):
    robot = qddot.load(name)
    qddot.export(robot, tmp_path, functions=FUNCTIONS)
    (tmp_path / f"{name}_check.c").unlink()
    library = ctypes.CDLL(str(build(tmp_path, *SHARED)))
    q, qd, last = np.random.default_rng(1).normal(size=(3, robot.n))
    for function, given in (
        ("inverse_dynamics", (q, qd, last)),
        ("forward_dynamics", (q, qd, last)),
        ("mass_matrix", (q,)),
        ("friction_torque", (qd,)),
    ):
        wanted = getattr(robot, function)(*given)
        found = np.full(wanted.shape, np.nan)
        pointers = [ctypes.c_void_p(x.ctypes.data) for x in (*given, found)]
        library[f"{name}_{function}"](*pointers)
        assert_same(found, wanted)


@with_gcc
def test_an_array_may_be_input_and_output_at_once(tmp_path):
    robot = qddot.load("panda")
    qddot.export(robot, tmp_path, functions=["inverse_dynamics"])
    (tmp_path / "panda_check.c").unlink()
    build(tmp_path, *SHARED)
    q, qd, qdd = np.random.default_rng(2).normal(size=(3, 7))
    wanted = robot.inverse_dynamics(q, qd, qdd)
    a, b, c = (ctypes.c_void_p(x.ctypes.data) for x in (q, qd, qdd))
    ctypes.CDLL(str(tmp_path / "made"))["panda_inverse_dynamics"](a, b, c, c)
    assert_same(qdd, wanted)


@with_gcc
@pytest.mark.parametrize("single", [False, True])
def test_every_operation_means_what_it_does_in_numpy(single, tmp_path):
    states = states_of_operations(single)
    for file, text in c_files(qddot.load("pendulum"), DO_EACH, single).items():
        if not file.endswith("_check.c"):
            (tmp_path / file).write_text(text)
    library = ctypes.CDLL(str(build(tmp_path, *SHARED)))
    for name in OPERATIONS:
        found = np.full(len(states), np.nan, states.dtype)
        function = library[f"pendulum_do_{name}"]
        for k in range(len(states)):
            function(*(ctypes.c_void_p(x.ctypes.data) for x in (states[k], found[k:])))
        assert_as_in_numpy(name, found, states)


@with_gcc
@pytest.mark.parametrize(("dtype", "units"), [("float64", 2.0), ("float32", 2.0)])
def test_sine_and_cosine_are_within_units_in_the_last_place(dtype, units, tmp_path):
    """Against fifty digits, next to multiples of π/2 too."""
    import mpmath

    both = qddot.record(lambda x: np.array([np.sin(x[0]), np.cos(x[0])]), "both", x=(1,))
    qddot.export(qddot.load("pendulum"), tmp_path, functions=[both], dtype=dtype)
    (tmp_path / "pendulum_check.c").unlink()
    build(tmp_path, *SHARED, "-O2")
    run = ctypes.CDLL(str(tmp_path / "made"))["pendulum_both"]
    rng = np.random.default_rng(0)
    far = 1e3 if dtype == "float32" else 1e5
    near = np.arange(1, 300) * np.pi / 2
    angles = np.concatenate([rng.uniform(-4, 4, 1500), rng.uniform(-far, far, 800), near, -near])
    with mpmath.workdps(50):
        for angle in angles.astype(dtype):
            given, found = np.array([angle]), np.empty(2, dtype)
            run(ctypes.c_void_p(given.ctypes.data), ctypes.c_void_p(found.ctypes.data))
            for value, exact in zip(found, (mpmath.sin, mpmath.cos), strict=True):
                right = exact(mpmath.mpf(float(angle)))
                unit = np.spacing(np.abs(np.array(float(right), dtype)))
                assert abs(mpmath.mpf(float(value)) - right) <= units * float(unit), angle


@with_gcc
def test_laws_are_told_where_to_be_and_give_the_rate_of_their_state(tmp_path):
    robot = qddot.load("two_link")
    q, qd, wanted, rate, push = np.random.default_rng(0).normal(size=(5, 2))
    law = ComputedTorque(robot, kp=100.0, kd=20.0, reference=Setpoint([0.3, -0.2]))
    adaptive = AdaptiveSlotineLi(robot, lam=5.0, kd=20.0, adaptation=1.0, reference=[0.3, -0.2])
    qddot.export(robot, tmp_path, functions=[law, "mass_matrix", adaptive])
    said(build(tmp_path, *SANITIZED))
    header = (tmp_path / "two_link.h").read_text()
    assert "const double position[2]" in header
    assert "double xd[" in header
    program = commanded(law)
    names = [port.name for port in program.inputs]
    assert names == ["t", "q", "qd", "position", "velocity", "acceleration"]
    tau = program(0.0, q, qd, wanted, rate, push)
    asked = push - 20 * (qd - rate) - 100 * (q - wanted)
    assert np.allclose(tau, robot.inverse_dynamics(q, qd, asked), rtol=1e-12)


@pytest.mark.skipif(not shutil.which("cmake"), reason="cmake is not installed")
@with_gcc
def test_cmake_builds_and_checks_it(tmp_path):
    qddot.export(qddot.load("rp"), tmp_path / "rp")
    for command in (
        ["cmake", "-S", "rp", "-B", "build"],
        ["cmake", "--build", "build"],
        ["ctest", "--test-dir", "build"],
    ):
        done = run(*command, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr


def test_no_name_from_a_file_is_code(tmp_path):
    text = (
        'name = "arm*/int x;/*"\nconvention = "standard"\n'
        '[[dh]]\nname = "j */ system(1); /*"\ntheta = 0\na = 1\nmass = 1\n'
    )
    (tmp_path / "arm.toml").write_text(text)
    try:
        robot = qddot.load(tmp_path / "arm.toml")
    except QddotError:
        pytest.skip("such names are refused by the reader")
    exported = qddot.export(robot, tmp_path / "c", functions=["mass_matrix"])
    for path in exported.files:
        assert path.stem.replace("_", "").isalnum()
        code = path.read_text()
        while "/*" in code:  # what is left without comments
            before, _, rest = code.partition("/*")
            code = before + rest.partition("*/")[2]
        assert "system" not in code
        assert "int x" not in code


def test_nothing_is_overwritten_unless_forced(tmp_path):
    robot = qddot.load("pendulum")
    qddot.export(robot, tmp_path, functions=["mass_matrix"])
    kept = (tmp_path / "pendulum.c").read_text()
    with pytest.raises(QddotError, match="there already"):
        qddot.export(robot, tmp_path, functions=["inverse_dynamics"])
    assert (tmp_path / "pendulum.c").read_text() == kept
    qddot.export(robot, tmp_path, functions=["inverse_dynamics"], force=True)
    assert (tmp_path / "pendulum.c").read_text() != kept
