"""What is set on the studio's page can be kept, shared, taken back and made again."""

import json
from urllib.parse import quote

import pytest
from browser import rest, until
from studio_page import drop, fresh, joint_field, load, messages, ready, set_number, watched

ARM = """
name = "my arm"
[[joint]]
name = "hinge"
type = "revolute"
parent = "base"
child = "rod"
axis = [0, 0, 1]
limits = { lower = -2, upper = 2 }
[[link]]
name = "rod"
mass = 2.0
com = [0.5, 0, 0]
inertia = [0.1, 0.1, 0.1]
"""


@pytest.fixture(scope="module")
def seen(studio):
    allowed = ["clipboard-read", "clipboard-write"]
    with watched(studio, "#robot=two_link", permissions=allowed, reduced_motion="reduce") as found:
        yield found


@pytest.fixture
def page(seen):
    return fresh(seen.page, "two_link")


def value(page, selector):
    return float(page.input_value(selector))


def addressed(page, *words):
    """Wait until the address, which is written now and then, has words in it."""
    held = "(words) => words.every((each) => decodeURIComponent(location.hash).includes(each))"
    page.wait_for_function(held, arg=list(words))


def reload(page):
    page.evaluate("() => { document.title = ''; }")
    page.reload()
    page.wait_for_function(
        "() => document.title.endsWith('qddot studio') && document.title.includes('–')"
    )
    ready(page)


# numbers that are set, with what they are before; the second ones are of a law
ROBOT = {joint_field(0): (0.4, 0), "#payload": (7, 0), "#pull": (3, 9.81), "#viscous": (2, 0)}
LAW = {"#gain-kd": (123, None), "#frequency": (0.7, 0.5)}
LAW |= {"#known-masses": (-10, 0), "#delay": (4, 0)}


def tuned(page):
    for selector, (number, _) in ROBOT.items():
        set_number(page, selector, number)
    page.get_by_role("radio", name="Control").check()
    page.select_option("#law", "joint_impedance")
    page.select_option("#reference", "sine")
    rest(page)
    for selector, (number, _) in LAW.items():
        set_number(page, selector, number)
    addressed(page, '"delay":4', '"mass":7', '"frequency":0.7')


def looks_tuned(page):
    rest(page)
    for selector, (number, _) in (ROBOT | LAW).items():
        assert value(page, selector) == number, selector
    assert page.input_value("#law") == "joint_impedance"
    assert page.input_value("#reference") == "sine"
    assert page.is_checked("input[name=what][value=control]")


def test_a_reload_shows_everything_that_was_set(page):
    tuned(page)
    reload(page)
    looks_tuned(page)


def test_an_address_is_shown_again_and_taken_back(page):
    tuned(page)
    address = page.evaluate("location.hash")
    fresh(page, "pendulum")
    addressed(page, "robot=pendulum")
    page.evaluate("(hash) => { location.hash = hash; }", address)
    page.wait_for_function("() => document.title.startsWith('two_link –')")
    looks_tuned(page)
    page.click("#undo")
    page.wait_for_function("() => document.title.startsWith('pendulum –')")
    page.click("#redo")
    page.wait_for_function("() => document.title.startsWith('two_link –')")
    looks_tuned(page)


@pytest.mark.parametrize("state", ["{", "[]", "null", '{"robot": "<b>none</b>"}'])
def test_what_is_no_state_is_left_out(page, state):
    page.evaluate("(hash) => { location.hash = hash; }", f"#robot=pendulum&state={quote(state)}")
    page.wait_for_function("() => document.title.startsWith('pendulum –')")
    rest(page)
    assert not messages(page)


def test_a_saved_state_of_an_older_studio_is_refused_and_the_robot_stays(page):
    drop(page, "a.studio", '{"qddot_studio": 1, "robot": "pendulum"}')
    page.locator("#messages p", has_text="a.studio").wait_for()
    assert page.title().startswith("two_link")


def test_parts_of_a_state_that_have_no_right_form_are_left_out(page):
    setup = {"law": "pd", "gains": {"kp": "<img>"}, "reference": {"kind": "eval"}}
    state = {"setup": setup, "set": {"gravity": "down"}, "duration": None, "frame": "nowhere"}
    words = quote(json.dumps(state | {"more": 1}))
    page.evaluate("(hash) => { location.hash = hash; }", f"#robot=two_link&q=0.3,0.2&state={words}")
    assert until(page, lambda: value(page, joint_field(0)) == 0.3)
    rest(page)
    assert page.input_value("#law") == "computed_torque"
    assert not messages(page)


def test_undo_and_redo_cover_every_kind_of_change(page):
    tuned(page)
    while page.is_enabled("#undo"):
        page.click("#undo")
    rest(page)
    for selector, (_, before) in (ROBOT | LAW).items():
        if before is not None:
            assert value(page, selector) == before, selector
    assert page.is_checked("input[name=what][value=drop]")
    while page.is_enabled("#redo"):
        page.keyboard.press("Control+y")
    looks_tuned(page)


def test_a_reload_asks_for_a_dropped_file_and_shows_it_as_it_was(page):
    drop(page, "rod.toml", ARM)
    page.wait_for_function("() => document.title.startsWith('my arm –')")
    set_number(page, joint_field(0), 0.7)
    addressed(page, "file:rod.toml", "q=0.7")
    page.evaluate("() => { location.hash = location.hash.replace('q=0.7', 'q=0.9'); }")
    assert until(page, lambda: value(page, joint_field(0)) == 0.9)  # it is still there
    reload(page)
    asked = page.locator("#messages p", has_text="The address does not hold “rod.toml”")
    asked.wait_for()
    assert not page.title().startswith("my arm")
    drop(page, "rod.toml", ARM)
    page.wait_for_function("() => document.title.startsWith('my arm –')")
    assert until(page, lambda: value(page, joint_field(0)) == 0.9)
    assert asked.count() == 0
    load(page, "pendulum")
    page.evaluate("() => { location.hash = '#robot=file:rod.toml&q=0.1'; }")
    asked.wait_for()
    assert page.title().startswith("pendulum")


def test_an_address_that_is_put_into_the_same_page_is_shown(page):
    """Also when the page is about to write its own there."""
    state = quote('{"set": {"payload": {"frame": "tool", "mass": 4}}, "duration": 2}')
    put = "(hash) => { location.hash = hash; tick(); }"
    page.evaluate(put, f"#robot=two_link&q=0.3,0.6&state={state}")
    assert until(page, lambda: value(page, "#payload") == 4)
    assert value(page, joint_field(0)) == 0.3
    assert value(page, "#duration") == 2


def test_the_link_is_the_address(page):
    set_number(page, "#payload", 2)
    addressed(page, '"mass":2')
    page.click("#copy-link")
    page.locator("#status", has_text="in the clipboard").wait_for()
    assert page.evaluate("() => navigator.clipboard.readText()") == page.url
