"""Exercises: the same seed gives the same sheet, and the key holds what is right."""

import re
import subprocess
import sys
import tomllib

import numpy as np
import pytest
import sympy
from long import long, one_in

import qddot
from qddot.equations import as_sympy, grade
from qddot.equations.printing import page
from qddot.errors import BadArgument
from qddot.exercises import exercise

MANY = [(seed, level) for level in (1, 2, 3) for seed in range(1, 9)]


def test_the_same_seed_gives_the_same_files_in_another_process(tmp_path):
    code = "from qddot.exercises import exercise; exercise(7, 2).write('.')"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    exercise(7, 2).write(tmp_path / "again")
    names = {"sheet.tex", "solution.tex", "arm.toml", "answers.toml", "key.toml"}
    assert {path.name for path in (tmp_path / "again").iterdir()} == names
    for name in names:
        first, second = (folder / name for folder in (tmp_path, tmp_path / "again"))
        assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(("seed", "level"), one_in(6, MANY))
def test_every_arm_moves_under_gravity_and_has_velocity_torques(seed, level):
    made = exercise(seed, level)
    eqs, values = made.equations, made.arm.values
    assert set(eqs.robot.model.symbols) == set(values)
    M = made.robot.with_values(**values).mass_matrix(np.full(made.robot.n, 0.4))
    assert np.linalg.eigvalsh(M)[0] > 1e-4
    assert any(eqs.g)
    assert any(eqs.c)
    assert made.points == sum(question.points for question in made.questions)


@pytest.mark.parametrize("count", [3, *long(5)])
def test_different_seeds_give_different_sheets(count):
    sheets = {page(exercise(seed, 2).sheet(), "text") for seed in range(count)}
    assert len(sheets) == count


def test_the_transform_and_the_jacobian_are_those_of_sympy():
    made = exercise(1, 3)  # a turntable, a shoulder and an elbow
    T, J = (next(q.value for q in made.questions if q.quantity == name) for name in "TJ")
    rows = made.arm.rows
    q = sympy.symbols("q1:4")
    total = sympy.eye(4)
    for row, angle in zip(rows, q, strict=True):
        a, alpha = sympy.Symbol(str(row["a"])) if row["a"] else 0, sympy.pi / 2
        alpha = alpha if row["alpha"] == "pi/2" else 0
        turn = sympy.rot_axis1(-alpha).row_join(sympy.Matrix([a, 0, 0]))
        spin = sympy.rot_axis3(-angle).row_join(sympy.zeros(3, 1))
        last = sympy.Matrix([[0, 0, 0, 1]])
        total = total * turn.col_join(last) * spin.col_join(last)
    assert sympy.simplify(as_sympy(np.asarray(T)) - total).is_zero_matrix
    com = total * sympy.Matrix([sympy.Symbol(rows[-1]["com"][0]), 0, 0, 1])
    assert sympy.simplify(as_sympy(np.asarray(J)) - com[:3, :].jacobian(q)).is_zero_matrix


def test_the_numbers_are_those_of_the_robot_file(tmp_path):
    made = exercise(7, 2)
    made.write(tmp_path, "html")
    robot = qddot.load(tmp_path / "arm.toml").with_values(**made.arm.values)
    key = tomllib.loads((tmp_path / "key.toml").read_text(encoding="utf-8"))
    right = {answer["quantity"]: answer.get("right") for answer in key["answer"]}
    q = [np.radians(x) if turns else x for x, turns in zip(made.arm.q, made.arm.turns, strict=True)]
    tau = robot.inverse_dynamics(q, made.arm.qd, made.arm.qdd)
    assert np.allclose([float(x) for x in right["torques"][1:-1].split(",")], tau, atol=1e-4)
    moved = qddot.simulate(robot, q, duration=0.2).q[-1]
    assert np.allclose([float(x) for x in right["positions"][1:-1].split(",")], moved, atol=2e-4)


@pytest.mark.parametrize(
    ("seed", "level", "words"),
    [(1, 4, "level is 4"), (1, 0, "level is 0"), (-1, 1, "seed is -1"), (1.5, 1, "seed is 1.5")],
)
def test_what_there_is_not_is_said(seed, level, words):
    with pytest.raises(BadArgument, match=words):
        exercise(seed, level)


@pytest.mark.parametrize("level", [1, 2, 3])
def test_the_sheet_defines_every_symbol(level):
    made = exercise(7, level)
    sheet = page(made.sheet(), "text")
    table = sheet[sheet.index("Masses, centres") : sheet.index("Numbers for")]
    assert "g⃗ = (−g, 0, 0)" in table
    for k, row in enumerate(made.arm.rows, 1):
        line = next(line for line in table.splitlines() if line.split()[:1] == [str(k)])
        centre = ", ".join(str(x) for x in row.get("com", (0, 0, 0)))
        assert line.split()[1] == row["mass"]
        assert f"({centre})" in line
        assert line.endswith(f"diag(0, I{k}, I{k})" if "inertia" in row else "0")


@pytest.mark.parametrize(("seed", "level"), one_in(6, MANY))
def test_an_arm_that_is_let_go_does_not_fall_as_a_stone(seed, level):
    made = exercise(seed, level)
    first = next(q.value for q in made.questions if q.quantity == "accelerations")
    assert first[np.array(made.arm.turns)].any()
    assert not np.signbit(first[first == 0]).any()  # no -0 on the sheet


@pytest.mark.parametrize(
    ("question", "text", "earned"),
    [
        ("3", "[[m1 + m2, m2 r2 c2], [m2 r2 c2, I2]]", 4.5),
        ("6", "[0, m2 g r2 s2]", 0),  # the zero alone earns nothing
        ("1", "[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]", 0),
    ],
)
def test_right_entries_of_a_wrong_answer_earn_their_share(question, text, earned, tmp_path):
    exercise(7, 2).write(tmp_path, "text")
    answer = f'[[answer]]\nquestion = "{question}"\ntext = "{text}"\n'
    (tmp_path / "mine.toml").write_text(answer)
    assert grade(tmp_path / "mine.toml", tmp_path / "key.toml").earned == earned


ALL = [(seed, level) for level in (1, 2, 3) for seed in range(1, 16)]


@pytest.mark.parametrize(("seed", "level"), one_in(15, ALL))
def test_the_estimate_of_a_drop_earns_nothing_and_its_simulation_everything(seed, level, tmp_path):
    made = exercise(seed, level)
    made.write(tmp_path, "text")
    first, moved = made.questions[-2].value, made.questions[-1].value
    (t,) = re.findall(r"after ([\d.]+) s\?", made.questions[-1].words)
    q = [np.radians(x) if turns else x for x, turns in zip(made.arm.q, made.arm.turns, strict=True)]
    guess = np.array(q) + first * float(t) ** 2 / 2
    for values, wanted in ((guess, 0), (moved, 3)):
        for form in ("{:.4f}", "{:#.3g}", "{:.12g}"):
            text = f"[{', '.join(form.format(value) for value in values)}]"
            answer = f'[[answer]]\nquestion = "9"\ntext = "{text}"\n'
            (tmp_path / "mine.toml").write_text(answer)
            assert grade(tmp_path / "mine.toml", tmp_path / "key.toml").earned == wanted, text
