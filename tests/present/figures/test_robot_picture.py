"""Pictures of robots without a browser: what is where, what hides what, and what is refused."""

import base64
import io
import re
from types import SimpleNamespace

import numpy as np
import pytest
from command_line import run
from matplotlib.colors import to_hex
from matplotlib.image import imread
from numpy.testing import assert_allclose
from PIL import Image

import qddot
from qddot.errors import BadArgument, UnknownName, WrongShape
from qddot.plot import plot_robot
from qddot.present.figures.eye import eye_on
from qddot.present.figures.renderer import NOTHING, Layer, Triangles, linear, lit, triangles_of
from qddot.present.figures.robot_picture import AXES
from qddot.present.figures.shells import box, capsule
from qddot.present.figures.surfaces import Surface, Surfaces

UP = np.array([0.0, 0.0, 1.0])
SMALL = (120, 90)


def seen_from(points, azimuth=0.0, elevation=0.0, size=SMALL):
    return eye_on(UP, np.asarray(points, float), size, {"azimuth": azimuth, "elevation": elevation})


def layer(points, corners, size):
    """Return triangles that are given as the camera sees them: in pixels."""
    eye = SimpleNamespace(seen=lambda places: places, size=size)
    return Layer(eye, Triangles(points, points, np.array(corners), np.ones((len(corners), 3))))


def test_everything_is_in_the_picture_and_fills_it():
    points = np.random.default_rng(0).normal(size=(200, 3)) * [1, 2, 0.5]
    for azimuth in (0.0, 1.0, 2.5):
        x, y, depth = seen_from(points, azimuth, 0.4).seen(points).T
        assert (x > 0).all() and (x < SMALL[0]).all()  # noqa: PT018
        assert (y > 0).all() and (y < SMALL[1]).all()  # noqa: PT018
        assert max(np.ptp(x) / SMALL[0], np.ptp(y) / SMALL[1]) > 0.55
        assert (depth > 0).all()


def test_up_is_up_and_right_is_right():
    eye = seen_from(np.eye(3), azimuth=0.0)  # from x: y is to the right
    middle, up, right = eye.seen(np.array([[0.0, 0, 0], [0, 0, 1], [0, 1, 0]]))
    assert up[1] < middle[1]
    assert right[0] > middle[0]


def test_the_nearest_triangle_is_seen_in_whichever_order_they_come():
    near = np.array([[0.0, 0, 1], [8, 0, 1], [0, 8, 1]])
    far = np.array([[0.0, 0, 2], [9, 0, 2], [0, 9, 2]])
    for points, first in ((np.vstack([near, far]), 0), (np.vstack([far, near]), 1)):
        of, depth = layer(points, [[0, 1, 2], [3, 4, 5]], (10, 10)).nearest(slice(0, 10))
        assert of[1, 1] == first
        assert depth[1, 1] == pytest.approx(1)
        assert of[9, 9] == NOTHING


def test_as_many_pixels_see_a_triangle_as_it_has_area():
    rng = np.random.default_rng(1)
    for _ in range(20):
        points = np.column_stack([rng.uniform(0, 200, (3, 2)), np.ones(3)])
        of, _ = layer(points, [[0, 1, 2]], (200, 200)).nearest(slice(0, 200))
        (ax, ay), (bx, by), (cx, cy) = points[:, :2]
        area = abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) / 2
        assert (of == 0).sum() == pytest.approx(area, abs=20 + 0.02 * area)


def test_between_points_values_are_those_of_the_place():
    points = np.array([[0.0, 0, 1], [10, 0, 1], [0, 20, 1], [10, 20, 1]])
    corners, of = [[1, 2, 3], [0, 1, 2]], np.array([1, 0])
    x, y = np.array([3, 9]), np.array([4, 18])
    weights = layer(points, corners, (10, 20)).weights(of, x, y)
    places = np.einsum("ki,kij->kj", weights, points[np.array(corners)[of]])
    assert_allclose(places[:, :2].T, [x + 0.5, y + 0.5], rtol=0, atol=1e-5)


def test_a_surface_is_darker_where_it_turns_away_from_the_lamp_and_from_the_camera():
    eye = seen_from(np.eye(3), azimuth=0.0)  # from x
    normals = np.array([[1.0, 0, 0], [1, 0, 1], [1, 0, -1], [0.1, 1, 0], [0.1, -1, 0]])
    front, above, below, *edges = lit(eye, np.zeros((5, 3)), normals, np.full((5, 3), 0.5))[:, 0]
    assert below < front < above
    assert max(edges) < 0.8 * front
    back = lit(eye, np.zeros((1, 3)), -normals[:1], np.full((1, 3), 0.5))[0, 0]
    assert back == pytest.approx(front, abs=1e-12)


def test_colours_and_poses_of_surfaces_are_kept():
    ball = Surface(-1, *capsule(0.5, 0.0, 12), "#ff0000")
    cube = Surface(0, *box((1, 1, 1)), "#0000ff")
    moved = np.column_stack([np.eye(3), [5.0, 0, 0]])
    both = triangles_of(Surfaces((ball, cube)), moved[None])
    blue = both.colours @ [0, 0, 1] > 0.5
    assert both.points[both.corners[blue]].reshape(-1, 3).min(axis=0)[0] == pytest.approx(4.5)
    assert_allclose(linear("#ffffff"), 1)


