"""Figures: every axis has its unit, every joint its name, whatever the name."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from simulation.made_motion import made, random_motion

from qddot.errors import BadArgument
from qddot.plot import panels
from qddot.present.figures.trajectory import ENERGIES
from qddot.simulation.trajectory import Event

DEGREES = 180 / np.pi
HOSTILE = ("_hidden", "$x^", "<b>&amp;", "\x1b[31m\n", "%s{}\\", "机" * 3, "a" * 500)


def words(figure) -> list[str]:
    """Return the entries of every legend."""
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes)]
    return [text.get_text() for legend in legends if legend for text in legend.get_texts()]


def labels(figure) -> list[str]:
    return [axes.get_ylabel() for axes in figure.axes]


@pytest.mark.parametrize("robot", ["two_link", "panda", "scara"])
def test_five_panels_with_units_and_names(robot):
    motion = made(robot)
    figure = motion.plot()
    text = " ".join(labels(figure))
    for unit in ("[rad]", "[rad/s]", "[rad/s²]", "[N·m]", "[J]"):
        assert unit in text
    assert any("time [s]" in axes.get_xlabel() for axes in figure.axes)
    for name in motion.joint_names:
        assert any(entry.startswith(name) for entry in words(figure))
    assert {"kinetic", "potential", "total", "lost", "given", "hits a stop"} <= set(words(figure))


def test_turning_and_sliding_joints_have_axes_of_their_own():
    figure = made("scara").plot("q")
    left, right = figure.axes
    assert left.get_ylabel() == "$q$ [rad]"
    assert right.get_ylabel() == "$q$ [m] (right)"
    assert (len(left.lines) - 1, len(right.lines)) == (3, 1)  # an event is marked on the left
    assert "j3 [m]" in words(figure)
    assert "j1 [rad]" in words(figure)


def test_curves_are_the_rows():
    motion = made()
    axes = motion.plot("tau").axes[0]
    np.testing.assert_array_equal(axes.lines[1].get_ydata(), motion.tau[:, 1])
    np.testing.assert_array_equal(axes.lines[1].get_xdata(), motion.t)


def test_events_are_thin_lines_in_every_panel():
    events = (Event(0.5, "sticks"), Event(1.0, "slips"), Event(1.5, "sticks"))
    figure = replace(made(), events=events).plot(["q", "energy"])
    for axes in figure.axes:
        marks = [line.get_xdata()[0] for line in axes.lines if len(line.get_xdata()) == 2]
        assert marks == [0.5, 1.0, 1.5]
    many = tuple(Event(0.01 * k, f"kind {k}") for k in range(50))
    assert "50 events" in words(replace(made(), events=many).plot("q"))


def test_the_residual_is_told_as_a_number():
    motion = made()
    notes = [text.get_text() for axes in motion.plot("energy").axes for text in axes.texts]
    worst = np.abs(motion.energy.residual).max()
    assert any(f"unaccounted for: {worst:.1e} J" in note for note in notes)


def test_what_is_said_of_the_energy_stands_below_its_curves():
    for motion in (made(), made("panda"), made("scara")):
        figure = motion.plot("energy")
        figure.draw_without_rendering()
        (axes,) = figure.axes
        top = max(text.get_window_extent().y1 for text in axes.texts)
        curves = axes.lines[: len(ENERGIES)]
        lowest = min(np.nanmin(line.get_ydata()) for line in curves)
        assert top < axes.transData.transform((0, lowest))[1]


def test_angles_are_drawn_in_degrees_and_lengths_as_they_were():
    motion = made("scara")
    figure = motion.plot(["q", "qd", "tau"], degrees=True)
    text = " ".join(labels(figure))
    assert "[rad" not in text + " ".join(words(figure))
    for unit in ("[°]", "[m] (right)", "[°/s]", "[N·m]"):
        assert unit in text
    drawn = {axes.get_ylabel(): axes.lines for axes in figure.axes}
    for label, values in (
        ("$q$ [°]", DEGREES * motion.q[:, 0]),
        ("$q$ [m] (right)", motion.q[:, 2]),
    ):
        assert any(np.array_equal(line.get_ydata(), values) for line in drawn[label])
    assert any(np.array_equal(y.get_ydata(), motion.tau[:, 0]) for y in drawn[r"$\tau$ [N·m]"])
    assert "$q$ [°]" in labels(panels({"a": motion}, degrees=True))


@pytest.mark.parametrize(
    ("ending", "magic"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")]
)
def test_a_file_name_alone_is_where_the_figure_goes(tmp_path, ending, magic):
    for path in (tmp_path / f"a{ending}", f"{tmp_path}/b{ending}"):
        assert len(made().plot(path).axes) == 5
    assert all(path.read_bytes().startswith(magic) for path in tmp_path.iterdir())
    assert len(list(tmp_path.iterdir())) == 2


def test_what_cannot_be_drawn_or_saved_is_told(tmp_path):
    with pytest.raises(BadArgument, match=r"no panel 'tao'. Did you mean 'tau'"):
        made().plot("tao")
    with pytest.raises(BadArgument, match="at least one panel: q, qd, qdd, tau, energy"):
        made().plot([])
    with pytest.raises(BadArgument, match=r"as \.png, \.svg or \.pdf, not as 'run\.bmp'"):
        made().plot(path=tmp_path / "run.bmp")
    with pytest.raises(BadArgument, match="cannot be written"):
        made().plot("q", path=tmp_path / "nowhere" / "run.png")


@pytest.mark.filterwarnings("ignore:Glyph")
def test_hostile_names_are_text(tmp_path):
    motion = random_motion(5, HOSTILE)
    figure = motion.plot("q", path=tmp_path / "run.svg")
    shown = words(figure)
    assert any(entry.startswith("_hidden") for entry in shown)
    assert any(entry.startswith("$x^") for entry in shown)
    assert not any("\x1b" in entry or "\n" in entry for entry in shown)
    assert max(map(len, shown)) < 40
    assert "<b>" not in (tmp_path / "run.svg").read_text()


def test_numbers_that_are_not_finite_are_left_out(tmp_path):
    nothing = made()
    nothing.q[:] = np.nan
    one_row = made(rows=1, duration=0)
    for motion in (random_motion(8, ("a", "b")), nothing, one_row):
        motion.plot(path=tmp_path / "run.png")
        assert (tmp_path / "run.png").stat().st_size


def test_figures_do_not_touch_pyplot(tmp_path):
    before = "matplotlib.pyplot" in sys.modules
    made().plot("q", path=tmp_path / "run.png")
    assert ("matplotlib.pyplot" in sys.modules) == before


def test_runs_are_compared_a_row_each():
    runs = {f"D = {d}": made() for d in (0, 30, 80)}
    figure = panels(runs)
    assert len(figure.axes) == 12
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert [title for title in titles if title] == list(runs)
    assert labels(figure)[:4] == [
        "$q$ [rad]",
        r"$\dot{q}$ [rad/s]",
        r"$\ddot{q}$ [rad/s²]",
        r"$\tau$ [N·m]",
    ]
    assert words(figure) == ["j1", "j2", "hits a stop"]


def test_runs_that_cannot_be_compared_are_refused(tmp_path):
    with pytest.raises(BadArgument, match="at least one run"):
        panels({})
    with pytest.raises(BadArgument, match="Run 'b' has other joints than the first: panda_joint1"):
        panels({"a": made(), "b": made("panda")})
    panels({"a": made()}, path=tmp_path / "one.png")
    assert (tmp_path / "one.png").stat().st_size > 1000
