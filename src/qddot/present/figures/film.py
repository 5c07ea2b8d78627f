"""A film of a motion: .gif and .html need nothing else, .mp4 needs ffmpeg.

A page holds the skeleton as numbers, and a script that draws it. Other films are pictures, drawn by
matplotlib once; then only what moves is drawn again.
"""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument, printable, shorten
from qddot.present.figures import style
from qddot.present.figures.arm import arm_axes, box_around, draw_arm, move_arm, put
from qddot.present.figures.skeleton import Skeleton, skeleton
from qddot.present.figures.view import View, view_of
from qddot.present.pages.page import data
from qddot.progress import percent_done
from qddot.saving import ending, write_whole

ENDINGS = (".gif", ".html", ".mp4")
FASTEST_GIF = 50  # pictures per second; viewers slow down what claims to be faster
MOST_PICTURES = 20_000
SIZE, DPI = (6.4, 4.8), 100  # [inch]; an even number of dots, as films want
TEMPLATE = Path(__file__).with_name("film.html")
STEPS = 8000  # what the largest extent is divided into on a page: finer than a screen


@dataclass(frozen=True)
class Film:
    """A moving skeleton, seen: one entry per picture, and the paths of its tips."""

    title: str
    t: np.ndarray  # (f,) [s], of the motion
    points: np.ndarray  # (f, p, 2 or 3) [m], in the directions of the view
    skeleton: Skeleton
    axes: tuple[str, ...]  # what the directions are called
    fps: float  # pictures per second

    @property
    def box(self) -> np.ndarray:
        """The lower and upper corner of what is ever reached, with a margin, shape (2, d)."""
        return box_around(self.points)

    @property
    def traces(self) -> list[tuple[int, str]]:
        """The points that leave a trace, with its colour."""
        points = self.skeleton.traced.values() or self.skeleton.tips
        return [(point, style.colour(k + 4)) for k, point in enumerate(points)]


def animate(
    robot: Any,
    span: tuple[float, float],
    position: Callable[[np.ndarray], np.ndarray],
    path: str | Path,
    *,
    fps: float = 30,
    speed: float = 1.0,
    frames: Sequence[str] | str | None = None,
) -> None:
    """Write a film of a motion.

    Args:
        robot: The robot that moves.
        span: First and last instant [s].
        position: Gives q, shape (f, n), at instants, shape (f,).
        path: Where to, ending in .gif, .html or .mp4.
        fps: Pictures per second.
        speed: Seconds of the motion in a second of the film.
        frames: Names of frames that leave a trace; by default the tips of the arm.
    """
    kind = ending(path, "A film", ENDINGS)
    t = instants(*span, fps, speed)
    if kind == ".gif" and fps > FASTEST_GIF:
        raise BadArgument(
            f"fps is {fps:g}; a .gif shows at most {FASTEST_GIF} pictures a second. "
            "Use .html or .mp4 for more."
        )
    traced = [frames] if isinstance(frames, str) else list(frames or ())
    film = film_of(
        robot.name, skeleton(robot.tree, traced), view_of(robot.tree), t, position(t), fps=fps
    )
    if kind == ".html":
        write_whole(path, page_of(film, speed))
        return
    write = write_gif if kind == ".gif" else write_mp4
    write_whole(path, lambda beside: write(film, beside, Path(path).name))


def instants(start: float, end: float, fps: float, speed: float) -> np.ndarray:
    """Return the instants [s] of a motion that a film shows, the first and the last included."""
    for name, value in (("fps", fps), ("speed", speed)):
        if not (isinstance(value, (int, float, np.number)) and np.isfinite(value) and value > 0):
            raise BadArgument(f"{name} is {value!r}; it must be a number above zero.")
    pictures = (end - start) * fps / speed
    if pictures > MOST_PICTURES:
        raise BadArgument(
            f"The film would have {pictures:.0f} pictures; at most {MOST_PICTURES} are drawn.\n"
            f"  Play it faster (speed={np.ceil(speed * pictures / MOST_PICTURES):g}) or give a "
            "lower fps."
        )
    count = int(np.ceil(pictures - 1e-9)) + 1
    return np.minimum(start + np.arange(count) * (speed / fps), end)


def film_of(
    title: str, bones: Skeleton, view: View, t: np.ndarray, q: np.ndarray, *, fps: float
) -> Film:
    """Return the film of a motion: t of shape (f,), q of shape (f, n)."""
    if not bones.joints:
        raise BadArgument("There is nothing to show: the robot has no joint that moves.")
    points = view.seen(bones.points(q))
    whole = np.isfinite(points).all(axis=(1, 2))
    # a motion that ran away is shown until it did
    count = len(t) if whole.all() else int(whole.argmin())
    if not count:
        raise BadArgument("There is nothing to show: the positions are not finite from the start.")
    return Film(title, t[:count], points[:count], bones, view.names, float(fps))


def page_of(film: Film, speed: float) -> str:
    """Return the film as one page that asks for nothing."""
    low, high = film.box
    size = float((high - low).max())
    whole = np.round((film.points - low) / size * STEPS).astype(int).reshape(len(film.t), -1)
    scene = {
        "low": [float(f"{x:.6g}") for x in low],
        "high": [float(f"{x:.6g}") for x in high],
        "step": size / STEPS,
        "start": float(film.t[0]),
        "end": float(film.t[-1]),
        "fps": film.fps,
        "speed": float(speed),
        "axes": film.axes,
        "lines": film.skeleton.lines,
        "thin": film.skeleton.thin,
        "joints": [
            [joint.point, style.colour(joint.index), int(joint.turns), style.label(joint.name)]
            for joint in film.skeleton.joints
        ],
        "traces": film.traces,
        "first": whole[0].tolist(),
        # differences from picture to picture are short numbers
        "moves": np.diff(whole, axis=0).tolist(),
    }
    parts = {"title": html.escape(style.label(film.title, 60)), "scene": data("scene", scene)}
    # in one pass, since a name may hold such a mark too
    return re.sub(r"\{(title|scene)\}", lambda m: parts[m[1]], TEMPLATE.read_text(encoding="utf-8"))


