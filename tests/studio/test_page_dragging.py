"""The studio's page in somebody's hand: the handle, links, keys, typed poses, ghosts."""

import numpy as np
import pytest
from browser import rest, until
from studio_page import messages, shown, status

import qddot

ROUNDED = 2e-3  # [m], [rad]: fields show three or four decimals
# keep the view, which nobody else can reach, and count what it is shown and its pictures
HOOK = """() => {
  window.scenes = window.pictures = 0;
  const { draw, show } = ArmView.prototype;
  ArmView.prototype.show = function (scene) {
    window.scenes += 1;
    return show.call(this, scene);
  };
  ArmView.prototype.draw = function (...how) {
    [window.armView, window.pictures] = [this, window.pictures + 1];
    return draw.apply(this, how);
  };
}"""
# a point of the page at which the handle is taken by a part
PLACE = """(name) => {
  const { left, top } = armView.canvas.getBoundingClientRect();
  const [u, v] = armView.seen(armView.scene.handle.at).map((x) => x / armView.ratio);
  for (let r = 4; r < 130; r += 2)
    for (let w = 0; w < 6.3; w += 0.1) {
      const [x, y] = [u + r * Math.cos(w), v + r * Math.sin(w)];
      if (armView.part(x, y, 4)?.name === name) return [left + x, top + y];
    }
  return null;
}"""
# pixels of the page to where something moves when it goes along a direction
ALONG = """(way) => {
  const { at } = armView.scene.handle;
  const [a, b] = [at, at.map((x, i) => x + way[i])].map((p) => armView.seen(p));
  return [(b[0] - a[0]) / armView.ratio, (b[1] - a[1]) / armView.ratio];
}"""
# where a point of the ring about z is after a turn
ROUND = """([x, y, turn]) => {
  const { left, top } = armView.canvas.getBoundingClientRect();
  const { at, point } = armView.part(x - left, y - top);
  const [u, v, c, s] = [point[0] - at[0], point[1] - at[1], Math.cos(turn), Math.sin(turn)];
  const [a, b] = armView.seen([at[0] + c * u - s * v, at[1] + s * u + c * v, at[2]]);
  return [left + a / armView.ratio, top + b / armView.ratio];
}"""

# a point of the page well inside what a joint moves: at its edge a redrawn picture may have another
INSIDE = """(name) => {
  const { left, top, width, height } = armView.canvas.getBoundingClientRect();
  const is = (x, y) => armView.joint(x, y)?.name === name;
  const around = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [Math.cos(k * Math.PI / 4), Math.sin(k * Math.PI / 4)]);
  for (let far = 12; far > 0; far -= 2)
    for (let y = 5; y < height; y += 4)
      for (let x = 5; x < width; x += 4)
        if (is(x, y) && around.every(([c, s]) => is(x + far * c, y + far * s))) return [left + x, top + y];
  return null;
}"""  # noqa: E501


@pytest.fixture(scope="module")
def page(studio):
    start = "&q=0.3,-1.2,1.3,-0.6,0.9,0.2"
    with shown(f"{studio.address}#robot=ur5{start}", height=560, width=1000) as seen:
        page = seen.page
        page.evaluate(HOOK)
        page.evaluate("() => dispatchEvent(new Event('beforeprint'))")  # which draws at once
        page.evaluate("() => dispatchEvent(new Event('afterprint'))")
        assert until(page, lambda: page.evaluate("() => Boolean(armView.scene?.handle)"))
        yield page
        assert not seen.errors, seen.errors


def still(page):
    """Return whether what the page shows belongs to its sliders."""
    X = qddot.load("ur5").pose(positions(page), "tool")
    return np.abs(X[:3, 3] - place(page)[:3]).max() < ROUNDED


def positions(page):
    fields = page.locator("#joints input[type=number]").all()
    return np.array([float(field.input_value()) for field in fields])


def place(page):
    """Return x, y, z, roll, pitch and yaw in the fields."""
    fields = page.locator("#pose-form input").all()
    return np.array([float(field.input_value()) for field in fields])


def drag(page, part, way):
    """Pull a part of the handle by some metres."""
    rest(page)
    x, y = page.evaluate(PLACE, part)
    u, v = page.evaluate(ALONG, way)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + u / 2, y + v / 2)
    page.mouse.move(x + u, y + v)
    page.mouse.up()
    rest(page)  # until it is there


def test_the_tool_follows_its_handle_and_one_undo_takes_it_back(page):
    before, q = place(page), positions(page)
    drag(page, "along 2", [0, 0, 0.1])
    assert place(page)[2] - before[2] > 0.07
    assert still(page)
    moved = place(page) - before
    assert np.abs(moved[[0, 1, 3, 4, 5]]).max() < ROUNDED  # along z alone
    page.click("#undo")
    assert np.abs(positions(page) - q).max() < ROUNDED
    page.keyboard.press("Control+y")
    rest(page)
    assert np.abs(place(page) - before - moved).max() < ROUNDED
    assert not messages(page)


