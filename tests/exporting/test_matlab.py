"""Exported MATLAB: GNU Octave runs it, it checks itself, and it gives what the kernels give."""

from __future__ import annotations

import math
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from command_line import run
from nearness import ROUND_OFF, assert_near
from translated import assert_same_signs

import qddot
from qddot.backends.matlab import number
from qddot.control.laws import ComputedTorque
from qddot.exporting.matlab_files import field_names
from qddot.motions import Setpoint
from qddot.program.operations import OPERATIONS
from qddot.program.program import Port, Program, Step

ROBOTS = ("pendulum", "two_link", "rp", "double_pendulum", "scara", "ur5", "panda")
SYMBOLIC = ("two_link_symbolic", "rp_symbolic", "mass_spring_damper_symbolic")
SPECIAL = (0.0, -0.0, 1.0, -2.5, 7e-9, 700.0, math.inf, -math.inf, math.nan)
HOSTILE = "x'\"; system('true'); % \n%{\n"
# quantity: the file, what it is a function of, and frames
FILES = {
    "mass_matrix": ("M", ("q",)),
    "coriolis_matrix": ("C", ("q", "qd")),
    "velocity_torque": ("velocity_torque", ("q", "qd")),
    "gravity_torque": ("g", ("q",)),
    "friction_torque": ("friction_torque", ("qd",)),
    "inverse_dynamics": ("inverse_dynamics", ("q", "qd", "last")),
    "forward_dynamics": ("forward_dynamics", ("q", "qd", "last")),
    "kinetic_energy": ("kinetic_energy", ("q", "qd")),
    "potential_energy": ("potential_energy", ("q",)),
    "pose": ("pose", ("q",)),
    "jacobian": ("jacobian", ("q",)),
}
MAIN = """1;
function tell(name, x)
  fprintf('@%s:', name); fprintf(' %.17g', x.'); fprintf('\\n');
end
warning('off', 'all');
"""


def own(name: str) -> qddot.Robot:
    """Return an arm of every kind of friction with symbols, or one with names that are no names."""
    row = {"a": "L1", "mass": "m", "com": ["-L1/2", 0, 0], "inertia": ["I1", "I1", "I1"]}
    if name == "dry":
        friction = {"viscous": "fv", "coulomb": "fs", "static": "2*fs", "stribeck_velocity": "end"}
        return qddot.from_dh([row | {"friction": friction}, row], "standard", name="dry")
    return qddot.from_dh([row | {"name": HOSTILE[:22]}], "standard", name=HOSTILE).with_values(
        L1=0.5, m=2.0, I1=0.3
    )


def robot_of(name: str) -> qddot.Robot:
    return own(name) if name in ("dry", "hostile") else qddot.load(name)


def values_of(robot: qddot.Robot) -> dict[str, float]:
    return dict(zip(robot.symbols, np.linspace(0.7, 1.9, len(robot.symbols)), strict=True))


def vector(x: np.ndarray) -> str:
    return f"[{'; '.join(map(number, x))}]"


