"""Films: as many pictures as asked for, pages that ask for nothing, names that are never markup."""

import json
import os
import re
import stat
from dataclasses import replace

import numpy as np
import pytest
from browser import calm, rest
from long import long
from outline import Outline
from PIL import Image
from simulation.made_motion import made

import qddot
from qddot.errors import BadArgument, UnknownName
from qddot.present.figures.film import instants

SHORT = {"duration": 0.4, "rows": 9}


def facts_of(page: str) -> dict:
    text = re.search(r'<script type="application/json" id="arm">(.*?)</script>', page, re.DOTALL)
    return json.loads(text[1])


@pytest.mark.parametrize("robot", ["two_link", *long("panda")])
def test_a_gif_has_a_picture_an_instant_and_keeps_time(tmp_path, robot):
    path = tmp_path / "run.gif"
    made(robot, **SHORT).animate(path, fps=30)
    with Image.open(path) as film:
        assert film.n_frames == 13
        assert film.size == (640, 480)
        lengths = []
        for k in range(film.n_frames):
            film.seek(k)
            lengths.append(film.info["duration"])
            assert film.convert("RGB").getpixel((1, 1)) == (255, 255, 255)
    assert sum(lengths) == pytest.approx(1000 * 13 / 30, abs=10)
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.gif"]


def test_what_moves_in_a_gif_is_the_arm(tmp_path):
    made(**SHORT).animate(tmp_path / "run.gif", fps=3)
    with Image.open(tmp_path / "run.gif") as film:
        first = np.asarray(film.convert("RGB"), dtype=int)
        film.seek(film.n_frames - 1)
        last = np.asarray(film.convert("RGB"), dtype=int)
    changed = np.abs(first - last).max(axis=-1) > 30
    assert 0.001 < changed.mean() < 0.2


@pytest.mark.parametrize("robot", ["scara", *long("two_link", "baxter")])
def test_a_page_asks_for_nothing_and_is_small(tmp_path, robot):
    path = tmp_path / "run.html"
    made(robot, duration=10.0, rows=101).animate(path)
    page = path.read_text()
    assert path.stat().st_size < 1_000_000
    whole = page
    page = re.sub(r'"[A-Za-z0-9+/=]{30,}"', '""', page)  # surfaces, in which any letters may be
    assert not re.search(r"https?:|//[a-z]|url\(|@import|<link|<img|src=|fetch\(|import\(", page)
    assert "default-src 'none'" in page
    facts = facts_of(whole)
    assert len(facts["film"]["q"]) == 301
    assert facts["scene"]["still"]["surfaces"]


def test_the_numbers_of_a_page_are_the_motion(tmp_path):
    motion = made(duration=1.0, rows=21)
    motion.animate(tmp_path / "run.html", fps=20, frames="tool")
    facts = facts_of((tmp_path / "run.html").read_text())
    q = np.array(facts["film"]["q"])
    np.testing.assert_allclose(q, motion.q, rtol=0, atol=1e-5)
    # all of it is in view
    low, high = np.array(facts["scene"]["still"]["box"])
    path = motion.tip_path("tool")
    assert (path > low).all()
    assert (path < high).all()


def test_a_film_in_a_browser_moves_the_arm_and_leaves_a_trace(tmp_path):
    motion = made(duration=1.0, rows=21)
    motion.animate(tmp_path / "run.html", fps=20)
    picture = "document.querySelector('canvas').toDataURL()"
    address = (tmp_path / "run.html").as_uri()
    with calm(address, width=240, height=240, reduced_motion="reduce") as seen:
        assert seen.page.text_content("#clock") == "0.00 s"
        rest(seen.page, fine=True)
        first = seen.page.evaluate(picture)
        seen.page.evaluate(
            "(() => { const s = document.getElementById('time'); s.value = 20; "
            "s.dispatchEvent(new Event('input')); })()"
        )
        rest(seen.page, fine=True)
        assert seen.page.text_content("#clock") == "1.00 s"
        assert seen.page.evaluate(picture) != first
        seen.page.click("#play")
        assert seen.page.text_content("#play") == "Pause"


