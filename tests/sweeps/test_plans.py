"""Plans: short ones run, and every mistake is told with its key and the nearest right one."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

import qddot
from qddot.errors import BadPlan
from qddot.sweeps.columns import EXACT
from qddot.sweeps.plan import Plan, plan_text, study_of, write_plan

TWO = {"robot": "two_link", "duration": 1.0}


def with_vary(**lines):
    return TWO | {"vary": lines}


def with_control(**more):
    return TWO | {"control": {"law": "pd_gravity"} | more}


WRONG = {
    "a typo in a key": (
        TWO | {"drws": 5},
        "drws: this key means nothing here. Did you mean 'draws'?",
    ),
    "no duration": ({"robot": "two_link"}, "duration: it is not given"),
    "a negative duration": (TWO | {"duration": -1}, "duration: it is -1. Give how long a run"),
    "text for a number": (TWO | {"step": "fast"}, "step: 'fast' is not a number or a formula"),
    "a step that does not fit": (TWO | {"step": 0.3}, "0.3 s does not go into 1 s"),
    "rows that do not fit": (TWO | {"every": 0.0105}, "every:"),
    "no runs": (TWO | {"draws": 0}, "draws: it is 0. Give a whole number, 1 or more"),
    "half a run": (TWO | {"draws": 2.5}, "draws: it is 2.5"),
    "draws of nothing": (TWO | {"draws": 9}, "draws: nothing is drawn"),
    "a negative seed": (TWO | {"seed": -1}, "seed: it is -1"),
    "an unknown engine": (TWO | {"engine": "exakt"}, "Did you mean 'exact'?"),
    "an unknown method": (TWO | {"method": "rk5"}, "method: it is 'rk5'. It must be one of"),
    "a method of the other engine": (
        TWO | {"method": "RK45"},
        "method: it is 'RK45'. It must be one of",
    ),
    "a tolerance of fixed steps": (TWO | {"tolerance": 1e-6}, "the rollout engine has none"),
    "a step of adaptive ones": (TWO | {"engine": "exact", "step": 0.1}, "the exact engine has"),
    "too many joints": (TWO | {"q0": [1, 2, 3]}, "q0: it has 3 numbers. Give 2, in order: j1, j2"),
    "not finite": (TWO | {"q0": [1, float("nan")]}, "is nan at index (1,). It must be finite"),
    "an unknown family": (TWO | {"keep": ["enrgy"]}, "there is no 'enrgy'. Did you mean 'energy'?"),
    "an error without a law": (TWO | {"keep": ["error"]}, "there is no error without a law"),
    "rows of no motion": (TWO | {"motion_every": 0.1}, "no motion is kept"),
    "an unknown setting": (TWO | {"set": {"payload.tol": 1}}, "Did you mean 'payload.tool'?"),
    "a negative payload": (TWO | {"set": {"payload.tool": -1}}, "payload.tool: it is -1"),
    "nothing of this name": (with_vary(scal={"uniform": [0, 1]}), "Did you mean 'scale'?"),
    "no such joint": (with_vary(**{"q0.j3": {"uniform": [0, 1]}}), "Did you mean 'q0.j2'?"),
    "no such kind": (with_vary(q0={"unifrom": [0, 1]}), "unifrom: this means nothing here. Did"),
    "two kinds": (with_vary(q0={"uniform": [0, 1], "grid": [1]}), "it says grid and uniform"),
    "no kind": (with_vary(q0={"as": "factor"}), "it does not say how it varies"),
    "a bare list": (with_vary(q0=[1, 2]), "q0: it is a list of 2. Say how it varies"),
    "one number too many": (with_vary(q0={"uniform": [0, 1, 2]}), "Give [low, high]"),
    "the wrong way round": (with_vary(q0={"uniform": [1, 0]}), "its numbers do not rise"),
    "a negative spread": (with_vary(q0={"normal": [0, -1]}), "its standard deviation is negative"),
    "a normal friction": (
        with_vary(**{"friction.viscous": {"normal": [1, 0.1]}}),
        "a normal draw can be below 0, which friction.viscous cannot. Add clip",
    ),
    "a negative mass": (with_vary(**{"payload.tool": {"grid": [-1, 1]}}), "it can be below 0"),
    "a clip that is none": (with_vary(q0={"normal": [0, 1], "clip": [1, 0]}), "clip: its first"),
    "a clip of a grid": (with_vary(q0={"grid": [1], "clip": [0, 1]}), "clip: a grid has none"),
    "how many points": (with_vary(q0={"linspace": [0, 1, 2.5]}), "it has 2.5 points"),
    "a mode that is none": (with_vary(q0={"grid": [1], "as": "facto"}), "Did you mean 'factor'?"),
    "the same twice": (
        with_vary(**{"j1.fv": {"grid": [1]}, "friction.viscous.j1": {"grid": [2]}}),
        "friction.viscous.j1 varies already",
    ),
    "gains without a law": (with_vary(**{"control.kp": {"grid": [1]}}), "nothing of this name"),
    "no law": (
        TWO | {"control": {"reference": {}}},
        "it has no law. Add law, one of: computed_torque,",
    ),
    "an unknown law": (with_control(law="pd_gravty"), "Did you mean 'pd_gravity'?"),
    "an unknown gain": (
        with_control(gains={"kpp": 1}),
        "kpp: pd_gravity has no such gain. Did you",
    ),
    "a gain of the wrong shape": (with_control(gains={"kp": [1, 2, 3]}), "kp has shape (3,)"),
    "a negative gain": (with_control(gains={"kp": -3}), "kp must be positive"),
    "no such reference": (with_control(reference={"kind": "qintic"}), "Did you mean 'quintic'?"),
    "no target": (with_control(reference={"kind": "setpoint"}), "it has no target. Add target, 2"),
    "a key of another kind": (
        with_control(reference={"kind": "setpoint", "target": 1, "duration": 2}),
        "duration: this key means nothing here",
    ),
    "no such frame": (
        with_control(law="operational_space", frame="toool"),
        "has no frame named 'toool'. Did you mean 'tool'?",
    ),
    "joints for a frame": (
        with_control(law="operational_space", reference={"kind": "fourier"}),
        "fourier is of joints, and this law moves a frame",
    ),
    "a rate of exact runs": (with_control(rate=100) | {"engine": "exact"}, "Remove rate, noise"),
    "half a sample": (with_control(rate=3.7), "1 s is no whole number of samples at 3.7 Hz"),
    "negative noise": (with_control(noise_q=-1), "Give a number of at least 0"),
    "noise of what": (with_control(noise=[1e-4, 1e-3]), "Give noise_q, of positions, and noise_qd"),
    "two of one name": (
        TWO | {"control": [{"law": "pd"}, {"law": "pd"}]},
        "two are called 'pd'. Give each a name of its own",
    ),
    "a symbol without a value": (
        {"robot": "pendulum_symbolic", "duration": 1, "set": {"m": 1, "L": 1, "I": 2, "d": 0}},
        "g: it has no value. Give it one under [set]: g = 1.0",
    ),
    "a factor on nothing": (
        {"robot": "pendulum_symbolic", "duration": 1, "set": {"m": 1, "L": 1, "I": 2, "d": 0}}
        | {"vary": {"g": {"grid": [1], "as": "factor"}}},
        "g has no nominal value. Give it one under [set]",
    ),
}


PLAN = {"robot": "two_link", "duration": 1, "vary": {"friction.viscous": {"linspace": [0, 1, 5]}}}
NOISY = {"vary": {"friction.viscous": {"uniform": [0, 1]}}}
ENDLESS = {
    "looks": (
        {"every": 1e-12},
        "every: 1e-12 s makes more than 1e+06 looks at each run. Take 1e-06",
    ),
    "looks of the exact engine": ({"engine": "exact", "every": 1e-12}, "1e+06 looks"),
    "looks among steps": ({"step": 1e-9, "every": 3e-9}, "1e+06 looks"),
    "steps": ({"step": 1e-300}, "step: 1e-300 s makes more than 1e+09 steps per run"),
    "seconds": ({"duration": 1e308}, "step: 0.001 s makes more than 1e+09 steps per run"),
    "seconds of the exact engine": (
        {"engine": "exact", "duration": 1e308, "every": 1e-3},
        "every: 0.001 s makes more than 1e+06 looks",
    ),
    "samples": (
        {"control": {"law": "pd_gravity", "rate": 1e308}},
        "duration: it is more than 1e+09 samples at 1e+308 Hz",
    ),
    "draws": ({"draws": 2 * 10**14} | NOISY, "draws: that makes 2e+14 runs; at most 1e+09"),
    "points": (
        {
            "vary": {
                k: {"linspace": [0, 1, 10**5]} for k in ("friction.viscous", "friction.coulomb")
            }
        },
        "that makes 1e+10 runs",
    ),
    "rows of motions": (
        {"keep": ["motion"], "motion_every": 1e308},
        "motion_every: it is no multiple of every",
    ),
}


@pytest.mark.parametrize("what", ENDLESS)
def test_a_plan_without_end_is_refused_at_once(what):
    more, words = ENDLESS[what]
    with pytest.raises(BadPlan) as caught:
        study_of(PLAN | more)
    told = [str(problem) for problem in caught.value.problems]
    assert any(words in each for each in told), told


@pytest.mark.parametrize("table", ["set", "vary"])
def test_thousands_of_wrong_names_are_not_all_told(table, tmp_path):
    lines = ['robot = "two_link"', "duration = 1", f"[{table}]"]
    path = tmp_path / "plan.toml"
    path.write_text("\n".join([*lines, *(f'"friction.x{k}" = 1' for k in range(20_000))]))
    with pytest.raises(BadPlan) as caught:
        study_of(path)
    assert 20 <= len(caught.value.problems) < 30
    assert [problem.line for problem in caught.value.problems][:3] == [4, 5, 6]


@pytest.mark.parametrize("what", WRONG)
def test_a_mistake_is_told_with_its_key_and_what_would_be_right(what):
    plan, words = WRONG[what]
    with pytest.raises(BadPlan) as caught:
        study_of(plan)
    told = " ".join(str(problem) for problem in caught.value.problems)
    assert words in told
    assert len(str(caught.value).splitlines()) <= 6


def test_all_mistakes_are_told_at_once_with_the_lines_of_the_file(tmp_path):
    path = tmp_path / "plan.toml"
    lines = ['robot = "two_link"', "duration = 1", "stp = 2", "", "[vary]"]
    path.write_text("\n".join([*lines, '"payload.tol" = { uniform = [0, 1] }']))
    with pytest.raises(BadPlan) as caught:
        study_of(path)
    assert [problem.line for problem in caught.value.problems] == [6, 3]
    assert f"{path}:6: [vary]: payload.tol: nothing of this name can vary." in str(caught.value)


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ({"duration": 1}, "it does not name a robot"),
        ({"robot": "pnada", "duration": 1}, "Did you mean 'panda'?"),
        ({"robot": 3, "duration": 1}, "robot is 3"),
        (7, "A plan is the path of a TOML file, a dict or a Plan, not 7"),
        ("plan.yaml", "a plan is a .toml file"),
        ("gone.toml", "it does not exist"),
    ],
)
def test_a_plan_without_a_robot_or_without_a_file_is_refused(plan, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(qddot.QddotError, match=words.replace("?", r"\?")):
        study_of(plan)


def test_a_symbol_that_is_called_like_a_column_is_refused():
    arm = qddot.from_dh([{"a": 1, "mass": "run", "com": [0.5, 0, 0]}], "standard")
    with pytest.raises(BadPlan, match="a column of every sweep is called run"):
        study_of({"robot": arm, "duration": 1, "vary": {"run": {"grid": [1, 2]}}})


def test_names_that_would_steer_a_terminal_are_told_as_escapes():
    with pytest.raises(BadPlan) as caught:
        study_of(with_vary(**{"\x1b[31mq0": {"grid": [1]}}))
    assert "\x1b" not in str(caught.value)


def test_a_dict_a_dataclass_and_a_file_are_one_plan(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text('robot = "two_link"\nduration = 1\ndraws = 5\n[vary]\nq0.j1.uniform = [0, 1]\n')
    vary = {"q0.j1": {"uniform": np.array([0.0, 1.0])}}
    plans = [
        path,
        {"robot": qddot.load("two_link"), "duration": 1.0, "draws": 5, "vary": vary},
        Plan("two_link", 1.0, vary, draws=5),
    ]
    one, other, third = (study_of(plan) for plan in plans)
    assert other.digest == third.digest
    assert one.runs.variations[0].key == other.runs.variations[0].key == "q0.j1"
    assert one.robot_digest == other.robot_digest


def test_the_digest_tells_plans_and_robots_apart_but_not_their_titles():
    plan = TWO | {"vary": {"q0": {"grid": [1, 2]}}}
    same = [plan, plan | {"title": "a title"}, plan | {"duration": 1}]
    assert len({study_of(each).digest for each in same}) == 1
    heavier = qddot.load("two_link").with_payload("tool", 1.0)
    others = [plan | {"seed": 1}, plan | {"step": 0.002}, plan | {"robot": heavier}]
    assert len({study_of(each).digest for each in (plan, *others)}) == 4


def test_a_robot_file_is_looked_for_beside_the_plan(tmp_path, monkeypatch):
    qddot.load("two_link").save(tmp_path / "arm.toml")
    (tmp_path / "plan.toml").write_text('robot = "arm.toml"\nduration = 1\n')
    monkeypatch.chdir("/")
    assert study_of(tmp_path / "plan.toml").robot.joint_names == ("j1", "j2")


def test_units_are_neither_too_many_nor_too_few():
    def units(**more):
        study = study_of(TWO | {"vary": {"q0": {"uniform": [0, 1]}}} | more)
        return study.runs.units, study.runs.unit

    assert units(draws=1_000_000_000) == (20_000, 50_000)
    assert units(draws=100) == (8, 13)
    assert units(draws=100, unit=30) == (4, 30)
    assert units(draws=1000, engine="exact")[1] == 50


@pytest.mark.parametrize("name", ["panda", "two_link", "scara", "pendulum", "ur5"])
def test_a_plan_to_begin_with_runs_and_overwrites_nothing(name, tmp_path):
    robot, path = qddot.load(name), tmp_path / "plan.toml"
    write_plan(path, name, robot)
    study = study_of(path)
    assert study.runs.total in (200, 400)
    assert study.controllers[0].kind == "computed_torque"
    before = path.read_bytes()
    with pytest.raises(qddot.QddotError, match="is there already"):
        write_plan(path, name, robot)
    assert path.read_bytes() == before


def test_a_name_in_a_plan_to_begin_with_is_text_and_nothing_else():
    source = 'a"\nrobot = "b\\'
    assert tomllib.loads(plan_text("p", source, qddot.load("two_link")))["robot"] == source


def test_methods_of_the_exact_engine_are_those_of_simulate():
    from qddot.simulation.solvers import ADAPTIVE

    assert set(EXACT) == {"auto", *ADAPTIVE}


def test_the_plans_of_the_documentation_can_be_read(tmp_path):
    page = Path(__file__).parents[2] / "docs" / "sweeps.md"
    text = page.read_text(encoding="utf-8")
    plans = [part.partition("```")[0] for part in text.split("```toml\n")[1:]]
    assert len(plans) >= 4
    for plan in plans:
        path = tmp_path / "plan.toml"
        path.write_text(plan, encoding="utf-8")
        assert study_of(path).runs.total > 1