def operations() -> dict[str, tuple[Program, np.ndarray]]:
    """Return a program of every operation alone, and what it is tried on."""
    found = {}
    for name, op in OPERATIONS.items():
        step = Step(op, tuple(range(op.arity)))
        port = (Port("x", (op.arity,)),)
        program = Program(f"do_{name}", port, (), (step,), (Port("y", ()),), (op.arity,))
        cases = np.stack(np.meshgrid(*[SPECIAL] * op.arity), axis=-1).reshape(-1, op.arity)
        found[name] = program, cases
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Return a folder with the files of every robot in a folder of its own."""
    place = tmp_path_factory.mktemp("matlab")
    for name in (*ROBOTS, *SYMBOLIC, "dry", "hostile"):
        qddot.export(robot_of(name), place / name, target="matlab")
    arm = qddot.load("two_link")
    law = ComputedTorque(arm, kp=100, kd=20, reference=Setpoint(np.zeros(2)))
    more = [law, "christoffel", "inverse_dynamics_derivatives", "jacobian:link1", "jacobian:tool"]
    more += [program for program, _ in operations().values()]
    qddot.export(arm, place / "more", target="matlab", functions=more)
    return place


@pytest.fixture(scope="module")
def told(folder) -> dict[str, np.ndarray]:
    """Return what one Octave says of all of them."""
    octave = shutil.which("octave-cli")
    if not octave:
        pytest.skip("GNU Octave is not installed: apt-get install octave")
    lines = [MAIN]
    for name in (*ROBOTS, *SYMBOLIC, "dry", "hostile", "more"):
        lines += [f"addpath('{folder / name}');", f"tell('{name} check', check());"]
        robot = qddot.load("two_link") if name == "more" else robot_of(name)
        q, qd, last = (vector(x) for x in state(robot))
        given = {"q": q, "qd": qd, "last": last}
        called = field_names(robot.symbols)
        fields = ", ".join(f"'{called[k]}', {number(x)}" for k, x in values_of(robot).items())
        p = [f"struct({fields})"] if robot.symbols else []
        for file, inputs in FILES.values() if name != "more" else ():
            arguments = ", ".join([*(given[x] for x in inputs), *p])
            lines.append(f"tell('{name} {file}', {file}({arguments}));")
        if name == "more":
            lines += [f"tell('more christoffel', christoffel({q})(:));"]
            for op, (_, cases) in operations().items():
                table = "; ".join(", ".join(map(number, case)) for case in cases)
                lines.append(f"cases = [{table}]; y = zeros(rows(cases), 1);")
                lines.append(f"for k = 1:rows(cases), y(k) = do_{op}(cases(k, :)); end")
                lines.append(f"tell('more {op}', y);")
        if name == "two_link":
            lines.append("try, M([1 2 3]); catch e, tell(e.message, 1); end")
        if name == "two_link_symbolic":
            lines += [
                "try, M([1 2], 3); catch e, tell(e.message, 1); end",
                "p = parameters(); p.d1 = 30; p.d2 = 30;",
                "rate = @(t, x) [x(3:4); dir2dyn([x; zeros(4, 1)], p)];",
                "o = odeset('RelTol', 1e-8, 'AbsTol', 1e-8);",
                "[t, x] = ode45(rate, [0 1], zeros(4, 1), o);",
                "tell('S3', x(end, :));",
            ]
        lines += [f"rmpath('{folder / name}');"]
    script = folder / "main.m"
    script.write_text("\n".join(lines), "utf-8")
    done = subprocess.run([octave, "-q", "--norc", str(script)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + done.stdout[-2000:]
    lines = [line[1:] for line in done.stdout.splitlines() if line.startswith("@")]
    pairs = [line.rsplit(":", 1) for line in lines]
    return {key: np.array([float(x) for x in text.split()]) for key, text in pairs}


def state(robot: qddot.Robot) -> np.ndarray:
    return np.random.default_rng(robot.n).uniform(-1.5, 1.5, (3, robot.n))


@pytest.mark.parametrize("name", [*ROBOTS, *SYMBOLIC, "dry", "hostile"])
def test_octave_gives_what_the_kernels_give(name, told):
    symbolic = robot_of(name)
    robot = symbolic.with_values(**values_of(symbolic)) if symbolic.symbols else symbolic
    q, qd, last = state(robot)
    given = {"q": q, "qd": qd, "last": last}
    for quantity, (file, inputs) in FILES.items():
        frame = [robot.tip] if quantity in ("pose", "jacobian") else []
        wanted = getattr(robot, quantity)(*(given[x] for x in inputs), *frame)
        assert_near(told[f"{name} {file}"], np.ravel(wanted), 1e-3, tolerance=ROUND_OFF)


@pytest.mark.parametrize("name", [*ROBOTS, *SYMBOLIC, "dry", "hostile", "more"])
def test_the_check_of_every_folder_finds_nothing_wrong(name, told):
    assert told[f"{name} check"] == 0


def test_a_file_that_was_changed_is_found_wrong(folder, told, tmp_path):
    shutil.copytree(folder / "rp", tmp_path / "rp")
    file = tmp_path / "rp" / "g.m"
    file.write_text(file.read_text().replace("cos(q(1))", "sin(q(1))"))
    words = ["octave-cli", "-q", "--norc", "--path", str(tmp_path / "rp"), "--eval", "check();"]
    said = subprocess.run(words, capture_output=True, text=True).stdout
    assert said.count("WRONG") == 1
    assert "1 of the functions are wrong" in said


def test_the_block_of_the_lecture_falls_as_its_reference(told):
    """D = 30 at t = 1 s, by an independent solver with tolerance 1e-12."""
    reference = [-2.29544577, -0.27096994, -2.43884175, -0.37532808]
    np.testing.assert_allclose(told["S3"], reference, rtol=0, atol=2e-7)


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_means_what_it_means_in_numpy(name, told):
    _, cases = operations()[name]
    with np.errstate(all="ignore"):
        wanted = [float(OPERATIONS[name].apply(*case)) for case in cases]
    np.testing.assert_allclose(told[f"more {name}"], wanted, rtol=5e-16, atol=0)
    assert_same_signs(name, told[f"more {name}"], wanted)


def test_three_axes_keep_their_order(told):
    robot = qddot.load("two_link")
    wanted = robot.christoffel(state(robot)[0])
    assert_near(told["more christoffel"], wanted.reshape(-1, order="F"))


def test_wrong_arguments_are_told(told):
    assert "q must be 2 real numbers." in told
    assert "p must be a struct of parameters, see parameters.m." in told


# what needs no Octave


def test_a_short_robot_with_symbols_is_written_as_its_formulas(folder):
    text = (folder / "two_link_symbolic" / "M.m").read_text()
    assert "value(1, 2) = p.m2*(p.aC2^2 + p.a1*p.aC2*c2) + p.I2;" in text
    text = (folder / "two_link_symbolic" / "dir2dyn.m").read_text()
    assert "ddq = M \\ (tau + tauint - h);" in text
    text = (folder / "dry" / "forward_dynamics.m").read_text()
    assert "+ p.fs*sign(qd(1));" in text
    assert "h(1) = h(1) + (p.fs)*exp(-(qd(1)/(p.parameter_3))^2)*sign(qd(1));" in text
    assert "p.aC1 = 0.5;" in (folder / "two_link_symbolic" / "parameters.m").read_text()
    assert "p.L1 = NaN;" in (folder / "dry" / "parameters.m").read_text()


def test_no_name_of_a_file_is_code(folder):
    for path in (folder / "hostile").glob("*.m"):
        code = [line for line in path.read_text().splitlines() if not line.startswith("%")]
        assert not [line for line in code if "system" in line], path
        assert path.read_text().isascii()


def test_no_two_files_are_one_where_letters_are_not_told_apart(tmp_path):
    own = [qddot.record(lambda q: 2 * q, name, q=(1,)) for name in ("m", "check", "c", "C_")]
    functions = ["mass_matrix", "coriolis_matrix", *own[:3]]
    done = qddot.export("pendulum", tmp_path, target="matlab", functions=functions)
    names = [path.name.lower() for path in done.files]
    assert len(set(names)) == len(names) == 7
    assert {"M.m", "C.m", "m_.m", "check_.m", "c_.m"} < {path.name for path in done.files}


def test_the_command_line_writes_symbols_and_numbers(tmp_path):
    done = run("export", "rp_symbolic", "--target", "matlab", "-o", tmp_path / "a")
    assert done.returncode == 0, done.stderr
    assert "dir2dyn" in done.stdout
    words = ["--set", "m1=3", "--functions", "mass_matrix", "-o", tmp_path / "b"]
    done = run("export", "rp_symbolic", "--target", "matlab", *words)
    assert {path.name for path in (tmp_path / "b").iterdir()} == {
        *("M.m", "check.m", "parameters.m", "README.md")
    }
    assert "p.m1" not in (tmp_path / "b" / "parameters.m").read_text()
