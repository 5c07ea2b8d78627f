"""The studio's page tunes a law: gains, wrong models, figures, two runs beside each other, live."""

from urllib.parse import quote

import numpy as np
import pytest
from accessibility import complaints
from browser import rest, until
from long import long
from studio_page import fresh, messages, set_number, shown, wait_for_motion, watched

import qddot
from qddot.control.spec import laws

# what each plot was given last
WATCHED = """async () => {
  window.plotted = {};
  const { Plot } = await import("./plot.js"), { set } = Plot.prototype;
  Plot.prototype.set = function (t, curves, unit, events) {
    window.plotted[this.title] = {t, curves, events};
    return set.call(this, t, curves, unit, events);
  };
}"""


@pytest.fixture(scope="module")
def seen(studio):
    allowed = ["clipboard-read", "clipboard-write"]
    with watched(studio, "#robot=two_link", permissions=allowed, reduced_motion="reduce") as found:
        yield found


@pytest.fixture
def page(seen):
    page = fresh(seen.page, "two_link")
    page.get_by_role("radio", name="Control").check()
    page.select_option("#law", "pd_gravity")
    page.click("#knows-all", force=True) if page.is_enabled("#knows-all") else None
    gain(page, "kp")
    return page


def gain(page, name):
    """Return a gain that the panel shows, once it does."""
    rest(page)  # the law is asked about again a moment after a change
    assert page.text_content("#gains .unit >> nth=0") == "N·m/rad"
    return float(page.input_value(f"#gain-{name}"))


def figures(page):
    """Return the figures of the run by their words."""
    rows = page.locator("#figures tbody tr").all()
    cells = [row.locator("th, td").all_text_contents() for row in rows]
    return {words: values for words, *values in cells}


def run(page):
    page.evaluate("() => { document.querySelector('#verdict').textContent = ''; }")
    page.click("#run")
    wait_for_motion(page, "control")
    page.wait_for_function("() => document.querySelector('#verdict').textContent")


def test_every_law_shows_the_gains_that_it_has(page):
    assert set(page.locator("#law option").all_text_contents()) == {
        name.replace("_", " ") for name in laws()
    }
    page.select_option("#law", "robust")
    page.wait_for_selector("#gain-layer")
    names = page.locator("#gains .gain label").all_text_contents()
    assert names == list(laws()["robust"].gain_names)
    units = page.locator("#gains .gain .unit").all_text_contents()
    assert units == ["1/s", "N·m·s/rad", "kg·m²", "kg·m²", "N·m", "rad/s"]
    page.select_option("#law", "adaptive")
    page.wait_for_selector("#gain-adaptation")
    assert page.input_value("#gain-adaptation") == "1"


def test_a_wrong_payload_is_tuned_and_compared_and_copied_as_python(page):
    chosen = gain(page, "kp")
    set_number(page, "#payload", 20)
    page.locator("#facts", has_text="120").wait_for()
    page.select_option("#reference", "hold")
    set_number(page, "#known-payload", 0)
    set_number(page, "#duration", 3)  # Enter runs it
    wait_for_motion(page, "control")
    page.locator("#verdict", has_text="Not sound").wait_for()
    soft = figures(page)
    assert "The law's model has the" in page.text_content("#assumptions")
    page.click("#keep-run")
    rest(page)
    set_number(page, "#gain-kp", 4 * chosen)
    run(page)
    both = figures(page)
    assert len(both["error, at the end"]) == 3
    ends = [float(x.split()[0].replace("−", "-")) for x in both["error, at the end"]]
    assert both["error, at the end"][1] == soft["error, at the end"][0]
    assert ends[0] < 0.5 * ends[1]
    assert ends[2] == pytest.approx(ends[0] - ends[1], abs=2e-3)
    # the program in the clipboard is the run on the screen
    page.evaluate("() => navigator.clipboard.writeText('')")
    page.click("#copy-python")
    page.wait_for_function("() => document.querySelector('#status').textContent.includes('Python')")
    text = page.evaluate("() => navigator.clipboard.readText()")
    names = {}
    exec(text, names)  # it is what a user would run
    error = np.abs(names["run"].report.final).max()
    assert error == pytest.approx(ends[0], abs=1e-4)
    page.click("#forget-run")
    assert len(figures(page)["error, at the end"]) == 1


