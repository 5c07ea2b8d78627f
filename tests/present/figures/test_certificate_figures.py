"""Figures of a robot's dynamics: what is drawn is right and labelled, or refused in words."""

import numpy as np
import pytest
from nearness import ROUND_OFF
from numpy.testing import assert_allclose

import qddot
from qddot.certificate.ellipsoid import mass_ellipsoid
from qddot.errors import BadArgument, UnknownName, WrongShape
from qddot.plot import (
    plot_effective_mass,
    plot_effective_mass_map,
    plot_eigenvalues,
    plot_gravity,
    plot_norms,
)
from qddot.present.figures.ellipses import FORCES

DECK = qddot.load("two_link")
POINT = qddot.load("two_link_point")
SCARA = qddot.load("scara")
PANDA = qddot.load("panda")
READY = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
EIGHT_DECIMALS = 5e-9


def legend(figure) -> list[str]:
    return [text.get_text() for owner in figure.legends for text in owner.get_texts()]


def words(figure) -> str:
    """Return everything that is written in a figure."""
    from matplotlib.text import Text

    return "\n".join(text.get_text() for text in figure.findobj(Text))


# eigenvalues and norms


def test_the_eigenvalues_of_the_deck_are_extreme_where_the_arm_is_straight():
    bounds = (6.23992001, 161.26007999)
    axes = plot_eigenvalues(DECK, "j2", bounds=bounds).axes[0]
    x = axes.lines[0].get_xdata()
    low, high = axes.lines[0].get_ydata(), axes.lines[1].get_ydata()
    assert x[np.argmin(low)] == pytest.approx(0, abs=ROUND_OFF)
    assert x[np.argmax(high)] == pytest.approx(0, abs=ROUND_OFF)
    assert_allclose([low.min(), high.max()], bounds, rtol=0, atol=EIGHT_DECIMALS)
    assert [line.get_ydata()[0] for line in axes.lines[2:]] == list(bounds)
    assert (x[0], x[-1]) == pytest.approx((-np.pi, np.pi))


def test_the_eigenvalues_of_the_deck_do_not_depend_on_the_first_joint():
    axes = plot_eigenvalues(DECK, "j1", at=[0, 0.7]).axes[0]
    expected = np.linalg.eigvalsh(DECK.mass_matrix([0, 0.7]))
    for line, value in zip(axes.lines, expected, strict=True):
        assert_allclose(line.get_ydata(), value, rtol=ROUND_OFF)


def test_eigenvalues_have_units_names_and_bounds():
    figure = plot_eigenvalues(DECK, "j2", bounds=(6.2399, 161.2601))
    axes = figure.axes[0]
    assert axes.get_xlabel() == "j2 [rad]"
    assert axes.get_ylabel() == "eigenvalues of M [kg·m²]"
    assert legend(figure) == ["λ₁", "λ₂", "bounds: 6.2399 and 161.261"]
    axes = plot_eigenvalues(SCARA, "j3").axes[0]
    assert axes.get_xlabel() == "j3 [m]"
    assert axes.get_ylabel() == "eigenvalues of M [kg·m² and kg]"
    axes = plot_eigenvalues(PANDA, "panda_joint4").axes[0]
    assert axes.get_yscale() == "log"
    assert len(axes.lines) == 7
    assert_allclose(axes.get_xlim(), [-3.0718, -0.0698])


def test_norms_are_samples_between_their_bounds():
    figure = plot_norms(DECK, "j2", 1, bounds=(47.5, 192.5), samples=500)
    dots = figure.axes[0].lines[0]
    assert len(dots.get_xdata()) == 500
    assert 47.5 <= dots.get_ydata().min() < 48
    assert 192 < dots.get_ydata().max() <= 192.5
    assert figure.axes[0].get_ylabel() == "‖M‖₁ [kg·m²]"
    assert legend(figure) == ["‖M‖₁ at 500 random joint positions", "bounds: 47.5 and 192.5"]
    box = {"j2": (-np.pi / 2, np.pi / 2)}
    dots = plot_norms(DECK, "j2", np.inf, box=box).axes[0].lines[0]
    assert dots.get_ydata().min() >= 117.5
    for norm in (2, "fro"):
        plot_norms(PANDA, "panda_joint4", norm, samples=10)


