"""The studio's page: every control does what it says, and the numbers are the robot's."""

import re

import numpy as np
import pytest
from accessibility import complaints
from browser import copied, rest, until
from long import long
from made import PANDA
from studio_page import (
    column,
    drop,
    fresh,
    joint_field,
    load,
    messages,
    ready,
    set_number,
    shown,
    shows,
    status,
    studio_of,
    wait_for_column,
    wait_for_matrix,
    wait_for_motion,
    watched,
)

import qddot
from qddot.readers.read import built_in_names

HOME = np.array([0.0, -0.6, 0.1, -2.2, 0.2, 1.6, 0.8])
SEVEN_DIGITS = 1e-6  # of a value: what the equation's own line shows


@pytest.fixture(scope="module")
def studio():
    with studio_of("panda", port=0) as running:
        yield running


@pytest.fixture(scope="module")
def seen(studio):
    allowed = ["clipboard-read", "clipboard-write"]
    # motions that play are for other tests
    with watched(studio, permissions=allowed, reduced_motion="reduce") as found:
        yield found


@pytest.fixture
def page(seen):
    """The page as it is when it was just opened."""
    return fresh(seen.page, "panda")


@pytest.fixture(scope="module")
def panda():
    return PANDA


def stand(page, q):
    """Put the arm somewhere, by its number fields."""
    for i, value in enumerate(q):
        set_number(page, joint_field(i), value)


def test_the_page_offers_every_built_in_robot_and_shows_the_one_asked_for(seen, studio, panda):
    page = seen.page
    page.goto("about:blank")  # an address that differs in its hash alone is not opened again
    page.goto(studio.address)
    ready(page)
    offered = page.locator("#robots [label='Built in'] option").all_text_contents()
    assert set(offered) == set(built_in_names())
    assert page.input_value("#robots") == "panda"
    q = [float(page.input_value(joint_field(i))) for i in range(7)]
    wait_for_matrix(page, panda.mass_matrix(q))
    wait_for_column(page, "g", panda.gravity_torque(q))


def test_every_number_is_the_robots_at_the_pose_and_rates_of_the_sliders(page, panda):
    qd = np.array([0.5, -0.4, 0.3, 0.2, -0.1, 0.6, 0.7])
    stand(page, HOME)
    page.check("input[name=order][value='1']")
    stand(page, qd)
    wait_for_matrix(page, panda.mass_matrix(HOME))
    wait_for_column(page, "g", panda.gravity_torque(HOME))
    wait_for_column(page, "c", panda.velocity_torque(HOME, qd))
    wait_for_column(page, "friction", panda.friction_torque(qd))
    wait_for_column(page, "τ", panda.inverse_dynamics(HOME, qd, np.zeros(7)))
    page.check("input[name=matrix][value=C]")
    wait_for_matrix(page, panda.coriolis_matrix(HOME, qd))
    page.check("input[name=order][value='2']")
    set_number(page, joint_field(1), 3.0)
    qdd = np.array([0, 3.0, 0, 0, 0, 0, 0])
    wait_for_column(page, "τ", panda.inverse_dynamics(HOME, qd, qdd))

    energies = [words.split()[0] for words in page.locator("#energies dd").all_text_contents()]
    kinetic, potential = panda.kinetic_energy(HOME, qd), panda.potential_energy(HOME)
    assert all(map(shows, energies, (kinetic, potential, kinetic + potential)))
    eigenvalues = np.linalg.eigvalsh(panda.mass_matrix(HOME))
    assert all(map(shows, page.locator("#eigenvalues b").all_text_contents(), eigenvalues))
    condition = page.text_content("#condition").removeprefix("condition ")
    assert shows(condition, eigenvalues[-1] / eigenvalues[0])

    page.click("#stop")
    wait_for_column(page, "c", np.zeros(7))


