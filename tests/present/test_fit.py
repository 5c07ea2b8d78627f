"""Figures and the page of a fit: drawn, complete, escaped, asking for nothing."""

import re
from dataclasses import replace

import numpy as np
import pytest
from identification.excited import as_log, excited
from identification.made_logs import measured, swinging, waving
from measured_logs import staubli_tx40
from outline import Outline

import qddot
from qddot import plot
from qddot.errors import BadArgument
from qddot.identification.preparation import prepared
from qddot.identification.regression import coupled
from qddot.identification.validation import errors_by_run, errors_on
from qddot.present.figures import parameters

TERMS = ("friction", "offset", "rotor_inertia")
NASTY = "<script>alert(1)</script>&\"'"


@pytest.fixture(scope="module")
def fit():
    robot = qddot.load("two_link")
    log = as_log(robot, excited(robot, 600, noise=1.0))
    log.counts = np.abs(log.qd) > 0.2
    return qddot.identify(robot, log, terms=("friction", "offset"))


FIGURES = [plot.plot_torques, plot.plot_residuals, plot.plot_parameters, plot.plot_excitation]


@pytest.mark.parametrize("draw", FIGURES, ids=lambda f: f.__name__)
def test_a_figure_is_drawn_and_saved(draw, fit, tmp_path):
    drawn = draw(fit, path=tmp_path / "fit.svg")
    assert drawn.axes
    assert "<svg" in (tmp_path / "fit.svg").read_text()


def test_the_figure_of_torques_has_a_joint_each_and_shades_what_does_not_count(fit):
    drawn = plot.plot_torques(fit)
    titles = [axes.get_title(loc="left") for axes in drawn.axes]
    assert titles == ["j1", "", "j2", ""]
    assert [t.get_text() for t in drawn.legends[0].get_texts()][-1] == "does not count"


def test_parameters_are_named_and_sorted_by_kind(fit):
    drawn = plot.plot_parameters(fit)
    titles = {axes.get_title(loc="left") for axes in drawn.axes}
    assert "first moments [kg·m]" in titles
    assert "Coulomb friction [N·m]" in titles
    names = [text.get_text() for axes in drawn.axes for text in axes.get_yticklabels()]
    assert "j2.fv" in names
    assert len(names) == len(fit.names)


def test_what_is_a_columns_own_is_one_over_its_length_in_the_inverse(fit):
    values, own = parameters.excited(fit)
    assert values[0] / values[-1] == pytest.approx(fit.condition)
    assert np.all((own > 0) & (own <= 1 + 1e-12))


def test_a_spectrum_shows_the_cut_off():
    log = swinging()
    drawn = plot.plot_spectrum(log)
    words = [text.get_text() for text in drawn.legends[0].get_texts()]
    assert any(word.startswith("cut-off") for word in words)
    assert any(word.startswith("motion up to") for word in words)


def test_errors_on_the_log_itself_are_those_of_the_fit(fit):
    found = errors_on(fit, fit.samples)
    assert found["relative_error"] == pytest.approx(fit.relative_error)
    assert list(found["rms"].values()) == pytest.approx(fit.rms.tolist())
    assert errors_on(fit, fit.samples, slow=True)["relative_error"] > 0


@pytest.fixture(scope="module")
def moving():
    """A fit of a motion, of an arm with a spring that the model does not have."""
    robot = qddot.load("two_link")
    t = np.arange(1000) / 50
    q, qd, qdd = waving(2, t, seed=5)
    tau = robot.inverse_dynamics(q, qd, qdd) + [0, 40] * np.abs(q)
    tau += np.random.default_rng(0).normal(0, 1, tau.shape)
    log = qddot.Log(robot.joint_names, t, q, qd, qdd, tau)
    return qddot.identify(robot, log, terms=("friction", "offset"))


def test_residuals_are_drawn_over_what_explains_them(moving, fit, tmp_path):
    drawn = plot.plot_residuals_against(moving, path=tmp_path / "against.svg")
    first = drawn.axes[0]
    assert first.get_title(loc="left").startswith("j2: ")
    assert first.get_xlabel() == "position [rad]"
    assert len(plot.plot_residuals_against(moving, "j1").axes) == 6  # four, in two rows
    assert len(plot.plot_residuals_against(fit).axes) == 1  # noise: the first all the same
    with pytest.raises(BadArgument, match="no residuals of a joint 'j9'"):
        plot.plot_residuals_against(moving, "j9")