# gravity


def test_the_map_of_gravity_has_names_and_units():
    figure = plot_gravity(DECK, ("j1", "j2"), "j1")
    assert figure.axes[0].get_xlabel() == "j1 [rad]"
    assert figure.axes[0].get_ylabel() == "j2 [rad]"
    assert "|g| of j1 [N·m]" in words(figure)
    # 981 N·m asked of the first joint where the arm is stretched out
    assert figure.axes[0].collections[0].get_clim()[1] == 1000
    assert "|g| of j3 [N]" in words(plot_gravity(SCARA, ("j1", "j3"), "j3"))


def test_the_limit_of_a_motor_is_a_line():
    weak = qddot.load("panda").with_payload("tool", mass=12.0)
    figure = plot_gravity(weak, ("panda_joint2", "panda_joint4"), "panda_joint2")
    assert "orange: the joint's limit, 87" in words(figure)
    at_ease = plot_gravity(PANDA, ("panda_joint2", "panda_joint4"), "panda_joint2")
    assert "orange" not in words(at_ease)


def test_without_gravity_the_map_is_empty(tmp_path):
    path = tmp_path / "none.png"
    plot_gravity(DECK.without("gravity"), ("j1", "j2"), "j2", path=path)
    assert path.stat().st_size > 0


# effective mass


def test_a_planar_arm_shows_the_circle_and_the_ellipse():
    figure = plot_effective_mass(POINT, [0, np.radians(150)], "tool")
    arm, circle, ellipse = figure.axes
    assert (arm.get_xlabel(), arm.get_ylabel()) == ("x [m]", "y [m]")
    assert circle.get_xlabel() == "acceleration along x [m/s²]"
    assert ellipse.get_ylabel() == "force along y [N]"
    text = words(figure)
    for word in ("1 kg", "5 kg", "two_link_point: effective mass of tool", "41.8° apart"):
        assert word in text
    # the line is what M_C makes of the unit circle
    M_C = mass_ellipsoid(POINT, [0, np.radians(150)], "tool").matrix[:2, :2]
    line = ellipse.lines[0].get_xydata()
    assert_allclose(np.linalg.norm(np.linalg.solve(M_C, line.T), axis=0), 1, rtol=1e-9)
    assert_allclose(np.linalg.norm(circle.lines[0].get_xydata(), axis=1), 1, rtol=1e-9)


def test_a_singular_arm_has_an_open_ellipse(tmp_path):
    figure = plot_effective_mass(POINT, [0.3, 0], "tool", path=tmp_path / "open.svg")
    assert "∞ kg" in words(figure)
    assert np.isnan(figure.axes[2].lines[0].get_xydata()).any()
    plot_effective_mass(qddot.load("pendulum"), [0.3], "tool")


def test_along_a_path_there_is_an_ellipse_at_every_place():
    path = np.column_stack([np.linspace(0.2, 1.4, 5), np.linspace(2.0, 0.0, 5)])
    figure = plot_effective_mass(POINT, path, "tool")
    assert len(figure.axes) == 1
    lines = [line for line in figure.axes[0].lines if line.get_color() == FORCES]
    drawn = [line for line in lines if len(line.get_xydata()) > 1]  # not the first joint
    assert len(drawn) == 5
    assert np.isnan(drawn[-1].get_xydata()).any()  # the last, of a straight arm, is open
    assert np.isfinite(drawn[0].get_xydata()).all()
    assert "5 places" in words(figure)
    assert " N" in figure.get_supxlabel()


def test_an_arm_in_space_has_ellipsoids(tmp_path):
    path = READY + np.linspace(0, 0.5, 3)[:, None]
    figure = plot_effective_mass(PANDA, path, "tool", path=tmp_path / "panda.png")
    (axes,) = figure.axes
    assert len(axes.collections) == 3
    assert axes.get_zlabel() == "z [m]"
    assert "1 m/s² in every direction" in figure.get_supxlabel()
    plot_effective_mass(SCARA, [0.2, 0.0, 0.1, 0], "tool")  # singular
    drawn = mass_ellipsoid(PANDA, READY, "tool").plot(tmp_path / "one.png")
    assert len(drawn.axes[0].collections) == 1


