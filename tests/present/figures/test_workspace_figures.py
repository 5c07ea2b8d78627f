"""Figures of workspaces and ellipsoids: what is drawn is right and labelled, or refused."""

import numpy as np
import pytest
from matplotlib.image import AxesImage
from matplotlib.text import Text

import qddot
from qddot.errors import BadArgument, QddotError
from qddot.plot import plot_ellipsoids, plot_workspace
from qddot.workspace import acceleration_ellipsoid, force_ellipsoid, reachable, velocity_ellipsoid

ARM = qddot.load("two_link_point")
PANDA = qddot.load("panda")


def words(figure) -> str:
    return "\n".join(text.get_text() for text in figure.findobj(Text))


def test_a_workspace_in_a_plane_is_one_map(tmp_path):
    places = reachable(ARM, "tool", cell=0.1, samples=20_000)
    figure = places.plot(path=tmp_path / "plane.svg")
    (image,) = figure.findobj(AxesImage)
    cells = np.ma.filled(image.get_array(), np.nan)
    assert np.isfinite(cells).sum() == len(places.cells)
    assert np.nanmax(cells) == places.manipulability.max()
    assert "two_link_point: where tool gets to, cells of 100 mm" in words(figure)
    assert (tmp_path / "plane.svg").stat().st_size > 1000


def test_a_workspace_in_space_is_two_slices():
    places = reachable(PANDA, "tool", cell=0.1, samples=20_000)
    figure = plot_workspace(places, "dexterity")
    upright, _ = figure.findobj(AxesImage)
    drawn = np.ma.filled(upright.get_array(), np.nan)
    wanted, extent = places.slice("y", 0.05, "dexterity")
    np.testing.assert_array_equal(drawn, wanted)
    assert tuple(upright.get_extent()) == extent
    assert {"y = 0", "share of directions found"} <= set(words(figure).splitlines())
    with pytest.raises(QddotError, match="quantity"):
        places.plot("speed")


def test_ellipsoids_are_drawn_with_their_scale():
    q = [[0.4, 0.3], [0.5, 1.0]]
    assert "m/s" in words(velocity_ellipsoid(ARM, q, "tool").plot())
    assert "0.1 m is" in words(plot_ellipsoids(force_ellipsoid(ARM, q, "tool")))
    ready = [0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8]
    figure = acceleration_ellipsoid(PANDA, ready, "tool").plot()
    assert "ellipsoids: accelerations" in words(figure)
    with pytest.raises(BadArgument, match="linear"):
        velocity_ellipsoid(ARM, q, "tool", "angular").plot()


def test_a_line_is_not_drawn():
    slides = qddot.load("mass_spring_damper")
    line = reachable(slides, "tool", {"x0": (0, 1), "x1": (-1, 1)}, samples=1000)
    with pytest.raises(BadArgument, match="moves along a line"):
        line.plot()
