"""The studio's page plays: drops, controllers, logs; time, plots and files out of it."""

import csv
import io
import tomllib
from pathlib import Path

import numpy as np
import pytest
from made import ARM
from studio_page import (
    drop,
    fresh,
    joint_field,
    load,
    messages,
    set_number,
    status,
    wait_for_column,
    wait_for_motion,
    watched,
)

import qddot

# press the button that cancels as soon as it is there
CANCELLED = """() => {
  const work = document.getElementById("work");
  const look = new MutationObserver(() => {
    if (work.hidden) return;
    look.disconnect();
    document.getElementById("cancel").click();
  });
  look.observe(work, { attributes: true });
}"""
FOUR_DECIMALS = 6e-5  # [rad], as fields show them
BETWEEN_ROWS = 2e-3  # [rad]: the page draws straight lines between the rows of a motion
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def seen(studio):
    with watched(studio, "#robot=two_link") as found:
        yield found


@pytest.fixture
def page(seen):
    return fresh(seen.page, "two_link")


def pose(page):
    """Return the numbers in the joints' fields."""
    fields = page.locator("#joints input[type=number]").all()
    return np.array([float(field.input_value()) for field in fields])


def seek(page, part):
    """Pause, move the time to a part of the motion, and return what the clock says."""
    # at once: a motion that ends by itself in between would be started again by the click
    page.locator("#scrubber").evaluate(
        """(bar, part) => {
          const play = document.getElementById("play");
          if (play.getAttribute("aria-label") === "Pause") play.click();
          bar.value = Number(bar.min) + part * (bar.max - bar.min);
          bar.dispatchEvent(new Event("input"));
        }""",
        part,
    )
    return float(page.text_content("#clock").split()[0])


def saved(page, button):
    """Press a button that saves a file, and return its name and its bytes."""
    with page.expect_download() as waiting:
        page.click(button)
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def test_a_dropped_arm_moves_as_it_is_simulated(page):
    set_number(page, joint_field(0), 0.3)
    set_number(page, joint_field(1), -0.5)
    set_number(page, "#duration", 2)
    page.uncheck("#stops")
    page.check("#loop")  # so that it does not end by itself
    page.click("#run")
    wait_for_motion(page, "drop")
    assert status(page).startswith("finished: 2 s")
    page.wait_for_function("() => Number(document.querySelector('#scrubber').value) > 0.2")
    page.keyboard.press(" ")  # pauses
    assert page.get_attribute("#play", "aria-label") == "Play"
    run = qddot.simulate(ARM, [0.3, -0.5], duration=2)
    for part in (0.25, 0.6, 1.0):
        t = seek(page, part)
        assert t == pytest.approx(2 * part, abs=0.006)
        q, _, _ = run.at(2 * part)
        assert pose(page) == pytest.approx(q, abs=BETWEEN_ROWS + FOUR_DECIMALS)
    wait_for_column(page, "τ", np.zeros(2))
    # moving a joint leaves the motion; Run starts again where the sliders were left
    set_number(page, joint_field(0), 1.0)
    page.locator("#tau-words", has_text="τ = M").wait_for()


def test_time_can_be_played_at_any_speed_in_a_loop_and_by_steps(page):
    set_number(page, "#duration", 0.5)
    page.check("#loop")
    page.select_option("#speed", "4")
    page.click("#run")
    wait_for_motion(page, "drop")
    # it comes back to the start again and again
    page.evaluate(
        """() => {
          window.returns = 0;
          let last = 0;
          const bar = document.querySelector("#scrubber");
          const look = () => {
            if (Number(bar.value) < last) window.returns += 1;
            last = Number(bar.value);
            if (window.returns < 2) requestAnimationFrame(look);
          };
          look();
        }"""
    )
    page.wait_for_function("() => window.returns >= 2")
    before = seek(page, 0.5)
    page.focus("#arm")
    page.keyboard.press(".")
    assert float(page.text_content("#clock").split()[0]) > before
    page.keyboard.press(",")
    page.keyboard.press(",")
    assert float(page.text_content("#clock").split()[0]) < before


def test_plots_follow_and_tell_their_values_where_the_pointer_is(page):
    set_number(page, "#duration", 1)
    page.click("#run")
    wait_for_motion(page, "drop")
    page.wait_for_function("() => Number(document.querySelector('#scrubber').value) >= 1")
    plots = page.locator(".plot")
    assert plots.locator("figcaption").all_text_contents()[:3] == ["q, rad", "q̇, rad/s", "τ, N·m"]
    first = plots.nth(0).locator("canvas")
    still = first.screenshot()
    first.hover(position={"x": 120, "y": 40})
    told = plots.nth(0).locator(".values").text_content()
    assert "j1" in told
    assert "j2" in told
    page.mouse.move(5, 5)
    seek(page, 0.3)
    assert first.screenshot() != still
    # a press in a plot is a time
    first.click(position={"x": 50, "y": 40})
    assert float(page.text_content("#clock").split()[0]) < 0.2
    page.click("#legend button >> nth=0")
    assert page.get_attribute("#legend button >> nth=0", "aria-pressed") == "false"
    page.click("#close-plots")
    assert not page.is_visible("#plots")
    assert page.is_disabled("#play")


