"""Exports of what nobody thinks of: odd names, numbers and places."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from exporting.compiling import build, run, said, with_gcc, with_gpp
from long import long, one_in
from made import STILL

import qddot
from qddot.errors import QddotError, RobotWarning
from qddot.exporting.functions import identifier

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


@with_gcc
@pytest.mark.parametrize("dtype", ["float64", *long("float32")])
@pytest.mark.parametrize("what", one_in(3, ODD))
def test_c_compiles_without_a_word_and_agrees_with_itself(what, dtype, tmp_path):
    qddot.export(qddot.load("pendulum"), tmp_path, functions=[ODD[what]], dtype=dtype)
    said(build(tmp_path))


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
    assert "WRONG" in said(build(tmp_path, "-Wno-div-by-zero"), 1)


def test_no_line_of_a_name_is_a_line_of_cuda_source(tmp_path):
    (tmp_path / "arm.toml").write_text(
        'name = "arm\\nint x;\\n//"\nconvention = "standard"\n'
        '[[dh]]\nname = "j"\ntheta = 0\na = 1\nmass = 1\n'
    )
    robot = qddot.load(tmp_path / "arm.toml")
    (path,) = qddot.export(robot, tmp_path / "cu", target="cuda", functions=["mass_matrix"]).files
    assert not [line for line in path.read_text().splitlines() if line.startswith("int x")]


@with_gcc
def test_what_depends_on_nothing_is_exported(tmp_path):
    qddot.export(STILL, tmp_path, functions="pose:tip")
    said(build(tmp_path))


def test_one_function_need_not_be_in_a_list(tmp_path):
    done = qddot.export(qddot.load("pendulum"), tmp_path, functions=ODD["no_axes"])
    assert [f.name for f in done.functions] == ["odd"]


def test_what_a_robot_file_loses_is_said_before_it_is_written(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for ending in ("urdf", "sdf"):
            with pytest.raises(RobotWarning, match="left out: joint 'j1': its rotor inertia"):
                qddot.load("puma560").save(tmp_path / f"arm.{ending}")
    assert not list(tmp_path.iterdir())


def test_a_link_to_nowhere_is_not_followed(tmp_path):
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "pendulum.c").symlink_to(tmp_path / "elsewhere.c")
    with pytest.raises(QddotError, match="there already"):
        qddot.export(qddot.load("pendulum"), tmp_path / "c")
    assert not (tmp_path / "elsewhere.c").exists()


KEPT = ("math", "stdio", "time", "test", "all", "class", "asm", "lambda", "double")
NAMES = {"Panda 7": "panda_7", "": "recorded", "7dof": "recorded_7dof"} | {x: f"{x}_" for x in KEPT}


def test_names_are_made_into_identifiers_and_those_that_mean_something_are_changed():
    assert {name: identifier(name) for name in NAMES} == NAMES


OF_PANDA = "inverse_kinematics_all:panda_link4"


@pytest.mark.parametrize(
    ("robot", "place", "options", "words"),
    [
        ("panda", "x", dict(target="rust"), "There is no target 'rust'"),
        ("panda", "x", dict(functions=["mass_matrx"]), "Did you mean 'mass_matrix'"),
        ("panda", "x", dict(functions=["jacobian"]), "not of the form jacobian:tool"),
        ("panda", "x", dict(functions=["jacobian:tol"]), "Did you mean 'tool'"),
        ("panda", "x", dict(functions=[]), "Name at least one"),
        ("panda", "x", dict(functions=["mass_matrix"] * 2), "named twice"),
        ("panda", "x", dict(functions=[3]), "is no function"),
        ("panda", "x", dict(functions=None), "None is no function"),
        ("panda", "x", dict(dtype="float16"), "it must be 'float64' or 'float32'"),
        ("panda", "x", dict(functions=OF_PANDA, dtype="float32"), "_link4 needs double precision"),
        ("panda", "arm.urdf", dict(functions=["mass_matrix"]), "is a robot file"),
        ("panda", "arm.urdf", dict(dtype="float32"), "is a robot file"),
        ("rp", "x", dict(target="cpp", dtype="float32"), "float and double alike"),
        ("rp", "x", dict(target="matlab", dtype="float32"), "MATLAB computes in float64"),
        ("rp", "x", dict(target="fmu", dtype="float32"), "float64"),
        ("rp", "x", dict(target="fmu", functions=["mass_matrix"]), "takes no functions"),
        ("rp_symbolic", "x", {}, "symbols without a value"),
        ("rp_symbolic", "x", dict(target="fmu"), "symbols without a value"),
        (
            *("rp_symbolic", "x", dict(target="matlab", functions="point_motion:tool")),
            "exported for numbers, and 'rp_symbolic' has symbols",
        ),
        (
            *("rp_symbolic", "x", dict(target="matlab", functions="pose:toool")),
            "no frame named 'toool'",
        ),
        (STILL, "x", dict(target="fmu"), "no joint that moves"),
        (STILL, "x", dict(functions=["mass_matrix"]), "mass_matrix of 'still' has no entries"),
        ("pendulum", "a\0b", {}, "cannot be made"),
        ("pendulum", "x" * 5000, {}, "cannot be made"),
        ("pendulum", "file/c", {}, "cannot be made"),
    ],
)
def test_what_cannot_be_exported_is_said_in_words(robot, place, options, words, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(QddotError) as error:
        qddot.export(robot, tmp_path / place, **options)
    assert words in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
