"""What a notebook shows of every result: there, short, escaped, in any colours, and for free."""

import re
import warnings
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest
from browser import calm, rest, until
from faults import no_compiler
from long import long

import qddot
from qddot import motions
from qddot.certificate.certificate import Certificate
from qddot.certificate.ellipsoid import mass_ellipsoid, near_singular
from qddot.control import laws
from qddot.control.loop import closed_loop
from qddot.identification.comparison import compare
from qddot.identification.payload import PayloadFit
from qddot.model import Friction
from qddot.present.figures import style
from qddot.present.notebook.cell import MOST_ROWS, framed, guarded, rows, shown
from qddot.present.pages.svg import notebook_svg, short_path, standing
from qddot.workspace import nearest_singularity, reachable, velocity_ellipsoid

MOST_LETTERS = 60_000
EVIL = '<img src=x onerror="alert(1)">'
VOID = {"img", "br"}
PLACE = np.array([0.3, 0.7])


@cache
def arm() -> qddot.Robot:
    return qddot.load("two_link").with_friction(viscous=30)


@cache
def motion() -> qddot.Trajectory:
    return qddot.simulate(arm(), [0, 0], duration=2.0)


@cache
def log() -> qddot.Log:
    w, t = np.array([3.0, 5.0]), np.arange(0, 6, 0.01)
    x = np.multiply.outer(t, w)
    q, qd, qdd = np.sin(x), w * np.cos(x), -(w**2) * np.sin(x)
    tau = arm().inverse_dynamics(q, qd, qdd)
    tau = tau + np.random.default_rng(0).normal(0, 1, tau.shape)
    return qddot.Log(arm().joint_names, t, q, qd, qdd, tau, source="simulated")


@cache
def fit():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return qddot.identify(arm(), log(), terms=())


@cache
def certificate() -> Certificate:
    return qddot.certify(arm(), quantities=["g.norm2", "D.norm2"])


def quintic():
    return motions.Quintic([[0, 0], [1, 1]], 2.0)


def law():
    return laws.PD(arm(), 300, 150, PLACE)


def payload() -> PayloadFit:
    return PayloadFit("tool", np.arange(1.0, 11.0), np.eye(10), fit())


BENT = [0.3, -1.1, 1.4, 0.5, 0.9, -0.7]


def ur5():
    return qddot.load("ur5")


RESULTS = {
    "robot": arm,
    "frame": lambda: arm().at("tool"),
    "all solutions": lambda: ur5().inverse_kinematics_all(ur5().pose(BENT, "tool"), "tool"),
    "nearest": lambda: ur5().inverse_kinematics(ur5().pose(BENT, "tool"), "tool"),
    "nearest of many": lambda: ur5().inverse_kinematics([ur5().pose(BENT, "tool")] * 2, "tool"),
    "out of reach": lambda: arm().inverse_kinematics(np.eye(4), "tool", match="position"),
    "robot with symbols": lambda: qddot.load("two_link_symbolic"),
    "model": lambda: qddot.load("panda").with_payload("tool", 1.0).model,
    "proof": lambda: qddot.prove(qddot.load("rp_symbolic")),
    "claim": lambda: qddot.prove(qddot.load("rp_symbolic")).claims[0],
    "certificate": certificate,
    "bound": lambda: certificate()["g.norm2"],
    "property": lambda: certificate().properties[0],
    "effective mass": lambda: mass_ellipsoid(arm(), PLACE, "tool"),
    "effective mass of turns": lambda: mass_ellipsoid(arm(), PLACE, "tool", axes="all"),
    "near singular": lambda: near_singular(arm(), "tool", samples=200),
    "workspace": lambda: reachable(arm(), "tool", cell=0.1, samples=1000),
    "ellipsoid of velocity": lambda: velocity_ellipsoid(arm(), PLACE, "tool"),
    "nearest singularity": lambda: nearest_singularity(arm(), PLACE, "tool", "linear"),
    "trajectory": motion,
    "rollout": lambda: qddot.rollout(arm(), np.eye(2), steps=20, step=1e-2),
    "figure": lambda: motion().plot("q"),
    "log": log,
    "fit": fit,
    "comparison": lambda: compare([fit(), fit()]),
    "payload": payload,
    "payload that is none": lambda: replace(payload(), note="No load found."),
    "identifiability": lambda: qddot.identifiable(arm()),
    "set point": lambda: motions.Setpoint([0.5, 1.0]),
    "reference": quintic,
    "law": law,
    "law of a frame": lambda: laws.OperationalSpace(arm(), "tool", 9, 6, [1.2, 0.6], axes="xy"),
    "law with a state": lambda: laws.AdaptiveSlotineLi(arm(), 5, 500, quintic()),
    "observer": lambda: laws.MomentumObserver(laws.PDGravity(arm(), 30, 15, PLACE), gain=50.0),
    "closed loop": lambda: closed_loop(arm(), law(), q0=[0, 0], duration=1),
    "report": lambda: RESULTS["closed loop"]().report,
    "program": lambda: arm().program("mass_matrix"),
    "kernel": lambda: qddot.Kernel(arm().program("mass_matrix")),
}


