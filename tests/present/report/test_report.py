"""A report is written whatever happens: one page, whole, of whichever sections can be made."""

from __future__ import annotations

import ctypes
import json
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from browser import calm
from long import long
from present.report.made import code_blocks, made, written

import qddot
from qddot import progress
from qddot.cli import app
from qddot.cli.running import run
from qddot.errors import BadArgument
from qddot.model import Inertial, Joint, Limits, Link, Placement, build
from qddot.present.report import report as reports
from qddot.present.report.chapter import TimeUp, deadline
from qddot.present.report.report import (
    KEYS,
    SECTIONS,
    InterruptedReport,
    file_name,
    subject_of,
    write_report,
)
from qddot.present.report.sections import maps, simulation
from qddot.robot import Robot

QUICK = ("robot", "equations", "provenance")
BODY = Inertial(1.0, (0.2, 0.0, 0.0), (0.01, 0, 0, 0.02, 0, 0.02))
AHEAD = Placement((0.4, 0, 0))
HOSTILE = '</script><img src=x onerror="document.title=1"> $(id) `id` {x}'


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def arm(
    *kinds: str, gravity: tuple = (0, 0, -9.81), body: Inertial = BODY, **more: Limits
) -> Robot:
    """Return a chain of joints without limits unless they are given."""
    links = [Link("base"), *(Link(f"link{i}", body) for i in range(len(kinds)))]
    joints = [
        Joint(f"j{i}", kind, links[i].name, links[i + 1].name, AHEAD, axis=(0, 1, 0), **more)
        for i, kind in enumerate(kinds)
    ]
    return Robot(build("arm", links, joints, gravity=gravity))


# what is in it


def test_only_the_robot_is_written_when_there_is_no_time_at_all(monkeypatch, tmp_path):
    @contextmanager
    def none_left(seconds):
        raise TimeUp
        yield

    monkeypatch.setattr(reports, "deadline", none_left)
    path, outcomes = write_report(
        subject_of("two_link"), tmp_path / "a.html", None, lambda *_: None
    )
    assert {each.section.key: each.state for each in outcomes} == {
        key: "done" if key == "robot" else "left out" for key in KEYS
    }
    assert 'id="robot"' in text_of(path)


def test_every_number_can_be_had_again_by_the_lines_beside_it(tmp_path, monkeypatch, capsys):
    """Each section's command succeeds, and its Python runs."""
    monkeypatch.chdir(tmp_path)
    page = text_of(made("two_link")[0])
    commands, lines = code_blocks(page, "console"), code_blocks(page, "python")
    assert len(lines) == len(KEYS) - 1
    assert len(commands) == len(lines) - 2  # maps and effective masses have no verb
    for command in commands:
        words = command.removeprefix("$ qddot ").split()
        if words[0] == "bench":  # which takes as long as it is told
            words += ["--seconds", "0.1"]
        assert run(app, words) == 0, command
    for block in lines:
        quick = block.replace("bench(robot)", "bench(robot, seconds=0.1)")
        exec(compile(quick, "page", "exec"), {})
    assert capsys.readouterr().out


def test_the_robot_in_the_page_is_the_robot(tmp_path):
    robot = qddot.load("two_link").with_payload("tool", 2.5).with_friction(viscous=3.0)
    path, _ = write_report(subject_of(robot), tmp_path / "a.html", ["provenance"], lambda *_: None)
    (toml,) = code_blocks(text_of(path), "toml")
    (tmp_path / "robot.toml").write_text(toml, encoding="utf-8")
    again = qddot.load(tmp_path / "robot.toml")
    q, qd = np.array([0.3, -0.8]), np.array([1.0, 2.0])
    assert np.array_equal(again.bias_torque(q, qd), robot.bias_torque(q, qd))


def test_a_built_in_robot_is_known_by_its_name_and_a_changed_one_is_not():
    robot = qddot.load("two_link")
    assert subject_of(robot).typed == "two_link"
    assert subject_of(robot.with_gravity((0, 0, 0))).typed == "robot.toml"


def test_a_motion_of_ones_own_stands_in_for_the_fall(tmp_path):
    robot = qddot.load("two_link")
    run = qddot.simulate(robot, [1, 2], [0, 1], duration=0.5)
    subject = subject_of(robot, motion=run)
    path, _ = write_report(subject, tmp_path / "a.html", ["simulation"], lambda *_: None)
    data = json.loads(re.search(r'id="report-data">(.*?)</script>', text_of(path))[1])
    assert data["motion"]["t"][-1] == 0.5
    assert data["motion"]["q"][0] == [1.0, 2.0]
    assert np.allclose(data["motion"]["q"][-1], run.q[-1], atol=1e-5)


