"""A report in a browser: its numbers are the robot's, and everything on it can be used."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from accessibility import complaints
from browser import Seen, calm, copied, page_of, rest, until
from long import long
from made import ARM
from nearness import ROUND_OFF
from present.report.made import made

import qddot
from qddot.present.figures.arm_scene import arm_scene
from qddot.present.report.report import KEYS

FOUR_DIGITS = 5.01e-4  # what numbers on the page are rounded to, of themselves
DRAWN = 3e-5  # [m], what a scene is rounded to, twice


# what the button says while it is pressed three times, between two pictures
PLAYED = """() => [1, 2, 3].map(() => {
  const button = document.getElementById("play");
  button.click();
  return button.textContent;
})"""


@pytest.fixture(scope="module")
def shown() -> Iterator[Seen]:
    """The report of a small robot, as a browser shows it."""
    permissions = ["clipboard-read", "clipboard-write"]
    with page_of(made("two_link")[0].as_uri(), permissions=permissions, webgl=False) as page:
        assert is_so(page, "document.getElementById('eigenvalues').textContent !== '–'")
        yield page


@pytest.fixture
def seen(shown: Seen) -> Iterator[Seen]:
    """The same page for every test, as it is at first."""
    shown.page.evaluate(
        "for (const part of document.querySelectorAll('details')) part.open = false; "
        "for (const each of document.querySelectorAll('button')) "
        "if (each.textContent === 'Pause') each.click(); "
        "document.getElementById('reset').click(); scrollTo(0, 0)"
    )
    rest(shown.page)
    yield shown
    assert not shown.errors
    assert not shown.requests


def move(seen: Seen, **values: float) -> None:
    """Move sliders, and wait until the page has followed."""
    for key, value in values.items():
        seen.page.evaluate(
            "([id, value]) => { const s = document.getElementById(id); s.value = value; "
            "s.dispatchEvent(new Event('input', { bubbles: true })); }",
            [key.replace("_", "-"), value],
        )
    rest(seen.page)


def is_so(seen: Seen, condition: str) -> bool:
    """Wait until something is so, and return whether it came to be."""
    return until(seen.page, lambda: seen.page.evaluate(condition))


def state(seen: Seen) -> tuple[np.ndarray, np.ndarray]:
    q, qd = seen.page.evaluate("[report.state.q, report.state.qd]")
    return np.array(q), np.array(qd)


def numbers(text: str) -> list[float]:
    found = re.findall(r"[−-]?(?:\d+\.?\d*(?:e[−+-]?\d+)?|∞)", text)
    return [float(x.replace("−", "-").replace("∞", "inf")) for x in found]


def cells(seen: Seen, of: str) -> np.ndarray:
    words = seen.page.locator(f"#explorer .entry[data-of='{of}']").all_text_contents()
    return np.array([numbers(word)[0] for word in words])


def test_every_section_is_there(seen):
    for key in KEYS:
        assert seen.page.locator(f"section#{key}").count() == 1
        assert seen.page.locator(f"nav a[href='#{key}']").count() == 1
    assert [outcome.state for outcome in made("two_link")[1]] == ["done"] * len(KEYS)


def test_the_sliders_give_the_numbers_of_the_robot(seen):
    move(seen, q_0=0.7, q_1=-1.1, qd_0=0.5, qd_1=-1.5)
    q, qd = state(seen)
    assert np.allclose(q, [0.7, -1.1], atol=1e-12)
    assert np.allclose(qd, [0.5, -1.5], atol=1e-12)
    M, g, c = ARM.mass_matrix(q), ARM.gravity_torque(q), ARM.velocity_torque(q, qd)
    assert np.allclose(cells(seen, "M"), M.ravel(), rtol=FOUR_DIGITS)
    assert np.allclose(cells(seen, "g"), g, rtol=FOUR_DIGITS)
    assert np.allclose(cells(seen, "c"), c, rtol=FOUR_DIGITS)
    shown = {
        key: numbers(seen.page.locator(f"#{key}").text_content())
        for key in ("eigenvalues", "condition", "kinetic", "potential", "masses")
    }
    values = np.linalg.eigvalsh(M)
    masses = np.linalg.eigvalsh(ARM.effective_mass(q, "tool", "linear"))[1:]
    assert np.allclose(shown["eigenvalues"], values, rtol=FOUR_DIGITS)
    assert np.allclose(shown["condition"], values[1] / values[0], rtol=FOUR_DIGITS)
    assert np.allclose(shown["kinetic"], ARM.kinetic_energy(q, qd), rtol=FOUR_DIGITS)
    assert np.allclose(shown["potential"], ARM.potential_energy(q), rtol=FOUR_DIGITS)
    assert np.allclose(shown["masses"], [*masses, np.inf], rtol=FOUR_DIGITS)


def test_angles_may_be_degrees_and_the_page_remembers_it(seen):
    page = seen.page
    table, other = page.locator("[data-angles=rad]"), page.locator("[data-angles=deg]")
    assert table.is_visible()
    assert not other.is_visible()
    page.check("input[name=angles][value=deg]")
    page.fill("#q-1-number", "-30")
    page.press("#q-1-number", "Enter")
    rest(seen.page)
    assert np.isclose(state(seen)[0][1], np.radians(-30))
    assert page.locator(".slider .unit").all_text_contents() == ["°", "°", "°/s", "°/s"]
    assert page.get_attribute("#q-1-number", "aria-label").endswith(", °")
    assert other.is_visible()
    page.fill("#q-1-number", "999")
    page.press("#q-1-number", "Enter")
    rest(seen.page)
    told = page.text_content("#slider-status")
    assert told == "999 ° is above 180 °, where this slider ends."
    assert abs(state(seen)[0][1] - np.pi) < 1e-14
    assert page.evaluate("localStorage.getItem('qddot.angles')") == "deg"
    page.check("input[name=angles][value=rad]")
    rest(seen.page)
    assert float(page.input_value("#q-1-number")) == 3.142


@pytest.mark.parametrize("key", ["qd-0", *long("q-0")])
def test_a_slider_comes_back_to_zero_and_reaches_its_ends(seen, key):
    """By the mouse, by arrow keys and by its field: at rest there is no dry friction."""
    page = seen.page
    page.locator(".sliders summary").click()
    bar = page.locator(f"#{key}")
    box = bar.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.9 * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.503 * box["width"], middle, steps=5)
    page.mouse.up()
    assert float(bar.input_value()) == 0
    bar.press("ArrowRight")
    assert float(bar.input_value()) > 0
    bar.press("ArrowLeft")
    assert float(bar.input_value()) == 0
    for press, end in (("End", "max"), ("Home", "min")):
        bar.press(press)
        # Chromium counts in decimals of fifteen digits
        assert np.isclose(float(bar.input_value()), float(bar.get_attribute(end)), rtol=1e-14)
    page.fill(f"#{key}-number", "0")
    page.press(f"#{key}-number", "Enter")
    rest(seen.page)
    assert float(bar.input_value()) == 0
    assert page.evaluate("[report.state.q[0], report.state.qd[0]]") == [0, 0]


def test_the_arm_is_drawn_as_the_robot_says(seen):
    q = [0.4, 0.9]
    options = {"ellipsoid": True, "torques": True, "bodies": True}
    drawn = seen.page.evaluate("([q, o]) => report.sceneAt(q, o)", [q, options])
    expected = arm_scene(ARM).scene(q, ellipsoid=True, gravity_torques=True)
    assert drawn.keys() == expected.keys() | {"surfaces"}
    for key in ("lines", "box", "up", "poses"):
        assert np.allclose(np.ravel(drawn[key]), np.ravel(expected[key]), atol=DRAWN)
    for key in ("joints", "bodies", "turns"):
        assert len(drawn[key]) == len(expected[key])
        for mine, other in zip(drawn[key], expected[key], strict=True):
            assert mine["colour"] == other["colour"]
            assert mine.get("label") == other.get("label")
            for field in {"at", "axis", "amount"} & other.keys():
                assert np.allclose(mine[field], other[field], atol=DRAWN)
    for key in ("bodies", "ellipsoids"):  # the same solid, whatever its axes are called
        for mine, other in zip(drawn[key], expected[key], strict=True):
            A, B = np.array(mine["axes"]), np.array(other["axes"])
            assert np.allclose(A.T @ A, B.T @ B, atol=DRAWN)


def test_an_entry_that_is_chosen_shows_its_equation_and_copies_it(seen):
    page, equations = seen.page, qddot.derive(ARM)
    page.click("#explorer .entry[data-of='M'][data-at='1,0']")
    panel = page.locator("#equation-live")
    assert panel.locator(".title").text_content() == "M₁₂, 2 terms"
    assert panel.locator(".katex").count() == 1
    move(seen, q_1=0.5)
    (value,) = numbers(panel.locator(".value").text_content())
    assert np.isclose(value, ARM.mass_matrix(state(seen)[0])[0, 1], rtol=1e-9)
    text = copied(page, panel.locator("button", has_text="Copy LaTeX"))
    from qddot.equations.latex import as_latex

    assert text == f"M_{{12}} = {as_latex(equations.M[0, 1])}"
    page.click("#explorer .entry[data-of='g'][data-at='1']")
    assert panel.locator(".title").text_content().startswith("g₂")
    assert page.locator("#explorer .entry[aria-pressed='true']").count() == 1


def test_back_is_where_it_stood_at_first(seen):
    before = state(seen)[0]
    move(seen, q_0=0.4, qd_1=1.0)
    assert state(seen)[0][0] != before[0]
    seen.page.get_by_role("button", name="Back").click()
    assert is_so(seen, "report.state.qd.every((x) => x === 0)")
    assert np.array_equal(state(seen)[0], before)


def test_the_film_plays_to_its_end():
    picture = "document.getElementById('film').toDataURL()"
    with calm(made("two_link")[0].as_uri(), width=600, height=500) as seen:
        page = seen.page
        rest(page, fine=True)
        first = page.evaluate(picture)
        page.evaluate(
            "const s = document.getElementById('film-time'); s.value = 0.9 * s.max; "
            "s.dispatchEvent(new Event('input'))"
        )
        before = page.locator("#film-clock").text_content()
        assert page.evaluate(PLAYED) == ["Pause", "Play", "Pause"]
        rest(page, fine=True)
        assert before == "2.70 s"
        assert page.locator("#film-clock").text_content() == "3.00 s"
        assert page.locator("#play").text_content() == "Play"
        assert page.evaluate(picture) != first


@pytest.mark.parametrize(
    ("width", "scheme"), [(390, "dark"), *long((390, "light"), (1200, "dark"), (1200, "light"))]
)
def test_nobody_is_kept_from_reading_it(width, scheme):
    """On a telephone either."""
    address = made("two_link")[0].as_uri()
    with page_of(address, width=width, height=800, scheme=scheme, webgl=False) as seen:
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        seen.page.click("#explorer .entry[data-of='M'][data-at='0,0']")
        seen.page.evaluate(
            "for (const part of document.querySelectorAll('details')) part.open = true"
        )
        assert complaints(seen.page) == []


def test_it_prints(seen):
    paper = seen.page.pdf(format="A4")
    assert paper.startswith(b"%PDF")
    assert 5 <= len(re.findall(rb"/Type\s*/Page\b", paper)) <= 30


@pytest.mark.long
def test_the_kernels_of_a_panda_in_the_page_are_those_of_the_robot():
    path, outcomes = made("panda", ("robot", "equations"), 600.0)
    assert [outcome.state for outcome in outcomes] == ["done"] * 2
    assert path.stat().st_size < 3e6
    panda = qddot.load("panda")
    with calm(path.as_uri(), webgl=False) as seen:
        move(seen, q_1=-0.6, q_3=-2.2, q_5=1.6, qd_2=0.4)
        q, qd = state(seen)
        page = seen.page
        for name, inputs in {"mass_matrix": 1, "coriolis_matrix": 2, "gravity_torque": 1}.items():
            found = page.evaluate(
                "([k, x]) => report.kernels[k](...x)", [name, [q.tolist(), qd.tolist()][:inputs]]
            )
            expected = getattr(panda, name)(*(q, qd)[:inputs])
            assert np.abs(np.array(found) - expected).max() <= ROUND_OFF * np.abs(expected).max()
        values = page.evaluate(
            "(q) => report.eigen(report.kernels.mass_matrix(q)).values", q.tolist()
        )
        assert np.allclose(values, np.linalg.eigvalsh(panda.mass_matrix(q)), rtol=1e-10)
        # an entry with hundreds of terms is typeset, too
        page.click("#explorer .entry[data-of='M'][data-at='0,0']")
        assert page.locator("#equation-live .title").text_content() == "M₁₁, 805 terms"
        assert page.locator("#equation-live .katex").count() == 1