class Reader(HTMLParser):
    """Reads HTML and remembers its tags; complains where one is not closed."""

    def __init__(self):
        super().__init__()
        self.open, self.tags = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def read(page: str) -> list[tuple[str, dict]]:
    reader = Reader()
    reader.feed(page)
    assert not reader.open
    return reader.tags


VIEWED = {"robot", "trajectory"}
LONGEST_VIEW = 600_000


def without_view(page: str) -> tuple[str, str]:
    """Return an output without the page inside it, and that page."""
    (attrs,) = [attrs for tag, attrs in read(page) if tag == "iframe"]
    assert attrs["sandbox"] == "allow-scripts"
    assert attrs["title"]
    return re.sub("<iframe .*</iframe>", "", page, flags=re.DOTALL), attrs["srcdoc"]


SHADES = """(c) => {
  const {data} = c.getContext("2d").getImageData(0, 0, c.width, c.height);
  const found = new Set();
  for (let k = 0; k < data.length; k += 4) found.add(data[k] >> 2);
  return found.size;
}"""


@pytest.mark.parametrize("name", ["trajectory", *long("robot")])
def test_the_view_in_a_cell_shows_the_arm_and_asks_nobody(name):
    page = f"<!doctype html><body>{RESULTS[name]()._repr_html_()}</body>"
    with calm(page, width=420, height=600, reduced_motion="reduce") as seen:
        seen.page.locator("iframe").scroll_into_view_if_needed()
        canvas = seen.page.frame_locator("iframe").locator("canvas")
        canvas.wait_for()
        assert until(seen.page, lambda: canvas.evaluate(SHADES) > 30)


def test_sliders_move_the_arm_in_a_cell(tmp_path):
    view = arm().interact([0.5, -0.5])
    view.save(tmp_path / "view.html")
    assert "sliders" in repr(view)
    picture = "document.querySelector('canvas').toDataURL()"
    with calm((tmp_path / "view.html").as_uri(), width=300, height=300) as seen:
        rest(seen.page, fine=True)
        first = seen.page.evaluate(picture)
        assert seen.page.text_content("output >> nth=0") == "28.6°"
        seen.page.locator("input >> nth=0").fill("1.0")
        rest(seen.page, fine=True)
        assert seen.page.text_content("output >> nth=0") == "57.3°"
        assert seen.page.evaluate(picture) != first


def test_a_run_is_shown_as_a_film_where_no_file_is_named():
    view = motion().animate(fps=10)
    assert "<iframe" in view._repr_html_()
    assert "two_link" in repr(view)