@pytest.mark.long
def test_long_equations_are_counted_and_short_ones_printed():
    page = unescape(text_of(made("panda", ("robot", "equations"), 600.0)[0]))
    assert "M has 5,549 terms" in page
    assert "M_{77} = 0.00490965" in page
    assert "mass matrix</th><td>202</td>" in page


# robots of all kinds


@pytest.mark.parametrize(
    ("robot", "missing"),
    [
        *long((arm("revolute", limits=Limits(-1, 1)), {"effective_mass": "cannot move 'link0'"})),
        *long((arm("prismatic", "prismatic"), {"maps": "No joint has a range"})),
        (
            arm("revolute", "revolute", body=Inertial(), limits=Limits(-1, 1)),
            {"effective_mass": "singular", "simulation": "the mass matrix is singular"},
        ),
        *long((arm("continuous", "continuous", gravity=(0, 0, 0)), {})),
        (Robot(build("rock", [Link("rock", BODY)], [])), dict.fromkeys(KEYS[1:-2], "no joint")),
        (qddot.load("pendulum_symbolic"), dict.fromkeys(KEYS[2:6], "no numeric value")),
    ],
    ids=["one joint", "sliding only", "no mass", "no gravity", "no joint", "symbols"],
)
def test_a_robot_of_any_kind_gives_a_page(robot, missing, tmp_path):
    """What cannot be made says why."""
    keys = [key for key in KEYS if key != "speed"]
    path, outcomes = written(robot, tmp_path / "a.html", keys)
    assert {o.section.key for o in outcomes if o.state != "done"} == set(missing)
    page = unescape(text_of(path))
    for outcome in outcomes:
        if outcome.state != "done":
            assert outcome.state == "left out"
            assert missing[outcome.section.key] in outcome.why
            assert outcome.why.splitlines()[0] in page


def test_names_from_files_are_never_markup(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = qddot.load("two_link").model
    renamed = {"j1": HOSTILE, "j2": "<b>j2"}
    joints = [replace(j, name=renamed[j.name]) for j in model.joints]
    robot = Robot(
        replace(model, name=f"../../{HOSTILE}\n\x1b[31m", description=HOSTILE, joints=tuple(joints))
    )
    keys = ("robot", "equations", "maps", "simulation", "identifiability", "provenance")
    path, outcomes = written(robot, None, keys)
    assert path.parent == Path()
    assert re.fullmatch(r"[\w.-]+\.html", path.name)
    assert {outcome.state for outcome in outcomes} == {"done"}
    with calm((tmp_path / path).as_uri(), webgl=False) as seen:
        assert "<img src=x" in seen.page.title()
        assert seen.page.locator("img").count() == 0
        assert seen.page.locator("section").count() == len(keys) + 1
        assert "<b>j2" in seen.page.locator("label[for='q-1']").text_content()


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("panda", "panda.html"),
        ("../../etc/passwd", "etc_passwd.html"),
        ("", "robot.html"),
        ("...", "robot.html"),
        ("nul", "robot_nul.html"),
        ("Röbot\n<b>", "R_bot_b.html"),
        ("x" * 500, "x" * 60 + ".html"),
    ],
)
def test_the_file_of_a_robot_has_a_name_that_every_system_takes(name, file):
    assert file_name(name) == file


# what goes wrong


def test_a_section_that_fails_is_a_sentence_in_the_page(tmp_path, monkeypatch, capsys):
    def write(subject):
        raise RuntimeError("<b>boom</b>")

    monkeypatch.setattr(maps, "write", write)
    where = tmp_path / "a.html"
    words = ["report", "two_link", "-o", str(where), "--sections", "maps,provenance", "--json"]
    assert run(app, words) == 1
    said = json.loads(capsys.readouterr().out)
    assert [part["state"] for part in said["sections"]] == ["failed", "done"]
    assert "could not be made. RuntimeError: &lt;b&gt;boom&lt;/b&gt;" in text_of(where)


def test_a_section_that_takes_too_long_is_left_out(tmp_path, monkeypatch):
    def write(subject):
        while True:
            time.sleep(0.01)

    monkeypatch.setattr(maps, "write", write)
    monkeypatch.setattr(reports, "LEAST", 0.3)
    subject = subject_of("two_link", 0.5)
    path, (outcome,) = write_report(subject, tmp_path / "a.html", ["maps"], lambda *_: None)
    assert outcome.state == "left out"
    assert "longer" in outcome.why
    assert "longer" in text_of(path)