def test_a_slider_moves_its_joint_and_its_number_within_the_limits(page, panda):
    page.focus("#joint-1")
    page.keyboard.press("End")
    upper = panda.model.free_joints[1].limits.upper
    assert float(page.input_value(joint_field(1))) == pytest.approx(upper, abs=1e-4)
    note = page.locator("#joints .joint:nth-child(2) .note")
    set_number(page, joint_field(1), 99)
    assert float(page.input_value(joint_field(1))) == pytest.approx(upper, abs=1e-4)
    assert note.text_content() == f"99 is above the limit {upper:g}"
    page.keyboard.press("Control+z")
    page.click("#undo")
    assert float(page.input_value(joint_field(1))) == 0
    assert page.is_disabled("#undo")
    set_number(page, joint_field(1), 0.5)
    assert note.text_content() == ""
    page.click("#reset")
    assert float(page.input_value(joint_field(1))) == 0
    set_number(page, "#payload", -2)
    assert page.locator(".slider:has(#payload) .note").text_content() == "−2 is below the limit 0"
    set_number(page, "#duration", 0.001)  # Enter runs it
    assert page.locator("#run-form .note").text_content() == "from 0.1 to 60 s"


# how many joints each part of the page shows, whenever one of them changes
MIXED = """() => {
  window.mixed = [];
  const count = (selector) => document.querySelectorAll(selector).length;
  const look = () => {
    const parts = ["#joints .joint", "#matrix tbody tr", "#vectors tbody tr", "#eigenvalues b"].map(count);
    if (new Set(parts).size > 1) window.mixed.push(parts);
  };
  for (const id of ["joints", "matrix", "vectors"])
    new MutationObserver(look).observe(document.getElementById(id), { childList: true, subtree: true });
}"""  # noqa: E501


@pytest.mark.long
def test_going_through_the_menu_quickly_shows_the_last_robot_and_never_two_at_once(page):
    names = page.locator("#robots option").all_text_contents()
    start = names.index("panda")
    page.evaluate(MIXED)
    page.focus("#robots")
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    wanted = names[start + 4]
    page.wait_for_function("(name) => document.title.startsWith(`${name} –`)", arg=wanted)
    ready(page)
    robot = qddot.load(wanted)
    q = [float(page.input_value(joint_field(i))) for i in range(robot.n)]
    wait_for_matrix(page, robot.mass_matrix(q))
    assert page.input_value("#robots") == wanted
    assert messages(page) == []
    assert page.evaluate("() => window.mixed") == []


def test_the_page_offers_no_format_that_it_refuses(page):
    shown = page.get_attribute("#open", "title") + page.text_content("#drop-here")
    for offered in ("URDF", "MJCF", "TOML", "JSON", "CSV", "Parquet", "npz"):
        assert offered in shown
    assert "xacro" not in page.text_content("#drop-here")
    assert "A xacro file must be expanded first" in shown


def test_dragging_a_slider_with_the_mouse_follows_the_hand(page, panda):
    box = page.locator("#joint-1").bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    for step in range(20):
        page.mouse.move(box["x"] + box["width"] * (0.5 + 0.02 * step), middle)
    page.mouse.up()
    q = np.array([float(page.input_value(joint_field(i))) for i in range(7)])
    assert q[1] > 0.5
    # fields show four decimals, tables are of the exact state
    wanted = pytest.approx(panda.gravity_torque(q)[1], abs=1e-2)
    assert until(page, lambda: float(column(page, "g")[1].replace("−", "-")) == wanted)


def test_gravity_is_set_by_name_by_strength_and_by_vector(page, panda):
    stand(page, HOME)
    for name, g in (("Moon", 1.62), ("None", 0.0), ("Earth", 9.81)):
        page.get_by_role("radio", name=name).check()
        wait_for_column(page, "g", panda.with_gravity((0, 0, -g)).gravity_torque(HOME))
    set_number(page, "#pull", 3.7)
    wait_for_column(page, "g", panda.with_gravity((0, 0, -3.7)).gravity_torque(HOME))
    set_number(page, "#gravity-x", 2.5)
    wait_for_column(page, "g", panda.with_gravity((2.5, 0, -3.7)).gravity_torque(HOME))
    assert page.is_enabled("#as-loaded")
    page.click("#as-loaded")
    wait_for_column(page, "g", panda.gravity_torque(HOME))
    assert page.is_checked("input[name=gravity][value='9.81']")


