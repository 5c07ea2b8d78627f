"""The studio's page and the world: files that are good, bad or hostile; a server that goes away."""

from itertools import pairwise
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest
from browser import rest
from refused import refusals
from studio_page import (
    drop,
    fresh,
    joint_field,
    messages,
    ready,
    set_number,
    shown,
    studio_of,
    wait_for_column,
    wait_for_matrix,
    watched,
)

import qddot

ARM = refusals("urdf")["arm"]
DROP_HUGE = """(name) => {
  const held = new DataTransfer();
  held.items.add(new File([new Uint8Array(8 * 2 ** 20 + 1)], name));
  document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: held, bubbles: true}));
}"""
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    '"><script>alert(2)</script>',
    "</option></select><h1>big</h1>",
    "{{7*7}}${alert(3)}",
    "__proto__",
    "javascript:alert(4)",
)


@pytest.fixture(scope="module")
def seen(studio):
    with watched(studio, "#robot=pendulum", reduced_motion="reduce") as found:
        yield found


@pytest.fixture
def page(seen):
    return fresh(seen.page, "pendulum")


def test_a_dropped_urdf_becomes_the_robot(page, tmp_path):
    drop(page, "arm.urdf", ARM)
    page.wait_for_function("() => document.title.startsWith('arm –')")
    ready(page)
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    robot = qddot.load(path)
    q = [float(page.input_value(joint_field(i))) for i in range(2)]
    wait_for_matrix(page, robot.mass_matrix(q))
    assert page.locator("#joints label").all_text_contents() == ["shoulder", "elbow"]
    assert page.locator("#robots option:checked").text_content() == "arm"
    # a built-in one is there as before
    page.select_option("#robots", "pendulum")
    page.wait_for_function("() => document.title.startsWith('pendulum –')")


def test_a_file_can_be_chosen_without_a_mouse(page):
    page.focus("#open")
    with page.expect_file_chooser() as waiting:
        page.keyboard.press("Enter")
    file = {"name": "arm.urdf", "mimeType": "text/xml", "buffer": ARM.encode()}
    waiting.value.set_files([file])
    page.wait_for_function("() => document.title.startsWith('arm –')")


def test_a_bad_file_is_refused_with_its_line_and_the_robot_stays(page, tmp_path):
    bad = ARM.replace('<mass value="2"/>', '<mass value="-2"/>')
    line = 1 + bad[: bad.index('<link name="upper">')].count("\n")
    drop(page, "bad.urdf", bad)
    page.locator("#messages p").wait_for()
    [words] = messages(page)
    assert f"bad.urdf:{line}" in words
    path = tmp_path / "bad.urdf"
    path.write_text(bad)
    with pytest.raises(qddot.QddotError) as refused:
        qddot.load(path)
    assert words == str(refused.value).replace(str(path), "bad.urdf")
    assert page.title().startswith("pendulum –")
    page.get_by_role("button", name="Dismiss this message").click()
    assert messages(page) == []


def test_a_file_that_is_nothing_is_refused_in_words(page):
    drop(page, "holiday.jpg", "not a picture")
    page.locator("#messages p").wait_for()
    assert "holiday.jpg" in messages(page)[0]
    page.evaluate("() => document.querySelector('#messages button').click()")
    page.evaluate(DROP_HUGE, "huge.urdf")
    page.locator("#messages p", has_text="8 MiB").wait_for()


def hostile_robot():
    """Return a chain of links and joints with these names; two of the joints move."""
    parts = ["<link name='base'/>"]
    for i, (parent, child) in enumerate(pairwise(["base", *HOSTILE])):
        kind = "continuous" if i < 2 else "fixed"
        parts += [
            f"<link name={quoteattr(child)}><inertial><mass value='1'/>",
            "<inertia ixx='.1' iyy='.1' izz='.1' ixy='0' ixz='0' iyz='0'/></inertial></link>",
            f"<joint name={quoteattr('j' + child)} type='{kind}'>",
            f"<parent link={quoteattr(parent)}/>",
            f"<child link={quoteattr(child)}/><origin xyz='.3 0 0'/><axis xyz='0 1 0'/></joint>",
        ]
    return f"<robot name={quoteattr(HOSTILE[1])}>{''.join(parts)}</robot>"


def test_hostile_names_are_words_and_nothing_else(page):
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    robot = hostile_robot()
    before = page.evaluate("() => document.querySelectorAll('img, script, h1').length")
    drop(page, "<b>x</b>.urdf", robot)
    page.wait_for_function("() => document.querySelectorAll('#joints .joint').length === 2")
    ready(page)
    names = page.locator("#joints label").all_text_contents()
    assert names == [f"j{name}" for name in HOSTILE[:2]]
    assert set(HOSTILE) <= set(page.locator("#frame option").all_text_contents())
    # everything that shows names: the selects, the tables, a motion, its plots, an equation
    page.click("#friction-details summary")
    set_number(page, "#duration", 0.5)
    page.click("#run")
    page.wait_for_selector("#plots:not([hidden])")
    page.locator(".plot canvas").first.hover()
    page.click("#vectors [data-matrix=g] >> nth=0")
    page.locator("#equation-title", has_text="Equation of g₁").wait_for()
    page.select_option("#payload-frame", HOSTILE[0])
    set_number(page, "#payload", 1)
    drop(page, '<img src=y onerror="alert(5)">.urdf', "<robot")
    page.locator("#messages p").wait_for()
    rest(page)
    assert page.evaluate("() => document.querySelectorAll('img, script, h1').length") == before
    assert dialogs == []


def test_the_page_comes_back_with_its_robot_when_the_server_does():
    first = studio_of("pendulum", port=0)
    with first, shown(first.address) as seen:
        page = seen.page
        set_number(page, joint_field(0), 0.75)
        set_number(page, "#pull", 3.7)
        robot = qddot.load("pendulum")
        # the fields show it once the server has answered, so it is not read from them
        down = np.array(robot.model.gravity, dtype=float)
        gravity = down / np.linalg.norm(down) * 3.7
        wait_for_column(page, "g", robot.with_gravity(gravity).gravity_torque([0.75]))
        first.stop()
        page.locator("#lost").wait_for(state="visible")
        assert "qddot studio" in page.text_content("#lost")
        with studio_of("panda", port=first.port):
            page.locator("#lost").wait_for(state="hidden")
            page.locator("#status", has_text="Connected again").wait_for()
            assert page.title().startswith("pendulum –")
            set_number(page, joint_field(0), -0.5)
            wait_for_column(page, "g", robot.with_gravity(gravity).gravity_torque([-0.5]))