def test_the_page_says_what_the_fit_is_good_for_and_what_it_lacks(moving, tmp_path):
    plot.fit_page(moving, tmp_path / "fit.html")
    page = Outline((tmp_path / "fit.html").read_text(encoding="utf-8"))
    words = " ".join(page.words)
    for said in (
        *("Good for feed-forward", "Payload within", "goes with its position: a spring"),
        *("before [%]", "not fitted [%]"),
    ):
        assert said in words
    assert len(page.named("svg")) == 5


def test_the_page_is_whole_and_asks_for_nothing(fit, tmp_path):
    log = swinging(2).noted("filtered by hand", place="filter")
    checked = errors_by_run(fit, [log])
    path = tmp_path / "fit.html"
    plot.fit_page(fit, path, log=log, raw=log, validation=checked, command=["identify", "two_link"])
    text = path.read_text(encoding="utf-8")
    page = Outline(text)
    assert len(page.named("svg")) == 5
    assert len(page.named("table")) == 3
    addresses = [x for name in ("src", "href", "xlink:href", "data") for x in page.all(name)]
    assert all(address.startswith("#") for address in addresses)
    assert not page.named("script", "link", "img", "iframe")
    assert not re.search(r"@import|url\((?!#)", text)
    words = " ".join(page.words)
    for said in (
        "Identification of two_link",
        "filtered by hand",
        "What could not be identified",
        "j2.m alone cannot be known, because it only acts together with",
        "act on no torque, so no log can tell them: j1.m",
        "$ qddot identify two_link",
        "WeightedLeastSquares(",
    ):
        assert said in words
    with pytest.raises(BadArgument, match=r"A page is written as \.html or \.htm"):
        plot.fit_page(fit, tmp_path / "fit.pdf")


def test_names_of_robots_and_logs_are_escaped(tmp_path):
    joints = [
        {"type": "revolute", "name": NASTY, "mass": 1.0, "com": [0.3, 0, 0]},
        {"type": "revolute", "a": 0.4, "name": "$x_1$", "mass": 1.0, "com": [0.2, 0, 0]},
    ]
    robot = qddot.from_dh(joints, "standard", name=NASTY)
    found = qddot.identify(robot, as_log(robot, excited(robot, 100)), unexcited="merge", terms=())
    log = replace(swinging(2), source=NASTY).noted(NASTY)
    plot.fit_page(found, tmp_path / "fit.html", log=log, command=["identify", NASTY])
    text = (tmp_path / "fit.html").read_text(encoding="utf-8")
    assert "<script" not in text
    assert not Outline(text).named("script")


# measured logs: what the documentation says of them


@pytest.fixture(scope="module")
def tx40():
    robot, raw = staubli_tx40(measured("staubli_tx40"))
    return robot, prepared(raw)


@pytest.mark.long
def test_the_tx40_log_is_reproduced(tx40):
    robot, log = tx40
    options = {"terms": TERMS, "extra": coupled(robot, "joint_5", "joint_6"), "decimate": 50}
    free = qddot.identify(robot, log, "weighted", **options)
    possible = qddot.identify(robot, log, "consistent", **options)
    assert free.relative_error == pytest.approx(0.0494, abs=2e-4)
    assert errors_on(free, log, slow=True)["relative_error"] == pytest.approx(0.0536, abs=2e-4)
    assert possible.is_possible
    assert possible.relative_error < free.relative_error + 0.005
    assert qddot.identify(robot, log, terms=TERMS, decimate=50).relative_error > 0.1


@pytest.mark.long
def test_the_ur10_log_is_reproduced():
    pytest.importorskip("rosbags")
    robot = qddot.load("ur10")
    raw = qddot.load_log(measured("ur10_bag") / "ur10_exciting_trajectory.db3", robot)
    every, fast = prepared(raw, speed=0.0), prepared(raw)
    fit = qddot.identify(robot, every, "ordinary", terms=TERMS, decimate=None)
    assert fit.relative_error == pytest.approx(0.0649, abs=2e-4)
    fit = qddot.identify(robot, fast, "ordinary", terms=TERMS, decimate=None)
    assert fit.relative_error == pytest.approx(0.0557, abs=2e-4)
    fit = qddot.identify(robot, fast, "consistent", terms=TERMS, decimate=None)
    assert fit.relative_error < 0.0617