def test_payload_and_friction_change_the_robot(page, panda):
    stand(page, HOME)
    page.select_option("#payload-frame", "tool")
    set_number(page, "#payload", 2.5)
    loaded = panda.with_payload("tool", 2.5)
    wait_for_matrix(page, loaded.mass_matrix(HOME))
    wait_for_column(page, "g", loaded.gravity_torque(HOME))

    page.check("input[name=order][value='1']")
    set_number(page, joint_field(0), 2.0)
    qd = np.array([2.0, 0, 0, 0, 0, 0, 0])
    set_number(page, "#viscous", 0.7)
    set_number(page, "#coulomb", 1.5)
    rough = loaded.with_friction(viscous=0.7, coulomb=1.5)
    wait_for_column(page, "friction", rough.friction_torque(qd))
    page.click("#friction-details summary")
    set_number(page, "#friction-joints tr:first-child td:nth-child(2) input", 4)
    rough = rough.with_friction(viscous=[4, *[0.7] * 6], coulomb=1.5)
    wait_for_column(page, "friction", rough.friction_torque(qd))
    assert page.text_content("#friction-hint") == "differs; largest shown"


def test_the_friction_that_a_robot_has_is_what_can_be_set(page, panda, tmp_path):
    assert page.locator("#friction-sliders label").all_text_contents() == ["viscous", "Coulomb"]
    more = {"static": 0.9, "stribeck_velocity": 0.05, "offset": [0.1, -0.3]}
    robot = qddot.load("two_link").with_friction(viscous=0.4, coulomb=0.5, **more)
    robot.save(tmp_path / "rough.toml")
    drop(page, "rough.toml", (tmp_path / "rough.toml").read_text())
    page.wait_for_function(
        "() => document.querySelectorAll('#friction-sliders .slider').length === 5"
    )
    words = ["viscous", "Coulomb", "static", "Stribeck velocity", "offset"]
    assert page.locator("#friction-sliders label").all_text_contents() == words
    assert page.locator("#friction-heads th").all_text_contents() == ["joint", *words]
    units = ["N·m·s", "N·m", "N·m", "rad/s", "N·m"]
    assert page.locator("#friction-sliders .unit").all_text_contents() == units
    assert page.input_value("#offset") == "-0.3"  # the largest
    ends = page.locator("#offset-slider").evaluate("(each) => [each.min, each.max]")
    assert ends == ["-0.6", "0.6"]
    page.check("input[name=order][value='1']")
    set_number(page, joint_field(0), 0.02)
    for name, value in {"static": 0.8, "stribeck_velocity": 0.04, "offset": -0.2}.items():
        set_number(page, f"#{name}", value)
        robot = robot.with_friction(**{name: value})
    wait_for_column(page, "friction", robot.friction_torque([0.02, 0]))
    page.click("#as-loaded")
    assert until(page, lambda: page.input_value("#offset") == "-0.3")


def test_an_answer_does_not_eat_what_is_being_typed(page, panda):
    stand(page, HOME)
    for field, number in (("#payload", 2), ("#gravity-x", 3)):
        page.focus(field)
        page.keyboard.press("Control+A")
        page.keyboard.type(str(number))
        page.evaluate(
            """(x) => {
              const field = document.querySelector("#viscous");
              field.value = x;
              field.dispatchEvent(new Event("change"));
            }""",
            number,
        )
        first = page.locator("#friction-joints input").first
        assert until(page, lambda first=first, x=number: first.input_value() == str(x))  # answered
        assert page.input_value(field) == str(number)
        page.keyboard.press("Enter")
    loaded = panda.with_gravity((3, 0, -9.81)).with_payload("tool", 2)
    wait_for_column(page, "g", loaded.gravity_torque(HOME))


