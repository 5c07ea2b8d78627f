"""A film of a motion: .gif and .html need nothing else, .mp4 needs ffmpeg.

A page holds positions as numbers, the robot's surfaces and a script that draws them. Other films
are pictures of the same surfaces, drawn here.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from qddot.errors import BadArgument, printable, shorten
from qddot.present.figures import style
from qddot.present.figures.arm_scene import ArmScene, bare_scene
from qddot.present.figures.eye import Eye, eye_on
from qddot.present.figures.renderer import FINE, render, triangles_of
from qddot.present.figures.skeleton import skeleton
from qddot.present.figures.view import FILLED, across, all_in_view, plain
from qddot.progress import percent_done
from qddot.saving import ending, write_whole

ENDINGS = (".gif", ".html", ".mp4")
FASTEST_GIF = 50  # pictures per second; viewers slow down what claims to be faster
MOST_PICTURES = 20_000
SIZE = (640, 480)  # [px]; even numbers, as films want
TRIANGLES = {"page": 16_000, "pictures": 14_000}  # of the robot's surfaces, at most
ROOM = 0.07  # round everything that is ever reached, in parts of its size
LETTERS = 15  # [px]
GRID = 0.82  # how bright lines on the floor are
SHORT = 300  # pictures


@dataclass(frozen=True)
class Film:
    """A motion, a row per picture, and what must be in view."""

    title: str
    t: np.ndarray  # (f,) [s], of the motion
    q: np.ndarray  # (f, nq)
    points: np.ndarray  # (f, p, 3) [m], of the skeleton
    scene: ArmScene
    fps: float  # pictures per second
    speed: float  # seconds of the motion in a second of the film

    @property
    def traces(self) -> list[tuple[int, str]]:
        """The points that leave a trace, with its colour."""
        points = self.scene.skeleton.traced.values() or self.scene.skeleton.tips
        return [(point, style.colour(k + 4)) for k, point in enumerate(points)]

    @property
    def still(self) -> dict[str, Any]:
        """What stands still, where it differs from the robot's: the box of all that is reached."""
        stage, room = self.scene.stage, ROOM * self.scene.size
        seen = np.concatenate([self.points.reshape(-1, 3), np.zeros((1, 3))])
        lowest = float((seen @ np.array(stage["up"], dtype=float)).min())
        floor = stage["floor"] if lowest > stage["floor"] - room / 2 else lowest - room
        box = np.array([seen.min(axis=0) - room, seen.max(axis=0) + room])
        return {"box": plain(all_in_view(box)), "floor": round(float(floor), 5)}


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
    """Write a film of a motion to a file that ends in .gif, .html or .mp4.

    The span is its first and last instant [s]; `position` gives q, shape (f, n), at instants, shape
    (f,). There are `fps` pictures per second, and `speed` seconds of the motion in a second of the
    film. The frames named leave a trace; by default these are the tips of the arm.
    """
    kind = ending(path, "A film", ENDINGS)
    t = instants(*span, fps, speed)
    if kind == ".gif" and fps > FASTEST_GIF:
        raise BadArgument(
            f"fps is {fps:g}; a .gif shows at most {FASTEST_GIF} pictures a second. "
            "Use .html or .mp4 for more."
        )
    name = "page" if kind == ".html" else "pictures"
    film = film_of(robot, t, position(t), frames, TRIANGLES[name], fps=fps, speed=speed)
    if kind == ".html":
        write_whole(path, page_of(film))
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
    robot: Any,
    t: np.ndarray,
    q: np.ndarray,
    frames: Sequence[str] | str | None = None,
    triangles: int = TRIANGLES["page"],
    *,
    fps: float,
    speed: float,
) -> Film:
    """Return the film of a motion: t of shape (f,), q of shape (f, nq)."""
    if not robot.tree.bodies:
        raise BadArgument("There is nothing to show: the robot has no joint that moves.")
    traced = [frames] if isinstance(frames, str) else list(frames or ())
    bones = skeleton(robot.tree, traced)
    # a short film is soon computed, and nothing need be compiled
    with np.errstate(invalid="ignore"):
        points = bones.points(q) if len(q) > SHORT else np.array([bones.points(row) for row in q])
    whole = np.isfinite(points).all(axis=(1, 2))
    # a motion that ran away is shown until it did
    count = len(t) if whole.all() else int(whole.argmin())
    if not count:
        raise BadArgument("There is nothing to show: the positions are not finite from the start.")
    rows = t[:count], q[:count], points[:count]
    scene = bare_scene(robot, bones, rows[2], triangles)
    return Film(style.label(robot.name, 60), *rows, scene, float(fps), float(speed))


def page_of(film: Film) -> str:
    """Return the film as one page that asks for nothing."""
    from qddot.present.pages.moving_arm import film_page

    how = {"fps": film.fps, "speed": film.speed, "traces": film.traces}
    how |= {"start": float(film.t[0]), "end": float(film.t[-1])}
    return film_page(film.title, film.scene, film.q, film.still, **how)