def test_a_ring_turns_the_tool_where_it_is(page):
    rest(page)
    before = place(page)
    x, y = page.evaluate(PLACE, "turn 2")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(*page.evaluate(ROUND, [x, y, 0.4]))
    page.mouse.up()
    rest(page)
    assert 0.25 < place(page)[5] - before[5] < 0.55
    assert still(page)
    assert np.abs(place(page) - before)[:3].max() < ROUNDED


def test_a_pose_is_typed_and_what_is_out_of_reach_is_said(page):
    before = place(page)
    field = page.locator("#pose-form input")
    field.nth(0).fill(f"{before[0] - 0.1:.4f}")
    field.nth(0).press("Enter")
    rest(page)
    assert abs(place(page)[0] - before[0] + 0.1) < ROUNDED
    assert still(page)
    field.nth(0).fill("3")
    page.click("#go")
    rest(page)
    assert "ut of reach by" in status(page)
    page.click("#undo")
    rest(page)
    assert abs(place(page)[0] - before[0] + 0.1) < ROUNDED


def test_keys_move_the_tool(page):
    before = place(page)
    page.focus("#arm")
    page.keyboard.press("m")
    for _ in range(4):
        page.keyboard.press("PageUp")
    rest(page)
    assert abs(place(page)[2] - before[2] - 0.02) < ROUNDED
    page.keyboard.press("m")


def test_all_solutions_are_ghosts_to_choose_from(page):
    page.click("#ways")
    rows = page.locator("#ways-rows button")
    rest(page)
    assert rows.count() == 8
    assert page.text_content("#ways-words") == "8 solutions"
    before = place(page)
    rows.nth(3).click()
    robot = qddot.load("ur5")
    rest(page)
    assert rows.nth(3).get_attribute("aria-pressed") == "true"
    assert still(page)
    assert np.abs(place(page) - before)[:3].max() < ROUNDED
    ways = page.evaluate("() => armView.scene.ghosts.map((ghost) => ghost.way)")
    assert ways == [0, 1, 2, 4, 5, 6, 7]  # the arm itself has the other
    assert np.abs(robot.pose(positions(page), "tool")[:3, 3] - before[:3]).max() < ROUNDED
    page.click("#close-ways")


def test_a_link_turns_about_its_joint(page):
    page.check("input[name=drag][value=joints]", force=True)
    before = positions(page)
    rest(page)
    x, y = page.evaluate(INSIDE, "joint 2")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 10, y + 14)
    page.mouse.up()
    assert abs(positions(page)[2] - before[2]) > 0.01
    others = np.delete(positions(page) - before, 2)
    assert np.abs(others).max() < ROUNDED
    page.check("input[name=drag][value=tool]", force=True)


def test_nothing_is_drawn_when_nothing_changed(page):
    rest(page, fine=True)
    page.evaluate("() => { window.scenes = window.pictures = 0; }")
    page.evaluate("() => document.getElementById('trace').dispatchEvent(new Event('change'))")
    rest(page)  # it asks for the state and gets the same one
    assert page.evaluate("() => [window.scenes, window.pictures]") == [1, 0]


def test_a_joint_to_spare_is_chosen_and_its_slider_leads_along_the_curve(studio):
    """Of Baxter's arm, which no closed form fits, whatever joint is given."""
    robot = qddot.load("baxter")
    with shown(f"{studio.address}#robot=baxter", height=700, width=1000) as seen:
        page = seen.page
        assert until(page, lambda: page.locator("#pose-form input").first.input_value() != "")
        rest(page)
        before = robot.pose(positions(page), "tool")
        page.click("#ways")
        assert until(page, lambda: page.is_visible("#free-slider"))
        words = page.text_content("#ways-words")
        assert words.split()[0].isdigit()
        assert words.endswith("with right_w2 here")
        page.select_option("#free-joint", label="right_e0")
        assert until(page, lambda: "right_e0 here" in page.text_content("#ways-words"))
        there = float(page.input_value("#free")) + 0.1
        page.fill("#free", str(there))
        page.keyboard.press("Enter")
        e0 = robot.joint_names.index("right_e0")
        assert until(page, lambda: abs(positions(page)[e0] - there) < ROUNDED)
        rest(page)
        assert np.abs(robot.pose(positions(page), "tool") - before).max() < ROUNDED
        assert not messages(page)
        assert not seen.errors, seen.errors