@pytest.mark.long
def test_the_equation_of_a_clicked_entry_has_the_value_that_the_robot_has(page, panda):
    stand(page, HOME)
    wait_for_matrix(page, panda.mass_matrix(HOME))
    page.click("#matrix [data-row='5'][data-column='4']")
    titled(page, "M₆₅")
    value = panda.mass_matrix(HOME)[5, 4]
    assert printed(page) == pytest.approx(value, rel=SEVEN_DIGITS)
    assert page.locator("#formula .katex").count() >= 1
    assert re.search(r"\d+ terms?", page.text_content("#equation-note"))
    page.click("#matrix [data-row='1'][data-column='1']")  # 12 of hundreds of terms, in brackets
    titled(page, "M₂₂")
    room = page.evaluate(
        "() => ['scrollWidth', 'clientWidth'].map((x) => document.querySelector('#formula')[x])"
    )
    assert room[0] <= room[1]
    page.click("#matrix [data-row='5'][data-column='4']")
    titled(page, "M₆₅")
    # it follows the arm
    set_number(page, joint_field(5), 0.9)
    moved = np.array([*HOME[:5], 0.9, HOME[6]])
    wait_for_matrix(page, panda.mass_matrix(moved))
    assert printed(page) == pytest.approx(panda.mass_matrix(moved)[5, 4], rel=SEVEN_DIGITS)


def titled(page, name):
    """Wait for the equation of an entry."""
    page.locator("#equation-title", has_text=f"Equation of {name}").wait_for()


def printed(page):
    """Return the value in the line "M₆₅ = 0.0123 kg·m²"."""
    words = page.text_content("#equation-value").replace("−", "-")
    return float(words.split("= ")[1].split()[0])


def test_enter_on_an_entry_shows_its_exact_equation_and_it_can_be_copied(page):
    load(page, "two_link")
    page.focus("#matrix td button")
    page.keyboard.press("Enter")
    titled(page, "M₁₁")
    text = copied(page, page.locator("#copy-text"))
    assert text == str(qddot.derive(qddot.load("two_link")).M[0, 0])
    latex = copied(page, page.locator("#copy-latex"))
    assert latex.count("{") == latex.count("}")
    assert "c_2" in latex or "c_{2}" in latex
    # arrows walk through the table, which is one stop of the Tab key
    page.focus("#matrix td button")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    titled(page, "M₂₂")
    page.click("#vectors [data-matrix=g] >> nth=1")
    titled(page, "g₂")


def test_angles_may_be_degrees(page, panda):
    stand(page, HOME)
    page.get_by_role("radio", name="deg").check()
    degrees = [float(page.input_value(joint_field(i))) for i in range(7)]
    assert degrees == pytest.approx(np.degrees(HOME), abs=0.01)
    set_number(page, joint_field(1), -30)
    q = HOME.copy()
    q[1] = np.radians(-30)
    wait_for_matrix(page, panda.mass_matrix(q))
    page.wait_for_function("() => location.hash.includes('-0.523599')")  # the address keeps it
    page.reload()
    ready(page)
    assert page.is_checked("input[name=angles][value=deg]")  # as it was chosen last
    assert float(page.input_value(joint_field(1))) == pytest.approx(-30, abs=0.01)
    page.get_by_role("radio", name="rad").check()


def test_names_and_numbers_are_not_cut(page):
    labels = page.locator("#joints label")
    assert labels.all_text_contents() == [f"joint{i + 1}" for i in range(7)]
    assert labels.nth(3).get_attribute("title") == "panda_joint4"
    set_number(page, joint_field(3), -1.5708)
    cut = "(field) => field.scrollWidth > field.clientWidth"
    assert not page.locator(joint_field(3)).evaluate(cut)
    load(page, "ur5")
    assert labels.all_text_contents()[:2] == ["shoulder_pan", "shoulder_lift"]
    load(page, "panda")


