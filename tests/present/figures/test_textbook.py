"""Arms as textbooks draw them: where things are, what they are called, and that it is safe."""

import math
import re
import shutil
import subprocess
from base64 import b64decode
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest
from long import long
from nearness import assert_close

import qddot
from qddot.equations.deriving import exact_of
from qddot.equations.document import Picture, Words, document, drawn
from qddot.equations.latex import words_latex
from qddot.equations.printing import PREAMBLE, page
from qddot.formulations.frames import users_frames
from qddot.formulations.notation_file import notation
from qddot.present.figures.textbook.output import text_spans
from qddot.present.figures.textbook.picture import drawing, picture
from qddot.present.figures.textbook.posed import posed
from qddot.present.figures.textbook.sheet import Arc, Disc, FormulaLabel, Polyline
from qddot.present.figures.textbook.spatial import AXIS
from qddot.readers.read import built_in_names, library

SOME = (
    *("two_link_symbolic", "rp_symbolic", "mass_spring_damper", "double_pendulum_symbolic"),
    *("scara", "panda"),
)

FOUR_DIGITS = 1e-4
PENCIL = 0.02  # [cm] axes as near as this are drawn as one


def letters(robot, name=None):
    return notation(name).of(robot.ring.turns)


@cache
def drawn_arm(name, letters_of=None):
    """Return the arm, and its strokes."""
    robot = exact_of(name)
    arm = posed(robot, users_frames(robot.model, robot.tree))
    return arm, drawing(arm, letters(robot, letters_of))


def picture_of(name, letters_of=None):
    robot = exact_of(name)
    return picture(robot, letters(robot, letters_of), users_frames(robot.model, robot.tree))


def labels(strokes):
    return [stroke for stroke in strokes if isinstance(stroke, FormulaLabel)]


def check(made):
    """Check that it is SVG that does nothing, and whole."""
    root = ElementTree.fromstring(made.svg)
    found = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert found <= {"svg", "path", "circle", "rect", "text", "tspan"}
    assert not {"nan", "inf"} & set(made.svg.replace('"', " ").split())


# where things are


def test_the_hinges_of_a_two_link_arm_are_where_its_angles_say():
    arm, strokes = drawn_arm("two_link_symbolic")
    q1, q2 = np.radians([40, 35])
    assert_close(arm.q, [q1, q2])
    hinges = [stroke.centre for stroke in strokes if isinstance(stroke, Disc)][:2]
    elbow = np.array([math.cos(q1), math.sin(q1)])
    hand = elbow + np.array([math.cos(q1 + q2), math.sin(q1 + q2)])
    assert_close(hinges, arm.scale * np.array([np.zeros(2), elbow]))
    rods = [s.points for s in strokes if isinstance(s, Polyline) and s.pen.pale]
    assert_close(rods, arm.scale * np.array([[np.zeros(2), elbow], [elbow, hand]]))


def test_angles_are_drawn_from_the_link_before_and_by_the_right_hand():
    _, strokes = drawn_arm("two_link_symbolic")
    arcs = [(s.start, s.end) for s in strokes if isinstance(s, Arc) and s.arrow == "end"]
    assert_close(arcs, np.radians([(0, 40), (40, 75)]))
    _, strokes = drawn_arm("double_pendulum_symbolic")  # its angles are from the vertical
    arcs = [(s.start, s.end) for s in strokes if isinstance(s, Arc) and s.arrow == "end"]
    assert_close(arcs, np.radians([(-90, -50), (-50, -15)]))


@pytest.mark.parametrize("name", ["two_link_cylinders", "panda", "stanford"])
def test_axes_stand_in_the_frames_that_the_robot_has(name):
    """The frames are those of compiled kernels, which know nothing of the drawing."""
    arm, strokes = drawn_arm(name)
    robot = qddot.load(name)
    axes = [s.points for s in strokes if isinstance(s, Polyline) and s.pen.colour in "xyz"]
    names = ", ".join(label.latex for label in labels(strokes)).split(", ")
    for k, frame in enumerate(arm.frames, 1):
        X = robot.pose(arm.q, frame)
        start, along = arm.scale * arm.axes @ X[:3, 3], arm.axes @ X[:3, 0]
        if np.linalg.norm(along) > 0.3:  # else it points out of the paper
            ends = [b for a, b in axes if math.dist(a, start) < PENCIL]
            assert min(math.dist(end, start + AXIS * along) for end in ends) < PENCIL
            assert f"x_{{{k}}}" in names


@pytest.mark.parametrize("name", ["ur5", "panda_hand"])
def test_links_lead_from_joint_to_joint(name):
    """Every joint is the end of a leg, and a leg is as long as it says."""
    arm, _ = drawn_arm(name)
    ends = np.array([np.zeros(3), *(point for leg in arm.legs for point in (leg.start, leg.end))])
    for origin in arm.origins:
        assert np.linalg.norm(ends - origin, axis=1).min() < 1e-9
    for leg in arm.legs:
        number, unit = leg.latex.split(r"\,")
        assert unit == r"\mathrm{m}"
        assert_close(float(number), np.linalg.norm(leg.end - leg.start), FOUR_DIGITS)


def test_centres_of_mass_are_where_the_robot_says():
    arm, _ = drawn_arm("scara")
    robot = qddot.load("scara")
    masses = [float(body.inertia.m) for body in arm.tree.bodies]
    centres = np.array([arm.centre(i) for i in range(len(masses))])
    assert_close(np.array(masses) @ centres / sum(masses), robot.center_of_mass(arm.q))


