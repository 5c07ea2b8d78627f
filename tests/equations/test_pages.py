"""Pages of derivations: what stands on them, and that nothing leaves the paper."""

import re
import shutil
import subprocess
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from blackboard import DERIVE
from long import long

import qddot
from qddot.equations.dh_table import dh_table
from qddot.equations.document import Words, document
from qddot.equations.formulas import COLUMNS, Equation
from qddot.equations.layout import PAGE, SLIDE, broken
from qddot.equations.layout import width as em
from qddot.equations.printing import frames_of, page, slide_rows
from qddot.equations.text import width
from qddot.formulations.notation import NOTATION
from qddot.formulations.notation_file import notation_names
from qddot.readers.read import built_in_names

SYMBOLIC = [name for name in built_in_names() if name.endswith("_symbolic")]
# every robot, every formulation and every notation once
WAYS = list(DERIVE)
SOME = [(robot, WAYS[k % len(WAYS)]) for k, robot in enumerate(SYMBOLIC)]
LETTERED = [("rp_symbolic", WAYS[k % len(WAYS)], n) for k, n in enumerate(notation_names())]
ALL = [(robot, way) for robot in SYMBOLIC for way in WAYS]
ALL_LETTERED = [("two_link_symbolic", way, name) for way in WAYS for name in notation_names()]


@cache
def written(robot, formulation, notation=None):
    return document(qddot.derive(robot, formulation, notation=notation), with_steps=True)


def equations(found):
    return [item for part in found.sections for item in part.items if isinstance(item, Equation)]


@pytest.mark.parametrize(("robot", "formulation"), [*SOME, *long(("scara", "trace"))])
@pytest.mark.parametrize("room", [PAGE, SLIDE])
def test_no_line_of_a_formula_is_wider_than_its_room(robot, formulation, room):
    found = equations(written(robot, formulation))
    assert len(found) > 5
    for item in found:
        rows = item.rows(room)
        left = max(em(f"{symbol} =") for symbol, _ in rows if symbol != "=")
        for symbol, line in rows:
            # a factor that has no sign in it cannot be broken
            assert left + em(line) <= room + 0.01 or len(broken(line, room / 2)) == 1, (
                symbol,
                line,
            )


@pytest.mark.parametrize(("robot", "formulation"), SOME)
def test_no_line_of_text_is_wider_than_the_terminals_page(robot, formulation):
    for line in page(written(robot, formulation), "text").splitlines():
        assert width(line) <= COLUMNS + 4 or line.lstrip()[:1] in "⎡⎢⎣["


def test_all_formats_show_the_same_steps():
    found = written("two_link_symbolic", "explicit")
    words = [part.title for part in found.sections if "$" not in part.title]
    for format in ("text", "markdown", "latex", "html", "slides"):
        shown = page(found, format)
        assert all(title in shown for title in words), format
    shown = re.findall(r"\\begin\{(?:align|gather)\*\}", page(found, "latex"))
    assert len(found.sections) < len(shown) <= len(equations(found))
    assert page(found, "markdown").count("$$") == 2 * len(equations(found))


ENGINES = ("pdflatex", "xelatex", "lualatex")


@pytest.mark.long
@pytest.mark.parametrize(
    ("engine", "cases"),
    [
        ("pdflatex", [*SOME[::2], *LETTERED[::2]]),
        *long(("pdflatex", [*SOME, *LETTERED])),
        *long(*((engine, [*ALL, *ALL_LETTERED]) for engine in ENGINES)),
        *long(*((engine, [(r, "lagrange") for r in built_in_names()]) for engine in ENGINES)),
    ],
    ids=lambda x: x if isinstance(x, str) else f"{len(x)} pages",
)
def test_no_box_of_latex_is_overfull(engine, cases, tmp_path):
    if not shutil.which(engine):
        pytest.skip(f"{engine} is not installed (Debian: texlive-latex-extra, texlive-xetex)")
    head, bodies = "", []
    for case in cases:
        head, _, rest = page(written(*case), "latex").partition(r"\begin{document}")
        bodies.append(rest.partition(r"\end{document}")[0])
    joined = r"\clearpage".join(bodies)
    text = f"{head}\\begin{{document}}{joined}\\end{{document}}\n"
    (tmp_path / "all.tex").write_text(text, encoding="utf-8")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    log = (tmp_path / "all.log").read_text(encoding="utf-8", errors="replace")
    assert done.returncode == 0, log[-2000:]
    assert not re.findall(r"^Overfull \\hbox.*|^Missing character.*", log, re.MULTILINE)


# Denavit–Hartenberg tables

ROWS = [
    {"a": "L1", "d": 0.2, "alpha": "pi/2", "mass": 1.0, "inertia": [0.02, 0.03, 0.04]},
    {"type": "prismatic", "theta": "pi/2", "d": "d0", "mass": 1.0, "inertia": [0.02, 0.03, 0.04]},
    {"a": 0.4, "theta": "-pi/6", "alpha": "-pi/2", "mass": 1.0, "inertia": [0.02, 0.03, 0.04]},
]


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_a_dh_table_is_printed_as_it_was_given(convention):
    letters = NOTATION.of([True, False, True])
    found = dh_table(qddot.from_dh(ROWS, convention).model, letters)
    assert found.convention == convention
    assert found.rows == (
        ("q_{1}", "0.2", "L_{1}", r"\frac{1}{2} \pi"),
        (r"\frac{1}{2} \pi", "q_{2} + d_{0}", "0", "0"),
        (r"q_{3} -\frac{1}{6} \pi", "0", "0.4", r"-\frac{1}{2} \pi"),
    )


