"""Exports of what nobody thinks of: odd names, numbers and places."""

from __future__ import annotations

import shutil
import subprocess
import warnings

import numpy as np
import pytest
from long import long, one_in
from made import STILL

import qddot
from qddot.errors import QddotError, RobotWarning
from qddot.exporting.functions import identifier

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]
with_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed")
with_gpp = pytest.mark.skipif(not shutil.which("g++"), reason="g++ is not installed")

ODD = {
    "names_of_the_source_itself": qddot.record(
        lambda t1, r0, A, in_2: {"k": np.sin(t1) + r0, "off": A * in_2, "t2s": t1, "size": r0 * A},
        "odd",
        **dict.fromkeys(("t1", "r0", "A", "in_2"), (2,)),
    ),
    "words_of_other_languages": qddot.record(
        lambda a, b: {"this": a + b}, "odd", **{"class": (2,), "new": (2,)}
    ),
    "inputs_that_nothing_depends_on": qddot.record(lambda t, d, qd: 2 * qd, t=(), d=(2,), qd=(2,)),
    "numbers_too_large_for_a_float": qddot.record(
        lambda x: np.minimum(1e308 * x, 1e300) + 1e-320, "odd", x=(2,)
    ),
    "results_that_are_not_numbers": qddot.record(
        lambda x: {"a": np.sqrt(x), "b": np.log(x), "c": x / 0.0}, "odd", x=(3,)
    ),
    "constants": qddot.record(
        lambda x: np.array([1.0, -0.0, np.nan, np.inf, -np.inf]), "odd", x=(2,)
    ),
    "inputs_handed_through": qddot.record(
        lambda x, y: {"y": x, "x": y, "z": x[::-1]}, "odd", x=(2,), y=(2,)
    ),
    "outputs_without_entries": qddot.record(lambda x: {"a": 2 * x, "b": x[:0]}, "odd", x=(2,)),
    "no_axes": qddot.record(lambda a, b: a * b, "odd", a=(), b=()),
}


def run(*command, **options):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, **options)


@with_gcc
@pytest.mark.parametrize("dtype", ["float64", *long("float32")])
@pytest.mark.parametrize("what", one_in(3, ODD))
def test_c_compiles_without_a_word_and_agrees_with_itself(what, dtype, tmp_path):
    qddot.export(qddot.load("pendulum"), tmp_path, functions=[ODD[what]], dtype=dtype)
    sources = [tmp_path / "pendulum.c", tmp_path / "pendulum_check.c"]
    done = run("gcc", *STRICT, "-o", tmp_path / "made", *sources, "-lm")
    assert done.returncode == 0, done.stderr[:2000]
    done = run(tmp_path / "made")
    assert done.returncode == 0, done.stdout


@with_gpp
def test_the_header_is_one_of_cpp_too(tmp_path):
    qddot.export(qddot.load("pendulum"), tmp_path, functions=[ODD["words_of_other_languages"]])
    (tmp_path / "main.cpp").write_text('#include "pendulum.h"\nint main() { return 0; }\n')
    done = run("g++", "-Wall", "-Werror", "-std=c++20", "-fsyntax-only", tmp_path / "main.cpp")
    assert done.returncode == 0, done.stderr


@with_gcc
@pytest.mark.parametrize("wrong", ["0.0 / 0.0", *long("1.0 / 0.0", "-1.0")])
def test_what_is_not_a_number_is_found_wherever_it_stands(wrong, tmp_path):
    """The first entry is wrong and those after it are right."""
    qddot.export(qddot.load("two_link"), tmp_path, functions=["mass_matrix"])
    source = tmp_path / "two_link.c"
    text = source.read_text()
    before, after = text.split("out[0] = ")
    source.write_text(f"{before}out[0] = {wrong} + 0.0 * {after}")
    sources = [source, tmp_path / "two_link_check.c"]
    assert run("gcc", "-o", tmp_path / "made", *sources, "-lm").returncode == 0
    done = run(tmp_path / "made")
    assert done.returncode == 1
    assert "WRONG" in done.stdout


def test_no_line_of_a_name_is_a_line_of_cuda_source(tmp_path):
    (tmp_path / "arm.toml").write_text(
        'name = "arm\\nint x;\\n//"\nconvention = "standard"\n'
        '[[dh]]\nname = "j"\ntheta = 0\na = 1\nmass = 1\n'
    )
    robot = qddot.load(tmp_path / "arm.toml")
    (path,) = qddot.export(robot, tmp_path / "cu", target="cuda", functions=["mass_matrix"]).files
    assert not [line for line in path.read_text().splitlines() if line.startswith("int x")]


@pytest.mark.parametrize("name", ["math", "stdio", "time", "test", "all", "class", "asm", "lambda"])
def test_names_that_mean_something_are_changed(name):
    assert identifier(name) == f"{name}_"


def test_what_has_no_entries_is_refused(tmp_path):
    with pytest.raises(QddotError, match="mass_matrix of 'still' has no entries"):
        qddot.export(STILL, tmp_path / "c", functions=["mass_matrix"])


@with_gcc
def test_what_depends_on_nothing_is_exported(tmp_path):
    qddot.export(STILL, tmp_path, functions="pose:tip")
    sources = [tmp_path / "still.c", tmp_path / "still_check.c"]
    done = run("gcc", *STRICT, "-o", tmp_path / "made", *sources, "-lm")
    assert done.returncode == 0, done.stderr
    assert run(tmp_path / "made").returncode == 0


def test_one_function_need_not_be_in_a_list(tmp_path):
    done = qddot.export(qddot.load("pendulum"), tmp_path, functions=ODD["no_axes"])
    assert [f.name for f in done.functions] == ["odd"]
    with pytest.raises(QddotError, match="None is no function"):
        qddot.export(qddot.load("pendulum"), tmp_path, functions=None)


def test_what_a_robot_file_loses_is_said_before_it_is_written(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for ending in ("urdf", "sdf"):
            with pytest.raises(RobotWarning, match="left out: joint 'j1': its rotor inertia"):
                qddot.load("puma560").save(tmp_path / f"arm.{ending}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("more", [{"functions": ["mass_matrix"]}, {"dtype": "float32"}])
def test_a_robot_file_takes_no_functions_and_no_type_of_number(more, tmp_path):
    with pytest.raises(QddotError, match="is a robot file"):
        qddot.export("panda", tmp_path / "arm.urdf", **more)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("place", ["a\0b", "x" * 5000])
def test_a_place_that_cannot_be_is_told(place, tmp_path):
    with pytest.raises(QddotError, match="cannot be made"):
        qddot.export(qddot.load("pendulum"), tmp_path / place)


def test_a_link_to_nowhere_is_not_followed(tmp_path):
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "pendulum.c").symlink_to(tmp_path / "elsewhere.c")
    with pytest.raises(QddotError, match="there already"):
        qddot.export(qddot.load("pendulum"), tmp_path / "c")
    assert not (tmp_path / "elsewhere.c").exists()