def test_what_is_drawn_on_the_arm_can_be_switched(studio):
    # few triangles and pixels: the browser draws by software here
    small = {"width": 640, "height": 480, "webgl": True, "reduced_motion": "reduce"}
    with shown(studio.address + "#robot=two_link", **small) as seen:
        page, known = seen.page, set()

        def changes():
            """Return whether the picture that stays is one that was not there before."""
            rest(page, fine=True)
            shot = page.locator("#arm").screenshot()
            return shot not in known and not known.add(shot)

        assert changes()
        for control in ("ellipsoid", "torques", "inertia"):
            page.locator(f"#{control}").click()
            assert changes(), f"{control} changes nothing"
        assert page.locator("#where dd").count() == 2
        page.focus("#arm")
        page.keyboard.press("ArrowLeft")
        assert changes()
        assert not seen.errors


def test_a_tree_and_a_sliding_joint_are_shown_with_their_units(page):
    load(page, "rp")
    assert page.locator("#joints .unit").all_text_contents() == ["rad", "m"]
    assert "kg·m²" in page.text_content("#matrix-unit")
    load(page, "baxter")
    assert page.locator("#joints .joint").count() == 15
    assert not messages(page)
    assert "Baxter" in status(page)


def test_the_keyboard_does_what_the_list_of_shortcuts_says(page):
    page.keyboard.press("?")
    assert page.is_visible("#shortcuts")
    page.keyboard.press("Escape")
    assert not page.is_visible("#shortcuts")
    before = page.is_checked("#ellipsoid")
    page.keyboard.press("e")
    assert page.is_checked("#ellipsoid") is not before
    set_number(page, joint_field(0), 0.4)
    page.focus("#arm")
    page.keyboard.press("r")
    assert float(page.input_value(joint_field(0))) == 0
    page.keyboard.press("Control+z")
    assert float(page.input_value(joint_field(0))) == 0.4
    # letters typed into a field stay there
    page.focus("#duration")
    page.keyboard.press("e")
    assert page.is_checked("#ellipsoid") is not before


@pytest.mark.long
def test_an_address_that_was_written_by_hand_may_be_of_any_robot_and_pose(page, studio):
    for address, robot, third in (
        ("#robot=%3Cimg%20src=x%3E&q=1,2", "panda", 0),
        ("#robot=ur5&q=1e300,0,-99,0,0,0", "ur5", -np.pi),
    ):
        page.goto("about:blank")  # an address that differs in its hash alone is not opened again
        page.goto(studio.address + address)
        ready(page)
        assert page.input_value("#robots") == robot
        assert float(page.input_value(joint_field(2))) == pytest.approx(third, abs=1e-4)
        assert not messages(page)


@pytest.mark.parametrize("scheme", ["dark", *long("light")])
def test_everybody_can_read_and_use_it_by_day_and_by_night(page, scheme):
    page.emulate_media(color_scheme=scheme)
    load(page, "two_link")
    page.click("#matrix td button >> nth=0")
    titled(page, "M₁₁")
    page.get_by_role("radio", name="Control").check()
    page.click("#target summary")
    page.click("#friction-details summary")
    page.click("#run")
    wait_for_motion(page, "control")
    try:
        assert complaints(page) == []
    finally:
        page.emulate_media(color_scheme="light")


@pytest.mark.parametrize("width", [390, *long(1280, 820)])
def test_the_page_fits_windows_of_all_widths(page, width):
    page.set_viewport_size({"width": width, "height": 800})
    try:
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
        assert page.locator("#arm").bounding_box()["height"] > 150
    finally:
        page.set_viewport_size({"width": 1280, "height": 800})