def test_names_are_never_markup(tmp_path):
    evil = "</script><script>alert(1)</script>{scene}{title}&amp;"
    rows = [{"a": 1, "mass": 1, "name": evil}]
    robot = qddot.from_dh(rows, convention="standard", name=f"{evil}\x1b")
    motion = made("pendulum", **SHORT)
    motion = replace(motion, robot=robot, joint_names=robot.joint_names)
    for ending in (".html", ".gif"):
        motion.animate(tmp_path / f"run{ending}", fps=5)
    page = (tmp_path / "run.html").read_text()
    assert len(Outline(page).named("script")) == 4
    assert "<script>alert" not in page
    assert "\x1b" not in page
    assert "&lt;/script&gt;" in page  # the robot's name, as letters


@pytest.mark.parametrize(
    ("fps", "speed", "count"), [(30, 1, 61), (30, 2, 31), (10, 0.5, 41), (7, 1, 15), (0.1, 1, 2)]
)
def test_a_film_has_the_first_and_the_last_instant(fps, speed, count):
    t = instants(1.0, 3.0, fps, speed)
    assert len(t) == count
    assert (t[0], t[-1]) == (1.0, 3.0)
    assert np.all(np.diff(t) > 0)


def test_what_cannot_be_filmed_is_told(tmp_path):
    motion = made(**SHORT)
    with pytest.raises(BadArgument, match=r"as \.gif, \.html or \.mp4, not as 'run\.avi'"):
        motion.animate(tmp_path / "run.avi")
    for wrong in ({"fps": 0}, {"speed": -1}, {"fps": np.nan}, {"speed": "fast"}):
        with pytest.raises(BadArgument, match="must be a number above zero"):
            motion.animate(tmp_path / "run.gif", **wrong)
    with pytest.raises(BadArgument, match="at most 50 pictures a second"):
        motion.animate(tmp_path / "run.gif", fps=60)
    with pytest.raises(BadArgument, match=r"100000 pictures.*\n.*speed=5"):
        made(duration=1000.0).animate(tmp_path / "run.html", fps=100)
    with pytest.raises(UnknownName, match="no frame named 'hand'"):
        motion.animate(tmp_path / "run.gif", frames=["hand"])
    with pytest.raises(BadArgument, match="cannot be written"):
        motion.animate(tmp_path / "nowhere" / "run.html")
    motion.q[:] = np.nan
    with pytest.raises(BadArgument, match="not finite from the start"):
        motion.animate(tmp_path / "run.html")
    still = qddot.load("pendulum").locked({"j1": 0.5})
    none = dict.fromkeys(("q", "qd", "qdd"), np.zeros((9, 0)))
    with pytest.raises(BadArgument, match="no joint that moves"):
        replace(motion, robot=still, **none).animate(tmp_path / "run.html")
    assert not list(tmp_path.iterdir())


def test_a_motion_that_ran_away_is_shown_until_it_did(tmp_path):
    motion = made(duration=1.0, rows=11)
    motion.q[6:] = np.inf
    motion.animate(tmp_path / "run.html", fps=10)
    assert len(facts_of((tmp_path / "run.html").read_text())["film"]["q"]) == 6


def test_without_ffmpeg_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadArgument, match=r"apt install ffmpeg.*\.gif or an \.html"):
        made(**SHORT).animate(tmp_path / "run.mp4")


def stand_in(folder, script: str) -> None:
    program = folder / "ffmpeg"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


def test_ffmpeg_is_given_every_picture(tmp_path, monkeypatch):
    """A stand-in for ffmpeg writes how many bytes it was given to the last of its arguments."""
    stand_in(tmp_path, 'for last; do :; done; wc -c > "$last"')
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    made(**SHORT).animate(tmp_path / "run.mp4", fps=5)
    assert int((tmp_path / "run.mp4").read_text()) == 3 * 640 * 480 * 4


def test_what_ffmpeg_complains_of_is_told(tmp_path, monkeypatch):
    stand_in(tmp_path, "echo no such codec >&2; exit 1")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(BadArgument, match="ffmpeg failed: no such codec"):
        made(**SHORT).animate(tmp_path / "run.mp4", fps=10)
    assert not (tmp_path / "run.mp4").exists()
