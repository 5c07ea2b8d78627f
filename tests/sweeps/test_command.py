"""`qddot sweep`: what it promises to people and to machines."""

import json
from pathlib import Path

import pytest
from command_line import run

import qddot
from qddot.sweeps.unit import Units

PLAN = """
robot = "pendulum"
q0 = [0.0]
duration = 0.1
draws = 30
unit = 10

[vary]
q0 = { uniform = [-1, 1] }
friction.viscous = { grid = [0.0, 0.1] }
"""


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


def test_a_plan_is_run_and_told_in_a_few_lines(plan, tmp_path):
    done = run("sweep", plan, "-o", tmp_path / "runs", "--workers", 0)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert any(line.startswith("energy.kinetic ") for line in lines)
    assert lines[-2].startswith("60 runs, complete, ")
    assert lines[-1] == str(tmp_path / "runs")
    assert max(map(len, lines[:-1])) <= 96
    assert not done.stderr


def test_machines_get_the_same_facts(plan, tmp_path):
    words = ("sweep", plan, "-o", tmp_path / "runs", "--workers", 0, "--json")
    facts = json.loads(run(*words).stdout, parse_constant=pytest.fail)
    assert (facts["runs"], facts["units"], facts["done"], facts["complete"]) == (60, 6, 6, True)
    assert facts["failed"] == {}
    assert facts["summary"]["q0.j1"]["count"] == 60
    found = qddot.load_sweep(tmp_path / "runs")
    assert facts["summary"]["final.q.j1"]["mean"] == pytest.approx(
        found.column("final.q.j1").mean()
    )


def test_a_check_says_what_would_run_and_writes_nothing(plan, tmp_path):
    done = run("sweep", plan, "--check")
    assert done.stdout.splitlines()[0] == (
        "pendulum: 60 runs of 0.1 s (100 steps), in 6 units of 10"
    )
    assert "  friction.viscous: 2 values" in done.stdout
    facts = json.loads(run("sweep", plan, "--check", "--json").stdout)
    assert facts["varied"] == {"q0": "uniform", "friction.viscous": "grid"}
    assert [path.name for path in tmp_path.iterdir()] == ["plan.toml"]


def test_a_failed_unit_has_status_1_and_is_told(plan, tmp_path, monkeypatch):
    whole = Units.part

    def part(self, unit):
        if unit:
            return whole(self, unit)
        raise ZeroDivisionError("oh")

    words = ("sweep", plan, "-o", tmp_path / "runs", "--workers", 0)
    with monkeypatch.context() as patched:
        patched.setattr(Units, "part", part)
        done = run(*words)
    assert done.returncode == 1
    assert "unit 0 failed: ZeroDivisionError: oh" in done.stdout
    assert "1 units failed; the same command tries them again." in done.stdout
    assert run(*words).returncode == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["plan.toml"], "Give a folder for the results, -o FOLDER"),
        (["gone.toml", "-o", "runs"], "gone.toml: it does not exist"),
        (["panda", "-o", "runs"], "a plan is a .toml file"),
        ([], "Missing argument 'PLAN'"),
        (["plan.toml", "-o", "runs", "--workers", "-1"], "--workers"),
        (["plan.toml", "-o", "runs", "--worker", "1"], "Did you mean '--workers'?"),
        (["plan.toml", "-o", "plan.toml"], "cannot be made"),
        (["plan.toml", "-o", "runs", "--workers", "1", "--client", "tcp://x"], "not both"),
        (["new.toml", "--new", "pnada"], "Did you mean 'panda'?"),
        (["new.toml", "--new", "two_link_symbolic"], "has symbols without a value"),
        (["plan.toml", "--new", "panda"], "is there already and is left as it is"),
        (["new.txt", "--new", "panda"], "A plan is written as .toml"),
    ],
)
def test_a_wrong_command_line_has_status_2_and_few_words(words, message, plan, tmp_path):
    done = run("sweep", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) <= 6
    assert not done.stdout
    assert plan.read_text() == PLAN
    assert {path.name for path in tmp_path.iterdir()} <= {"plan.toml"}


def test_a_plan_with_a_typo_has_status_2_with_file_line_and_key(plan, tmp_path):
    plan.write_text(PLAN.replace("q0 = { uniform", "qo = { uniform"))
    done = run("sweep", plan, "-o", tmp_path / "runs")
    assert done.returncode == 2
    assert f"{plan}:9: [vary]: qo: nothing of this name can vary. Did you mean 'q0'?" in done.stderr
    assert not (tmp_path / "runs").exists()


def test_the_plan_that_is_written_runs(tmp_path):
    path = tmp_path / "plan.toml"
    assert run("sweep", path, "--new", "two_link").stdout == f"{path}\n"
    assert 'robot = "two_link"' in path.read_text()
    assert "400 runs" in run("sweep", path, "--check").stdout
    assert Path(path).stat().st_size < 1500
