"""The Tab key: what shells are given to complete, through their own protocols."""

import os
import shutil
import subprocess
import sys

import pytest
from command_line import QDDOT, VERBS, run

from qddot.cli import completion


def bash(line, cwd=None):
    """Return what bash is given for a line whose last word is incomplete."""
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
    done = run(cwd=cwd, _QDDOT_COMPLETE="complete_bash", **words)
    assert done.returncode == 0
    assert not done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("qddot ", list(VERBS)),
        ("qddot ident", ["identifiable", "identify"]),
        ("qddot show pan", ["panda", "panda_hand"]),
        ("qddot simulate --me", ["--method"]),
        ("qddot simulate panda --method D", ["DOP853"]),
        ("qddot control panda --law comp", ["computed_torque"]),
        ("qddot control panda --frame panda_link1", ["panda_link1"]),
        ("qddot control nobody --frame x", []),
        ("qddot control panda --reference q", ["quintic"]),
        ("qddot derive panda --formulation ", ["lagrange", "explicit", "trace"]),
        ("qddot derive panda --format m", ["markdown"]),
        ("qddot identify ur5 log.csv --terms friction,o", ["friction,offset"]),
        ("qddot certify --norm i", ["inf"]),
        ("qddot excite ur5 --criterion ", ["condition", "determinant"]),
    ],
)
def test_verbs_options_robots_and_choices_are_completed(line, expected, tmp_path):
    assert bash(line, cwd=tmp_path)[: len(expected)] == expected
    if not expected:
        assert not bash(line, cwd=tmp_path)


def test_files_are_completed_by_their_endings(tmp_path):
    for name in ("arm.urdf", "arm.csv", "arm.py", "log.parquet"):
        (tmp_path / name).touch()
    assert bash("qddot doctor ar", cwd=tmp_path) == ["arm.urdf"]
    assert bash("qddot doctor ./ar", cwd=tmp_path) == ["./arm.urdf"]
    assert bash("qddot identify ur5 l", cwd=tmp_path) == ["log.parquet"]
    assert bash("qddot simulate ur5 -o ar", cwd=tmp_path) == ["arm.csv"]


def test_where_a_folder_may_be_meant_the_shell_completes_itself(tmp_path):
    (tmp_path / "arms").mkdir()
    (tmp_path / "arm.urdf").touch()
    assert not bash("qddot doctor ar", cwd=tmp_path)
    assert not completion.files(".urdf")("no/such/folder/a")


def test_zsh_and_fish_are_given_the_same():
    words = {"_TYPER_COMPLETE_ARGS": "qddot show pan"}
    zsh = run(_QDDOT_COMPLETE="complete_zsh", **words).stdout
    assert '"panda"\n"panda_hand"' in zsh
    fish = {"_QDDOT_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    assert run(**fish, **words).stdout == "panda\npanda_hand\n"


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_after_the_completion_is_installed(tmp_path):
    command = tmp_path / "bin" / "qddot"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m qddot "$@"\n')
    command.chmod(0o755)
    script = """
        qddot --install-completion
        source ~/.bashrc
        COMP_WORDS=(qddot show pan); COMP_CWORD=2
        _qddot_completion qddot
        echo "${COMPREPLY[@]}"
        complete -p qddot
    """
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        env=os.environ | {"HOME": str(tmp_path), "PATH": path},
        cwd=command.parent,
        capture_output=True,
        text=True,
    )
    assert "bash completion installed" in done.stdout, done.stderr
    assert "panda panda_hand\n" in done.stdout
    assert "complete -o default -F _qddot_completion qddot" in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_every_shell_calls_qddot(shell):
    script = run(_QDDOT_COMPLETE=f"source_{shell}").stdout
    assert f"_QDDOT_COMPLETE=complete_{shell}" in script
    assert QDDOT[-1] in script