@pytest.mark.parametrize("name", RESULTS)
def test_a_notebook_shows_it_in_its_own_colours(name):
    page = RESULTS[name]()._repr_html_()
    if name in VIEWED:  # with a page of its own, that can do nothing to the notebook
        page, view = without_view(page)
        assert len(view) < LONGEST_VIEW
    assert len(page) < MOST_LETTERS
    tags = read(page)
    assert not {"script", "iframe", "link"} & {tag for tag, _ in tags}
    assert not [key for _, attrs in tags for key in attrs if key.startswith("on")]
    assert set(re.findall(r"background[a-z-]*:\s*([^;}]*)", page)) <= {"none"}
    assert "http" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", page)  # nothing is asked for


@pytest.mark.parametrize("name", RESULTS)
def test_its_plain_text_is_a_few_lines(name):
    text = repr(RESULTS[name]())
    # of a model it is all there is to it
    assert len(text) < (MOST_LETTERS if name == "model" else 6_000)


def test_nothing_is_compiled_to_look_at_a_result(monkeypatch):
    made = [make() for make in RESULTS.values()]
    fresh = qddot.load("two_link").with_friction(viscous=31)
    tool = dict(frame="tool", kp=30, kd=15, reference=[1.2, 0.6], axes="xy")
    gains = dict(lam=5, kd=50, reference=quintic())
    made += [
        fresh,
        fresh.at("tool"),
        laws.PD(fresh, 300, 150, PLACE),
        laws.PDGravity(fresh, 300, 150, PLACE, compensate="target"),
        laws.ComputedTorque(fresh, 100, 20, quintic()),
        laws.OperationalSpace(fresh, **tool),
        laws.CartesianImpedance(fresh, **tool),
        laws.ApproximateJacobian(fresh, **tool, approximate=qddot.load("two_link")),
        laws.SlotineLi(fresh, **gains),
        laws.AdaptiveSlotineLi(fresh, **gains),
        laws.RobustSaturated(fresh, **gains, mass=1, coriolis=1, gravity=1),
        motions.time_optimal(arm(), [[0, 0], [1, 2]], effort=[3000, 1000]),
        fresh.program("coriolis_matrix"),
    ]

    no_compiler(monkeypatch)
    for result in made:
        assert result._repr_html_(), type(result)
    with pytest.raises(AssertionError, match="compiled"):
        fresh.gravity_torque(PLACE)


def test_names_are_never_markup():
    robot = qddot.from_dh([{"a": 1, "mass": 1, "name": EVIL}], "standard", name=EVIL)
    run = qddot.simulate(robot, [0.1], duration=0.1)
    hold = laws.PDGravity(robot, 10, 5, [0.0])
    results = [
        robot,
        run,
        run.plot(),
        hold,
        closed_loop(robot, hold, q0=[0.1], duration=0.1),
        qddot.rollout(robot, [0.1], steps=3, step=0.1),
        qddot.identifiable(robot),
        qddot.certify(robot, quantities=["g.norm2"]),
        qddot.prove(robot),
        replace(log(), joint_names=(EVIL, "b"), source=EVIL),
        replace(payload(), frame=EVIL),
        replace(robot.program("mass_matrix"), name=EVIL),
        robot.at(robot.tip),
    ]
    for result in results:
        page = result._repr_html_()
        assert "img" not in {tag for tag, _ in read(page)}, type(result)
        assert "&lt;img" in page, type(result)


def test_a_name_that_looks_like_a_style_stays_a_name():
    drawn = style.figure(3, 2)
    axes = drawn.add_subplot()
    (line,) = axes.plot([0, 1])
    evil = 'a style="}*{display:none" x="1.234"'
    style.legend(drawn, [(line, evil)], 1)
    svg = notebook_svg(drawn)
    assert evil in svg
    sheet = re.search(r"<style>(.*?)</style>", svg)[1]
    assert "display" not in sheet


def test_a_drawing_keeps_to_itself():
    """Styles and ids of an SVG inside a page hold for the whole page."""
    svg = notebook_svg(motion().plot("q"))
    (sheet,) = re.findall(r"<style>(.*?)</style>", svg)
    name = re.match(r"\.(q[0-9a-f]{8})", sheet)[1]
    assert all(rule.startswith(f".{name}") for rule in sheet.split("}") if rule)
    ids = re.findall(r' id="([^"]+)"', svg)
    assert all(each.startswith(name) for each in ids)
    assert len(set(ids)) == len(ids)
    assert set(re.findall(r"url\(#([^)]+)\)", svg)) <= set(ids)
    other = notebook_svg(motion().plot("qd"))
    assert name not in other