def write_gif(film: Film, path: Path, name: str) -> None:
    """Write an animated GIF that repeats."""
    images = [image.convert("RGB") for image in pictures(film, name)]
    known = palette(images)
    images = [image.quantize(palette=known, dither=0) for image in images]
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


def palette(images: Sequence[Any]) -> Any:
    """Return one palette for all pictures, so that nothing flickers; white stays white."""
    from PIL import Image

    some = images[:: max(len(images) // 4, 1)]
    wide, high = some[0].size
    sheet = Image.new("RGB", (wide, high * len(some)))
    for k, image in enumerate(some):
        sheet.paste(image, (0, k * high))
    known = sheet.quantize(colors=255)
    colours = np.array(known.getpalette()).reshape(-1, 3)
    colours[colours.min(axis=1) > 247] = 255  # those that are nearly white are taken for it
    known.putpalette(colours.reshape(-1).tolist())
    return known


def write_mp4(film: Film, path: Path, name: str) -> None:
    """Write an MP4, drawn here and coded by ffmpeg."""
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        raise BadArgument(
            "An .mp4 needs ffmpeg, which is not on the PATH.\n"
            "  Install it (apt install ffmpeg, brew install ffmpeg, conda install ffmpeg), or "
            "write a .gif or an .html, which need nothing."
        )
    width, height = SIZE
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
                for image in pictures(film, name):
                    coder.stdin.write(image.tobytes())
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


def pictures(film: Film, name: str) -> Iterator[Any]:
    """Yield the pictures of a film, each a PIL image with red, green, blue and opacity."""
    from matplotlib.font_manager import findfont
    from PIL import Image, ImageDraw, ImageFont

    scene, still = film.scene, film.still
    up, box = np.array(scene.stage["up"], dtype=float), np.array(still["box"])
    corners = FILLED * (np.array(np.meshgrid(*box.T)).reshape(3, -1).T - box.mean(axis=0))
    corners = corners + box.mean(axis=0)
    eye = eye_on(up, corners, SIZE, scene.stage["look"])
    reach = float(np.linalg.norm(box[1] - box[0]))
    background = floor_lines(eye, still["floor"], box.mean(axis=0), reach)
    letters = ImageFont.truetype(findfont("DejaVu Sans"), LETTERS)
    poses = scene.poses(film.q)
    seen = {point: eye.seen(film.points[:, point])[:, :2] for point, _ in film.traces}
    with percent_done(f"drawing {printable(name)}", len(film.t)) as advance:
        for k in range(len(film.t)):
            robot = triangles_of(scene.surfaces, poses[k])
            image = Image.fromarray(render(eye, robot, background=background))
            pen = ImageDraw.Draw(image)
            for point, colour in film.traces if k else ():
                way = [(float(x), float(y)) for x, y in seen[point][: k + 1]]
                pen.line(way, fill=colour, width=2, joint="curve")
            pen.text((12, 8), film.title, fill=style.INK, font=letters)
            pen.text((12, SIZE[1] - 26), f"t = {film.t[k]:.2f} s", fill=style.INK, font=letters)
            yield image.convert("RGBA")
            advance()


def floor_lines(eye: Eye, floor: float, middle: np.ndarray, reach: float) -> np.ndarray:
    """Return a white background with lines on the floor, (FINE height, FINE width, 1).

    The lines at this height [m] are strongest in the middle (3,) [m], and go as far as the reach
    [m].
    """
    fine, up = eye.scaled(FINE), eye.up
    wide, high = fine.size
    y, x = np.mgrid[:high, :wide] + 0.5
    rays = fine.ahead + ((x - wide / 2) / fine.focal)[..., None] * fine.right
    rays = rays - ((y - high / 2) / fine.focal)[..., None] * fine.over
    down, above = -(rays @ up), float(fine.at @ up) - floor
    hit = (down > 1e-6) & (above > 0)
    away = fine.at - middle + np.where(hit, above / np.where(hit, down, 1), 0)[..., None] * rays
    step, dense = _nice(reach / 7), np.zeros(hit.shape)
    first = across(up)
    for axis in (first, np.cross(up, first)):
        place = (away + middle) @ axis / step  # whole numbers are on a line
        width = np.abs(np.gradient(place, axis=0)) + np.abs(np.gradient(place, axis=1))
        width = np.maximum(width, 1e-9)
        line = np.clip(1.3 - np.abs(place - np.rint(place)) / width, 0, 1)
        dense = np.maximum(dense, line * np.clip(0.25 / width, 0, 1))
    far = np.linalg.norm(away - (away @ up)[..., None] * up, axis=-1)
    dense *= np.clip(1 - (far / reach) ** 2, 0, 1) * hit
    return (1 - (1 - GRID) * dense)[..., None].astype(np.float32)


def _nice(x: float) -> float:
    """Return the largest of 1, 2, 5, 10, ... that is not above x."""
    ten = 10.0 ** np.floor(np.log10(x))
    return float(ten * max(k for k in (1, 2, 5) if k * ten <= x * 1.000001))
