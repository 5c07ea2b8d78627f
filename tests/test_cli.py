"""The command line as people use it: what it prints, where, and with which status."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import qddot

QDDOT = [sys.executable, "-m", "qddot.cli"]


def run(*words, **options):
    environment = os.environ | {"COLUMNS": "80", "NO_COLOR": "1"}
    return subprocess.run(
        [*QDDOT, *map(str, words)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        **options,
    )


def test_show_prints_a_table_and_a_tree():
    done = run("show", "panda")
    assert done.returncode == 0
    assert "7 joints, 16.69 kg" in done.stdout
    assert "panda_joint4" in done.stdout
    assert "└── ↻ panda_joint7 panda_link7" in done.stdout
    assert max(len(line) for line in done.stdout.splitlines()) <= 80


def test_show_without_a_name_lists_the_built_in_robots():
    done = run("show")
    assert done.returncode == 0
    assert "puma560" in done.stdout
    assert "two_link_symbolic" in done.stdout


def test_json_says_the_same_to_machines():
    facts = json.loads(run("show", "two_link", "--json").stdout)
    assert facts["n"] == 2
    assert facts["mass"] == 100
    assert [joint["name"] for joint in facts["joints"]] == ["j1", "j2"]


def test_an_unknown_name_has_status_2_and_a_suggestion():
    done = run("show", "pand")
    assert done.returncode == 2
    assert "Did you mean 'panda'?" in done.stderr
    assert len(done.stderr.splitlines()) <= 6
    assert "Traceback" not in done.stderr
    assert not done.stdout


@pytest.mark.parametrize("words", [["shwo", "panda"], ["show", "panda", "--jsn"], ["doctor"]])
def test_a_wrong_command_line_has_status_2_and_few_words(words):
    done = run(*words)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) <= 6


def test_export_writes_what_reads_as_the_same_robot(tmp_path):
    for ending in ("toml", "urdf"):
        path = tmp_path / f"arm.{ending}"
        assert run("export", "panda", "-o", path).returncode == 0
        assert qddot.load(path).joint_names == qddot.load("panda").joint_names


def test_export_says_what_urdf_cannot_hold(tmp_path):
    done = run("export", "puma560", "-o", tmp_path / "puma.urdf")
    assert done.returncode == 0
    assert "not in puma.urdf" in done.stderr


def test_export_to_an_impossible_place_has_status_2(tmp_path):
    done = run("export", "ur5", "-o", tmp_path / "nowhere" / "arm.toml")
    assert done.returncode == 2
    assert "cannot be written" in done.stderr


def test_doctor_has_status_2_for_a_robot_that_cannot_be_used(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text('convention = "standard"\n[[dh]]\nmass = -1\n')
    done = run("doctor", path)
    assert done.returncode == 2
    assert "the mass is negative" in done.stdout
    assert "arm.toml:2" in done.stdout


def test_the_version_is_printed():
    assert run("--version").stdout == f"qddot {qddot.__version__}\n"


def test_help_shows_how_to_begin():
    done = run("--help")
    assert done.returncode == 0
    assert "qddot show panda" in done.stdout


def test_output_into_a_closed_pipe_is_no_error():
    done = subprocess.run(
        f"'{sys.executable}' -m qddot.cli show panda --json | head -n 1",
        shell=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "{\n"
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
def test_an_interrupt_ends_without_a_traceback():
    process = subprocess.Popen(
        [*QDDOT, "prove", "panda"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()  # it is at work
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, words = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in words