@pytest.fixture(scope="module")
def arm():
    return qddot.load("two_link")


def test_a_picture_shows_the_arm_where_it_is(arm, tmp_path):
    for q in ([0.0, 0.0], [np.pi / 2, 0.0]):
        plot_robot(arm, q, size=SMALL, look="front", path=tmp_path / "arm.png")
        picture = imread(tmp_path / "arm.png")[..., :3]
        assert picture.shape == (SMALL[1], SMALL[0], 3)
        there = picture.min(axis=-1) < 0.93
        assert 0.01 < there.mean() < 0.8
    upright, lying = [], []
    for q, spans in (([np.pi / 2, 0.0], upright), ([0.0, 0.0], lying)):
        figure = plot_robot(arm, q, size=SMALL, look=(0.0, 0.0))
        (image,) = figure.axes[0].images
        rows, columns = np.nonzero(np.asarray(image.get_array()).min(axis=-1) < 200)
        spans += [np.ptp(rows), np.ptp(columns)]
    assert upright != lying


def test_a_ghost_and_frames_are_drawn_and_named(arm, tmp_path):
    plain = plot_robot(arm, size=SMALL)
    more = plot_robot(arm, size=SMALL, ghost=[1.0, 1.0], frames="tool")
    (a,), (b,) = plain.axes[0].images, more.axes[0].images
    assert (np.asarray(a.get_array()) != np.asarray(b.get_array())).mean() > 0.02
    assert [text.get_text() for text in more.axes[0].texts if text.get_text()] == ["tool"]


def test_the_axes_of_a_frame_point_where_they_do(arm):
    """Of an arm in its plane, x to the right and y up: x is along its last link, y across it."""
    look = (-np.pi / 2, 0.0)
    texts = plot_robot(arm, [0.4, 0.5], look=look, frames="tool").axes[0].texts
    arrows = {
        to_hex(text.arrow_patch.get_edgecolor()): np.subtract(text.xy, text.xyann)
        for text in texts
        if not text.get_text()
    }
    x, y, z = (arrows[colour] for colour in AXES)
    along = np.array([np.cos(0.9), -np.sin(0.9)])  # pixels are counted down
    assert_allclose(x / np.linalg.norm(x), along, rtol=0, atol=0.01)
    assert_allclose(y / np.linalg.norm(y), [along[1], -along[0]], rtol=0, atol=0.01)
    assert np.linalg.norm(z) < 0.3 * np.linalg.norm(x)


def test_svg_and_pdf_hold_the_picture_without_loss_and_names_as_letters(arm, tmp_path):
    for ending in (".svg", ".pdf"):
        arm.draw(tmp_path / f"arm{ending}", size=SMALL, frames="tool")
    svg = (tmp_path / "arm.svg").read_text()
    (found,) = re.findall(r"<image [^>]*base64,([^\"]*)\"", svg)
    picture = Image.open(io.BytesIO(base64.b64decode(found))).convert("RGB")
    assert picture.size == (2 * SMALL[0], 2 * SMALL[1])
    drawn = plot_robot(arm, size=(2 * SMALL[0], 2 * SMALL[1]), frames="tool").axes[0].images[0]
    assert np.array_equal(np.asarray(picture)[::-1], drawn.get_array())
    assert "<!-- tool -->" in svg  # its outlines follow
    pdf = (tmp_path / "arm.pdf").read_bytes()
    assert pdf.startswith(b"%PDF")
    assert b"/Width 240" in pdf
    assert b"/Height 180" in pdf
    assert b"DCTDecode" not in pdf


def test_what_cannot_be_drawn_is_refused(arm, tmp_path):
    with pytest.raises(BadArgument, match=r"look is 'above'"):
        plot_robot(arm, look="above")
    with pytest.raises(BadArgument, match=r"look is \(1,\)"):
        plot_robot(arm, look=(1,))
    with pytest.raises(BadArgument, match="size"):
        plot_robot(arm, size=(10**6, 5))
    with pytest.raises(BadArgument, match="size is 5; give width and height"):
        plot_robot(arm, size=5)
    with pytest.raises(UnknownName, match="no frame named 'hand'"):
        plot_robot(arm, frames=["hand"], size=SMALL)
    with pytest.raises(WrongShape, match=r"ghost has shape \(1,\)"):
        plot_robot(arm, ghost=[1], size=SMALL)
    assert not list(tmp_path.iterdir())


def test_the_command_line_draws(tmp_path):
    words = ("draw", "two_link", "--q", "30deg,0.5", "--size", "120x90", "--ghost", "0,0")
    done = run(*words, "--frames", "tool", "--look", "-40deg,10deg", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "two_link.png"
    assert imread(tmp_path / "two_link.png").shape[:2] == (90, 120)
    bad = run("draw", "two_link", "--size", "big", cwd=tmp_path)
    assert bad.returncode == 2
    assert "not of the form 900x700" in bad.stderr