def test_a_drawing_takes_its_ink_from_the_notebook():
    svg = notebook_svg(motion().plot("q"))
    assert "currentColor" in svg
    assert "#333333" not in svg
    assert "#ffffff" not in svg  # no paper
    assert "prefers-color-scheme" in standing(svg)


def test_a_path_of_steps_is_the_same_path():
    x = np.linspace(0, 300, 1001)
    y = 80 * np.sin(x / 20) * np.exp(-x / 200)
    path = "M" + " L".join(f" {a:.6f} {b:.6f}" for a, b in zip(x, y, strict=True))
    short = short_path(path)
    assert len(short) < len(path) / 2
    start, steps = short.removeprefix("M").split("l")
    numbers = [float(word) for word in (start + " " + steps).split()]
    points = np.cumsum(np.reshape(numbers, (-1, 2)), axis=0)
    np.testing.assert_allclose(points, np.column_stack([x, y]), rtol=0, atol=0.0501)  # tenths


def test_a_path_with_curves_keeps_its_places():
    assert short_path("M 0 0 Q 1 2.25 3 4 z") == "M 0 0 Q 1 2.2 3 4 z"
    assert short_path("M 0 0 L 10 0 L 10 5.04 z") == "M0 0l10 0 0 5z"
    assert short_path("M 0 0 L 1 0 z \nM 5 5 L 5 5 L 6 7") == "M0 0l1 0zM5 5l1 2"


def test_many_points_become_a_picture_of_dots():
    drawn = style.figure(4, 3)
    rng = np.random.default_rng(0)
    drawn.add_subplot().plot(*rng.normal(size=(2, 2000)), ".")
    page = drawn._repr_html_()
    assert "data:image/png" in page
    assert drawn._repr_svg_() is None
    assert "image/svg+xml" not in drawn._repr_mimebundle_()


def test_a_figure_is_drawn_once_for_html_and_svg():
    both = motion().plot("q")._repr_mimebundle_()
    assert set(both) == {"text/html", "image/svg+xml"}
    assert both["image/svg+xml"].startswith("<svg")


def test_an_output_that_fails_is_none_and_one_that_warns_is_quiet(recwarn):
    def fails():
        warnings.warn("a doubt", stacklevel=1)
        raise ZeroDivisionError

    def warns():
        warnings.warn("a doubt", stacklevel=1)
        return f"<p>{np.float64(1) / 0}</p>"

    assert guarded(fails) is None
    assert guarded(warns) == "<p>inf</p>"
    assert not recwarn.list


def test_what_is_too_long_is_left_out_and_said():
    page = shown("title", "<p>short</p>", f"<p>{'x' * MOST_LETTERS}</p>", "<p>after</p>")
    assert len(page) < MOST_LETTERS
    assert "left out" in page
    assert "<p>after</p>" in page
    many = rows(["name", "number"], [(str(k), k) for k in range(MOST_ROWS + 5)])
    assert many.count("<tr") == MOST_ROWS + 1
    assert "5 more rows" in many


def test_words_of_a_figure_are_hidden_where_its_looks_were_taken_away():
    assert 'hidden="hidden"' in framed("<svg></svg>")
    assert "trusted" in framed("<svg></svg>")


def test_friction_is_a_formula():
    assert Friction(30, 6)._repr_latex_() == (
        r"$\displaystyle f(\dot{q}) = 30\,\dot{q} + 6\,\operatorname{sgn}(\dot{q})$"
    )
    assert Friction()._repr_latex_() == r"$\displaystyle f(\dot{q}) = 0$"
    assert r"\mathrm{d1}" in qddot.load("two_link_symbolic").model.joints[0].friction._repr_latex_()