def test_ctrl_c_keeps_what_there_is_even_where_somebody_catches_it(tmp_path, monkeypatch):
    def write(subject):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            return simulation.Chapter(("<p>half of it</p>",))
        raise AssertionError("nothing was raised")

    monkeypatch.setattr(maps, "write", write)
    keys = ["robot", "maps", "simulation", "provenance"]
    with pytest.raises(InterruptedReport) as caught:
        write_report(subject_of("two_link", 600), tmp_path / "a.html", keys, lambda *_: None)
    states = [outcome.state for outcome in caught.value.outcomes]
    assert states == ["done", "cut short", "interrupted", "interrupted"]
    page = text_of(caught.value.path)
    assert "Interrupted while it was written: it may not be whole.</p>" in page
    assert "half of it" in page
    assert page.count("This section is missing. Interrupted before its turn.") == 2
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT between processes")
def test_ctrl_c_on_the_command_line_writes_the_page_and_has_status_130(tmp_path):
    where = tmp_path / "a.html"
    command = [sys.executable, "-m", "qddot.cli", "report", "panda", "-o", str(where)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as go:
        said = []
        for line in go.stderr:
            said.append(line)
            if line.startswith("qddot: [1/9] The robot"):
                break
        assert go.poll() is None, said
        go.send_signal(signal.SIGINT)
        out, _ = go.communicate()
    assert go.returncode == 130
    assert where.as_uri() in out
    assert "This section is missing." in text_of(where)


def for_ever() -> None:
    with deadline(0.05):
        while True:
            pass


def test_a_deadline_stops_work_and_only_that_work():
    with pytest.raises(TimeUp):
        for_ever()
    before = set(threading.enumerate())
    with deadline(600):
        (watch,) = set(threading.enumerate()) - before
    watch.join()  # it ends, so that nothing arrives later


def test_a_deadline_that_is_kept_leaves_nothing_raised(monkeypatch):
    """Python 3.11 looks for ever for an exception that was taken back, and hangs if profiled."""
    asked = []
    monkeypatch.setattr(ctypes.pythonapi, "PyThreadState_SetAsyncExc", lambda *a: asked.append(a))
    with deadline(600):
        pass
    assert not asked


def test_a_deadline_holds_in_any_thread():
    found = []

    def work() -> None:
        with pytest.raises(TimeUp):
            for_ever()
        found.append("stopped")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == ["stopped"]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"path": "a.pdf"}, "A report is written as .html or .htm"),
        ({"path": "no/such/folder/a.html"}, "Choose a folder that exists"),
        ({"sections": ["equatoins"]}, "Did you mean 'equations'?"),
        ({"sections": []}, "give some of: robot"),
        ({"seconds": -1}, "seconds is -1; it must be a number above zero"),
        ({"motion": 3}, "what qddot.simulate returns"),
    ],
)
def test_a_report_that_cannot_be_right_is_refused_before_the_work(more, words, tmp_path):
    given = {"path": tmp_path / "a.html"} | more
    with pytest.raises(BadArgument, match=re.escape(words)):
        qddot.report(qddot.load("two_link"), given.pop("path"), **given)
    assert not list(tmp_path.iterdir())


def test_a_motion_of_another_robot_is_refused():
    run = qddot.simulate(qddot.load("pendulum"), [1], duration=0.1)
    with pytest.raises(BadArgument, match="its joints are others"):
        qddot.report("two_link", motion=run)


# the command line


def test_the_command_line_says_where_the_page_is(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(app, ["report", "two_link", "--sections", ",".join(QUICK), "--seconds", "600"]) == 0
    told = capsys.readouterr()
    assert (tmp_path / "two_link.html").as_uri() in told.out
    assert "3 of 3 sections" in told.out
    assert [line[:12] for line in told.err.splitlines()] == [f"qddot: [{k}/3]" for k in (1, 2, 3)]
    assert run(app, ["report", "two_link", "--sections", "provenance", "--quiet"]) == 0
    assert not capsys.readouterr().err
    progress.inform("heard again")
    assert "heard again" in capsys.readouterr().err


def test_a_changed_robot_is_the_one_reported(tmp_path, capsys):
    where = tmp_path / "a.html"
    words = ["report", "two_link_symbolic", "-o", str(where), "--sections", "robot,provenance"]
    values = ["m1=1", "m2=1", "a1=1", "a2=1", "aC1=1", "aC2=1", "I1=0", "I2=0", "g=9.81", "d1=0"]
    for value in [*values, "d2=0"]:
        words += ["--set", value]
    assert run(app, words) == 0
    page = unescape(text_of(where))
    assert "$ qddot doctor robot.toml" in page
    assert "2 kg in 3 links" in page


def test_every_section_has_a_sentence_for_everybody():
    for section in SECTIONS:
        assert len(section.words) > 40
        assert section.words.endswith(".")