def test_a_robot_that_is_no_dh_chain_has_no_table():
    letters = NOTATION.of([True] * 7)
    assert dh_table(qddot.load("mass_spring_damper_symbolic").model, letters) is None
    assert dh_table(qddot.load("two_link").locked({"j1": 0.3}).model, letters) is None
    assert dh_table(qddot.load("puma560").model, letters) is not None


def test_the_table_of_a_random_chain_gives_the_robot_back():
    """What is printed, read again as rows, is the same robot."""
    rng = np.random.default_rng(4)
    for convention in ("standard", "modified"):
        rows = [
            dict(zip(("theta", "d", "a", "alpha"), rng.uniform(-1, 1, 4).round(3), strict=True))
            for _ in range(4)
        ]
        robot = qddot.from_dh(
            [row | {"mass": 1.0, "inertia": [0.02, 0.03, 0.04]} for row in rows], convention
        )
        found = dh_table(robot.model, NOTATION.of([True] * 4))
        for printed, row in zip(found.rows, rows, strict=True):
            theta = printed[0].partition("}")[2].replace(" ", "") or "0"
            numbers = [float(x) for x in (theta, *printed[1:])]
            assert numbers == [row[key] for key in ("theta", "d", "a", "alpha")]


def test_torques_that_close_a_derivation_are_not_repeated():
    for robot, again in (("rp_symbolic", False), ("two_link_symbolic", True)):  # the latter rubs
        last = written(robot, "explicit").sections[-1]
        assert (Words("Together:") in last.items) == again


def test_short_steps_share_a_slide_and_none_is_lost_or_too_long():
    found = written("two_link_symbolic", "explicit")
    for section in found.sections:
        frames = frames_of(section)
        assert [item for frame in frames for item in frame] == list(section.items)
    formulas = len(equations(found))
    assert sum(len(frames_of(section)) for section in found.sections) < 0.75 * formulas


def test_a_slide_shows_matrices_of_six_vectors_whole():
    """Smaller if they are wider or taller than the slide, and no entry has double brackets."""
    found = written("two_link_point_symbolic", "stacked", "deck_s0")
    deck = page(found, "slides")
    assert "[[" not in deck
    assert len(re.findall(r"\\begin\{bmatrix\}", deck)) >= 20
    for item in equations(found):
        if np.ndim(item.value) == 2 and min(item.value.shape) >= 6:
            *_, (_, line) = slide_rows(item)
            assert line.count(r"\\") == len(item.value) - 1
            scale = float((re.findall(r"scalebox\{([\d.]+)\}", line) or [1])[0])
            matrix = line[
                line.index(r"\begin") : line.index(r"\end{bmatrix}") + len(r"\end{bmatrix}")
            ]
            assert 0.33 <= scale <= 1
            assert scale * em(matrix) <= SLIDE
            assert scale * len(item.value) <= 12


def test_a_tall_column_is_smaller_and_a_long_sum_is_not():
    column = Equation("v", value=np.arange(24, dtype=object))
    assert slide_rows(column)[0][1].startswith(
        r"\vcenter{\hbox{\scalebox{0.46}{$\begin{bmatrix} 0 \\"
    )
    assert slide_rows(Equation("v", value=np.arange(6, dtype=object)))[0][1].startswith(r"\begin")
    M = qddot.derive("two_link_symbolic").M
    assert slide_rows(Equation("M", value=M)) == Equation("M", value=M).rows(SLIDE)
    named = Equation(r"[\mathrm{Ad}]", value=np.array([[M[0, 0] * 100] * 6] * 6, dtype=object))
    assert slide_rows(named)[0][0] == r"[\mathrm{Ad}]_{11}"


def test_words_behind_the_last_formula_take_a_slide_of_their_own():
    """As the list of the symbols that are zero, which left the slide at its foot."""
    words = Words(", ".join(f"$h_{{{k}}}$" for k in range(300)))
    section = written("pendulum_symbolic", "trace").sections[-1]
    longer = replace(section, items=(*section.items, words))
    assert frames_of(longer)[-1] == [words]
    sheet = replace(written("pendulum_symbolic", "trace"), sections=(longer,))
    assert page(sheet, "slides").count(r"\begin{frame}[allowframebreaks]") == 1
    short = replace(section, items=(*section.items, Words("Short.")))
    assert len(frames_of(short)) == len(frames_of(section))


DECKS = [
    ("scara", "trace", "deck_s2"),
    ("scara", "stacked", "deck_s0"),
    ("stanford", "trace", "spong"),
]


@pytest.mark.parametrize(("robot", "formulation", "notation"), long(*DECKS))
def test_no_slide_is_overfull(robot, formulation, notation, tmp_path):
    if not shutil.which("pdflatex"):
        pytest.skip("pdflatex is not installed (Debian: texlive-latex-recommended)")
    (tmp_path / "deck.tex").write_text(
        page(written(robot, formulation, notation), "slides"), encoding="utf-8"
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "deck.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    log = (tmp_path / "deck.log").read_text(encoding="utf-8", errors="replace")
    assert done.returncode == 0, log[-2000:]
    assert not re.findall(r"^Overfull .*|^Missing character.*", log, re.MULTILINE)


def test_a_step_is_latex_on_one_line():
    steps = {s.symbol: s for s in qddot.derive("rp_symbolic", "explicit", notation="deck_s1").steps}
    assert steps["m_{112}"].latex() == r"m_{112} = \partial m_{11}/\partial d_{2} = 2 m_{2} d_{2}"
    assert steps["m_{112}"].latex(value=False) == r"m_{112} = \partial m_{11}/\partial d_{2}"
    B = r"B = \begin{bmatrix} 2 m_{2} d_{2} \\ 0 \end{bmatrix}"
    assert steps["B"].latex() == B