def test_a_controller_brings_the_arm_to_the_target(page):
    page.get_by_role("radio", name="Control").check()
    laws = page.locator("#law option").count()
    assert laws >= 5
    set_number(page, joint_field(0), 0.8)
    set_number(page, joint_field(1), -0.4)
    page.click("#target-here")
    page.click("#reset")
    start = pose(page)
    page.select_option("#law", "computed_torque")
    page.click("#run")
    wait_for_motion(page, "control")
    seek(page, 0.0)
    assert pose(page) == pytest.approx(start, abs=FOUR_DECIMALS)
    seek(page, 1.0)
    assert pose(page) == pytest.approx([0.8, -0.4], abs=1e-2)
    # an own target, by its fields
    page.click("#target summary")
    set_number(page, "#target-fields label:nth-child(2) input", 0.6)
    page.click("#run")
    page.wait_for_selector("#run:not([disabled])")
    seek(page, 1.0)
    assert pose(page) == pytest.approx([0.8, 0.6], abs=1e-2)


def test_a_saved_motion_is_a_table_and_replays_as_a_log(page):
    set_number(page, "#duration", 1)
    page.uncheck("#stops")
    page.click("#run")
    wait_for_motion(page, "drop")
    seek(page, 0.5)
    half = pose(page)
    name, data = saved(page, "#save-csv")
    assert name == "two_link_motion.csv"
    lines = [line for line in data.decode().splitlines() if not line.startswith("#")]
    rows = list(csv.reader(lines))
    assert rows[0][0] == "t"
    assert {"q.j1", "q.j2", "qd.j1", "tau.j2"} <= set(rows[0])
    assert len({len(row) for row in rows}) == 1
    page.click("#close-plots")
    drop(page, name, data.decode())
    wait_for_motion(page, "log")
    assert page.is_checked("input[name=what][value=log]")
    seek(page, 0.5)
    assert pose(page) == pytest.approx(half, abs=BETWEEN_ROWS)
    # a log may be of another robot
    load(page, "pendulum")
    drop(page, "other.csv", "t,q.elbow\n0,0\n1,1\n")
    page.locator("#messages p").wait_for()
    assert "other.csv" in messages(page)[0]


def test_picture_state_and_robot_are_saved_as_they_are_on_the_screen(page, tmp_path):
    name, data = saved(page, "#save-png")
    assert name == "two_link.png"
    assert data.startswith(PNG)
    assert len(data) > 10_000
    set_number(page, joint_field(1), 0.7)
    wait_for_column(page, "g", ARM.gravity_torque(pose(page)))
    name, data = saved(page, "#save-csv")
    [row] = csv.DictReader(io.StringIO(data.decode()))
    q = [float(row["q.j1"]), float(row["q.j2"])]
    assert q[1] == 0.7
    assert float(row["M.1.1"]) == pytest.approx(ARM.mass_matrix(q)[0, 0], rel=1e-12)
    set_number(page, "#pull", 1.62)
    set_number(page, "#payload", 3)
    page.locator("#facts", has_text="103").wait_for()
    name, data = saved(page, "#save-toml")
    assert name == "two_link.toml"
    tomllib.loads(data.decode())
    path = tmp_path / name
    path.write_bytes(data)
    wanted = ARM.with_gravity((0, -1.62, 0)).with_payload("tool", 3)
    assert qddot.load(path).gravity_torque(q) == pytest.approx(wanted.gravity_torque(q), rel=1e-9)


@pytest.mark.long
def test_a_report_of_what_is_shown_is_saved_or_cancelled(page):
    page.evaluate(CANCELLED)
    page.click("#save-report")
    page.locator("#status", has_text="Cancelled").wait_for()
    assert not page.is_visible("#work")
    load(page, "pendulum")
    set_number(page, "#duration", 1.25)
    page.click("#run")
    wait_for_motion(page, "drop")
    page.evaluate(
        """() => {
          const [bar, told] = [document.querySelector("#work-text"), window.told = new Set()];
          new MutationObserver(() => told.add(bar.textContent)).observe(bar, {childList: true});
        }"""
    )
    name, data = saved(page, "#save-report")
    assert name == "pendulum.html"
    assert data.lstrip().lower().startswith(b"<!doctype html>")
    assert b"pendulum" in data
    assert b"1.25" in data
    told = page.evaluate("() => [...window.told]")
    assert sum(words.startswith("Report: ") for words in told) > 4


@pytest.mark.long
def test_the_page_updates_while_a_panda_plays(page):
    """How often depends on the machine; that it does, again and again, does not."""
    load(page, "panda")
    page.check("#ellipsoid")
    page.check("#loop")
    page.evaluate(
        """() => {
          window.seen = new Set();
          const cell = document.querySelector("#matrix td button");
          const note = () => window.seen.add(cell.textContent);
          new MutationObserver(note).observe(cell, {childList: true, characterData: true, subtree: true});
        }"""  # noqa: E501
    )
    page.click("#run")
    wait_for_motion(page, "drop")
    page.wait_for_function("() => window.seen.size >= 5")