if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_gif(film: Film, path: Path, name: str) -> None:
    """Write an animated GIF that repeats."""
    from PIL import Image

    # one palette for all, so that nothing flickers
    known, nearest = palette()
    images = []
    for rgba in pictures(film, name):
        r, g, b = (rgba[..., k].astype(np.int32) >> 3 for k in range(3))
        image = Image.frombytes("P", rgba.shape[1::-1], nearest[r, g, b].tobytes())
        image.putpalette(known)
        images.append(image)
    # a GIF counts hundredths of a second: rounded in sum, so that the film keeps time
    ends = np.round(100 * np.arange(1, len(images) + 1) / film.fps).astype(int)
    lengths = np.maximum(np.diff(ends, prepend=0), 2)
    images[0].save(
        path,
        format="GIF",
        save_all=True,
        append_images=images[1:],
        duration=[10 * int(k) for k in lengths],
        loop=0,
        disposal=1,
    )


def palette() -> tuple[list[int], np.ndarray]:
    """Return every colour of a picture with its shades to white, and which is nearest to any.

    The colours are red, green, blue, red, ...; the nearest is found by five bits of each.
    """
    from matplotlib.colors import to_rgb

    shades = [(colour, 22) for colour in style.COLOURS] + [(style.INK, 30), ("#000000", 30)]
    found = [
        1 + (np.array(to_rgb(colour)) - 1) * k / (count - 1)
        for colour, count in shades
        for k in range(count)
    ]
    known = np.unique(np.round(255 * np.array(found)).astype(int), axis=0)
    steps = np.arange(32) / 31 * 255
    cube = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1)
    square = (known**2).sum(axis=1) - 2 * cube @ known.T
    return known.reshape(-1).tolist(), square.argmin(axis=-1).astype(np.uint8)


def write_mp4(film: Film, path: Path, name: str) -> None:
    """Write an MP4, drawn here and coded by ffmpeg."""
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        raise BadArgument(
            "An .mp4 needs ffmpeg, which is not on the PATH.\n"
            "  Install it (apt install ffmpeg, brew install ffmpeg, conda install ffmpeg), or "
            "write a .gif or an .html, which need nothing."
        )
    width, height = (round(inch * DPI) for inch in SIZE)
    take = f"-f rawvideo -pix_fmt rgba -s {width}x{height} -framerate {film.fps:g} -i -".split()
    make = ["-an", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"]
    with tempfile.TemporaryFile() as words:
        with subprocess.Popen(
            [ffmpeg, "-y", "-loglevel", "error", *take, *make, str(path.absolute())],
            stdin=subprocess.PIPE,
            stdout=words,
            stderr=words,
        ) as coder:
            assert coder.stdin is not None
            try:
                for rgba in pictures(film, name):
                    coder.stdin.write(rgba.tobytes())
                coder.stdin.close()
            except BrokenPipeError:  # its own words, below, say why
                pass
            except BaseException:
                coder.kill()
                raise
        words.seek(0)
        said = words.read().decode(errors="replace").strip()
    if coder.returncode:
        raise BadArgument(
            f"ffmpeg failed: {shorten(printable(said), 400) or 'it did not say why'}.\n"
            "  Write a .gif or an .html instead, which need nothing."
        )


def pictures(film: Film, name: str) -> Iterator[np.ndarray]:
    """Yield the pictures of a film, each of shape (height, width, 4), bytes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = style.figure(*SIZE)
    figure.set_dpi(DPI)
    canvas = FigureCanvasAgg(figure)
    moving, update = actors(figure, film)
    canvas.draw()
    figure.set_layout_engine("none")  # what is drawn again must not move the rest
    background = canvas.copy_from_bbox(figure.bbox)
    with percent_done(f"drawing {printable(name)}", len(film.t)) as advance:
        for k in range(len(film.t)):
            update(k)
            canvas.restore_region(background)
            for artist in moving:
                figure.draw_artist(artist)
            yield np.asarray(canvas.buffer_rgba()).copy()
            advance()


def actors(figure: Figure, film: Film) -> tuple[list[Any], Callable[[int], None]]:
    """Return what moves, and the function that puts it where it is in the k-th picture."""
    axes = arm_axes(figure, film.box, film.axes)
    traces = [
        axes.plot(*film.points[0, [point]].T, color=colour, linewidth=style.LINE)[0]
        for point, colour in film.traces
    ]
    arm = draw_arm(axes, film.skeleton, film.points[0], strength=1.0)
    style.write(figure.suptitle("", fontsize=style.LARGE), style.label(film.title, 60))
    clock = figure.text(0.02, 0.02, "", fontsize=style.NORMAL, color=style.INK)
    moving = [*traces, *arm, clock]
    for artist in moving:
        artist.set_animated(True)

    def update(k: int) -> None:
        move_arm(arm, film.skeleton, film.points[k])
        for artist, (point, _) in zip(traces, film.traces, strict=True):
            put(artist, film.points[: k + 1, point])
        clock.set_text(f"t = {film.t[k]:.2f} s")

    return moving, update