@pytest.mark.long
def test_the_map_shows_the_mass_of_every_place_within_reach():
    figure = plot_effective_mass_map(POINT, "tool")
    image = figure.axes[0].images[0]
    left, right, bottom, top = image.get_extent()
    assert_allclose([left, right, bottom, top], [-2, 2, -2, 2], rtol=0, atol=0.02)
    cells = image.get_array()
    rows, columns = cells.shape
    # by elbow angle: 90° is √2 away from the base, where the tip weighs 1 and 2
    here = cells[rows // 2, int((np.sqrt(2) - left) / (right - left) * columns)]
    assert here == pytest.approx(2, rel=0.05)
    assert np.ma.getmaskarray(cells)[0, 0]  # out of reach
    assert "largest principal mass [kg]" in words(figure)
    for quantity in ("smallest", "condition"):
        plot_effective_mass_map(POINT, "tool", quantity)
    locked = SCARA.locked({"j3": 0.1, "j4": 0.0})
    assert plot_effective_mass_map(locked, "tool").axes[0].get_xlabel() == "x [m]"


# what is refused, and how it is kept


def test_what_cannot_be_drawn_is_told():
    with pytest.raises(UnknownName, match=r"no joint named 'j3'. Did you mean 'j"):
        plot_eigenvalues(DECK, "j3")
    with pytest.raises(UnknownName, match="no joint named '1'"):
        plot_eigenvalues(DECK, 1)
    with pytest.raises(WrongShape, match=r"at has shape \(3,\)"):
        plot_eigenvalues(DECK, "j2", at=[0, 0, 0])
    with pytest.raises(BadArgument, match=r"bounds is \(2, 1\); give two numbers"):
        plot_eigenvalues(DECK, "j2", bounds=(2, 1))
    with pytest.raises(BadArgument, match=r"bounds is 3; give two numbers"):
        plot_eigenvalues(DECK, "j2", bounds=3)
    with pytest.raises(BadArgument, match=r"norm is 'one'; it must be 1, 2, np.inf or 'fro'"):
        plot_norms(DECK, "j2", "one")
    with pytest.raises(BadArgument, match="samples is 0"):
        plot_norms(DECK, "j2", samples=0)
    with pytest.raises(BadArgument, match="names 'j1' twice; a map needs two different joints"):
        plot_gravity(DECK, ("j1", "j1"), "j2")
    with pytest.raises(BadArgument, match="name two joints"):
        plot_gravity(DECK, "j1", "j2")
    with pytest.raises(UnknownName, match="no joint named 'j7'"):
        plot_gravity(DECK, ("j1", "j2"), "j7")
    with pytest.raises(UnknownName, match="no frame named 'tol'"):
        plot_effective_mass(POINT, [0, 1], "tol")
    with pytest.raises(BadArgument, match="cannot move 'base' here"):
        plot_effective_mass(POINT, [0, 1], "base")
    with pytest.raises(WrongShape, match=r"q has shape \(0, 2\)"):
        plot_effective_mass(POINT, np.zeros((0, 2)), "tool")
    with pytest.raises(BadArgument, match="'panda' does not move in a plane"):
        plot_effective_mass_map(PANDA, "tool")
    with pytest.raises(BadArgument, match="moves 'tool' along a line at best"):
        plot_effective_mass_map(qddot.load("pendulum"), "tool")
    with pytest.raises(BadArgument, match="quantity is 'mass'; it must be one of largest, "):
        plot_effective_mass_map(POINT, "tool", "mass")
    slider = qddot.from_dh([{"type": "prismatic", "mass": 1.0}], "standard")
    with pytest.raises(BadArgument, match=r"'j1'.* slides without limits"):
        plot_eigenvalues(slider, "j1")


def test_hostile_names_are_text(tmp_path):
    rows = [{"name": name, "a": 1, "mass": 1} for name in ("$x^", "_<b>")]
    arm = qddot.from_dh(rows, "standard", name="${\\frac", gravity=(0, -9.81, 0))
    first, second = arm.joint_names
    plot_eigenvalues(arm, second, path=tmp_path / "a.svg")
    plot_gravity(arm, (first, second), first, path=tmp_path / "b.png")
    plot_effective_mass(arm, [0, 1], "tool", path=tmp_path / "c.png")
    assert "<b>" not in (tmp_path / "a.svg").read_text()