def test_the_logarithmic_slider_scales_all_entries_of_a_gain(page):
    before = gain(page, "kp")
    page.focus("#gain-kp-slider")
    page.keyboard.press("End")
    assert gain(page, "kp") == pytest.approx(100 * before, rel=5e-3)
    page.click("#gains-details summary")
    kps = page.locator("#gains-details tbody td:nth-child(2) input").all()
    values = [float(field.input_value()) for field in kps]
    arm = qddot.load("two_link")
    inertia = arm.mass_matrix(np.zeros((1, 2)))[0].diagonal()  # stretched out it is largest
    assert values[1] / values[0] == pytest.approx(inertia[1] / inertia[0], rel=1e-3)
    page.click("#gains-chosen")
    assert gain(page, "kp") == before
    page.click("#undo")
    assert gain(page, "kp") == pytest.approx(100 * before, rel=5e-3)
    page.click("#redo")
    assert gain(page, "kp") == before


def test_gains_turned_while_the_loop_runs_take_effect(page):
    stiff = 5 * gain(page, "kp")
    page.evaluate(WATCHED)
    page.select_option("#reference", "setpoint")
    page.click("#live")
    error = "() => Number(document.querySelector('#scrubber').max)"
    page.wait_for_function("() => Number(document.querySelector('#scrubber').max) > 0.3")
    assert page.text_content("#live") == "Stop"
    set_number(page, "#gain-kp", stiff)
    before = page.evaluate(error)
    page.wait_for_function(f"(t) => ({error})() > t + 0.3", arg=before)
    page.click("#live")
    page.locator("#status", has_text="Live run:").wait_for()
    assert "press Run for a verdict" in page.text_content("#verdict")
    plotted = page.evaluate("() => window.plotted")
    t = np.array(plotted["V"]["t"])
    assert (np.diff(t) > 0).all()
    assert [event["text"] for event in plotted["V"]["events"]] == ["gains or settings changed"]
    assert len(plotted["V"]["curves"][0]["values"]) == len(t)


def test_a_run_under_a_law_has_six_plots_with_what_was_wanted(page):
    page.evaluate(WATCHED)
    page.select_option("#reference", "setpoint")
    set_number(page, "#duration", 1)
    wait_for_motion(page, "control")
    assert page.locator(".plot").count() == 6
    plotted = page.evaluate("() => window.plotted")
    names = {title: [each["name"] for each in plotted[title]["curves"]] for title in plotted}
    assert {"j1", "j2", "j2, wanted"} <= {*names["q"]}
    assert {"j1", "j2"} <= {*names["Error"]}


def test_what_the_server_refuses_is_told_and_the_panel_stays(page):
    set_number(page, "#period", 0.1)
    set_number(page, "#duration", 60)
    assert until(page, lambda: any("samples" in words for words in messages(page)))
    set_number(page, "#period", 0)  # none
    assert page.input_value("#period") == ""


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), *long((1440, "light"))])
def test_everybody_can_read_and_use_the_panel(studio, width, scheme):
    address = studio.address + "#robot=two_link&q=0.1,0.2&state=" + quote('{"what":"control"}')
    with shown(address, width=width, scheme=scheme, reduced_motion="reduce") as seen:
        page = seen.page
        page.wait_for_selector("#gain-kp")
        rest(page)
        set_number(page, "#duration", 0.5)
        wait_for_motion(page, "control")
        page.click("#keep-run")
        run(page)
        for each in page.locator("#side-control details:visible > summary").all():
            each.click()
        assert complaints(page) == []
        wide = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(wide) == 0
        assert not seen.errors, seen.errors