@pytest.mark.parametrize("name", SOME)
def test_no_label_stands_on_another(name):
    found = labels(drawn_arm(name)[1])
    for k, a in enumerate(found):
        for b in found[:k]:
            assert not np.all(np.abs(a.at - b.at) < (a.half + b.half) * 0.999), (a.latex, b.latex)


# what they are called


@pytest.mark.parametrize(
    ("of", "wanted"),
    [
        ("craig", {r"\theta_{1}", r"d_{2}"}),
        (None, {"q_{1}", "q_{2}"}),
        ("siciliano", {r"\vartheta_{1}", "d_{2}"}),
    ],
)
def test_coordinates_have_the_letters_of_the_notation(of, wanted):
    robot = exact_of("rp_symbolic")
    n = letters(robot, of)
    assert {n.q(0), n.q(1)} == wanted
    _, strokes = drawn_arm("rp_symbolic", of)
    found = {label.latex for label in labels(strokes)}
    assert found >= {*wanted, n.gravity, "l_{1}", "x_{0}", "z_{2}", r"m_{2},\ I_{yy2}"}


def test_every_parameter_of_the_arm_is_in_the_picture():
    _, strokes = drawn_arm("two_link_symbolic")
    found = " ".join(label.latex for label in labels(strokes))
    for name in ("a_{1}", "a_{2}", "a_{C1}", "a_{C2}", "m_{1}", "m_{2}", "I_{1}", "I_{2}"):
        assert name in found


def test_springs_and_dampers_have_their_names():
    _, strokes = drawn_arm("mass_spring_damper_symbolic")
    found = {label.latex for label in labels(strokes)}
    assert found == {"M_{1}", "M_{0}", "k", "c", "q_{1}", "q_{2}", notation(None).gravity}


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        (r"\theta_{1}", "θ1"),
        (r"\frac{1}{2} L_{1}", "½ L1"),
        (r"0.4\,\mathrm{m}", "0.4 m"),
        (r"\mathrm{my\_length}", "my_length"),
        (r"a^{2}", "a2"),
        (r"\vec{g}", "g"),
    ],
)
def test_labels_as_text(latex, words):
    spans = ElementTree.fromstring(f"<text>{text_spans(latex)}</text>")
    assert "".join(spans.itertext()) == words


# every robot


@pytest.mark.parametrize("name", [*SOME, *long(*(x for x in built_in_names() if x not in SOME))])
def test_a_robot_is_drawn(name):
    check(picture_of(name))


@pytest.mark.filterwarnings("ignore::qddot.RobotWarning")
def test_names_of_files_are_no_markup():
    rows = [{"a": "my_length", "mass": "end_document", "name": "<script>", "link": r"\input{x}"}]
    model = qddot.from_dh(rows, "standard", name="]]></svg><script>").model
    made = picture_of(model)
    check(made)
    assert "script" not in made.svg + made.tikz + made.caption
    assert r"\mathrm{my\_length}" in made.tikz
    assert r"\input" not in made.tikz


def test_every_kind_of_page_has_the_drawing():
    whole = document(qddot.derive("pendulum_symbolic"))
    made = whole.sections[0].items[0]
    assert isinstance(made, Picture)
    assert made.svg.partition(">")[2] in page(whole, "html")
    assert made.tikz in page(whole, "latex")
    assert made.tikz in page(whole, "slides")
    image = re.search(r"base64,([\w+/=]+)\)", page(whole, "markdown"))[1]
    assert b64decode(image).decode() == made.on_paper
    assert "The arm at" not in page(whole, "text")  # which has no picture


def test_what_cannot_be_drawn_has_a_sentence():
    rows = [{"a": "1/(L1 - L2)", "mass": 1}]
    equations = qddot.derive(qddot.from_dh(rows, "standard"))
    assert isinstance(drawn(equations), Words)
    assert "too strange to be drawn" in page(document(equations), "text")
    assert isinstance(drawn(qddot.derive("pendulum")), Picture)


@pytest.mark.long
def test_tikz_compiles(tmp_path):
    if not shutil.which("pdflatex"):
        pytest.skip("there is no pdflatex; apt install texlive-latex-recommended texlive-pictures")
    made = [picture_of(name, "craig") for name in SOME]
    pages = [f"{one.tikz}\n\n{words_latex(one.caption)}\\clearpage" for one in made]
    whole = "\n".join([PREAMBLE, r"\begin{document}", *pages, r"\end{document}"])
    (tmp_path / "arms.tex").write_text(whole, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "arms.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert not done.returncode, done.stdout.decode(errors="replace")[-2000:]
    assert b"Overfull" not in done.stdout
    assert f"({len(SOME)} pages".encode() in done.stdout


def test_an_arm_whose_parts_lie_in_one_point_is_drawn_at_the_scale_of_a_link(tmp_path):
    """A screw with a small lead, centres of mass beside it: nothing to measure the paper by."""
    text = library()["rp"].read_text(encoding="utf-8")
    screw = text.replace('"prismatic"', '"screw"\npitch = "1/(20*pi)"')
    (tmp_path / "lead.toml").write_text(screw, encoding="utf-8")
    made = page(document(qddot.derive(qddot.load(tmp_path / "lead.toml"))), "html")
    assert "<svg" in made
    assert len(made) < 1_000_000
