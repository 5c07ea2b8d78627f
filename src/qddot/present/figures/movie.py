"""Films of pictures: drawn by matplotlib once, then only what moves is drawn again."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument, printable, shorten
from qddot.present.figures import style
from qddot.present.figures.scene import Scene
from qddot.progress import percent_done

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE, DPI = (6.4, 4.8), 100  # [inch]; an even number of dots, as films want
ROOM = 1.38  # width for height, inside the axes
GAP = -1  # where the pen is lifted


def write_gif(scene: Scene, path: Path, name: str) -> None:
    """Write an animated GIF that repeats."""
    from PIL import Image

    # one palette for all, so that nothing flickers
    known, nearest = palette()
    images = []
    for rgba in pictures(scene, name):
        r, g, b = (rgba[..., k].astype(np.int32) >> 3 for k in range(3))
        image = Image.frombytes("P", rgba.shape[1::-1], nearest[r, g, b].tobytes())
        image.putpalette(known)
        images.append(image)
    # a GIF counts hundredths of a second: rounded in sum, so that the film keeps time
    ends = np.round(100 * np.arange(1, len(images) + 1) / scene.fps).astype(int)
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


def write_mp4(scene: Scene, path: Path, name: str) -> None:
    """Write an MP4, drawn here and coded by ffmpeg."""
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        raise BadArgument(
            "An .mp4 needs ffmpeg, which is not on the PATH.\n"
            "  Install it (apt install ffmpeg, brew install ffmpeg, conda install ffmpeg), or "
            "write a .gif or an .html, which need nothing."
        )
    width, height = (round(inch * DPI) for inch in SIZE)
    take = f"-f rawvideo -pix_fmt rgba -s {width}x{height} -framerate {scene.fps:g} -i -".split()
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
                for rgba in pictures(scene, name):
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


def pictures(scene: Scene, name: str) -> Iterator[np.ndarray]:
    """Yield the pictures of a scene, each of shape (height, width, 4), bytes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = style.figure(*SIZE)
    figure.set_dpi(DPI)
    canvas = FigureCanvasAgg(figure)
    axes = flat_axes(figure, scene) if scene.flat else deep_axes(figure, scene)
    moving, update = actors(figure, axes, scene)
    canvas.draw()
    figure.set_layout_engine("none")  # what is drawn again must not move the rest
    background = canvas.copy_from_bbox(figure.bbox)
    with percent_done(f"drawing {printable(name)}", len(scene.t)) as advance:
        for k in range(len(scene.t)):
            update(k)
            canvas.restore_region(background)
            for artist in moving:
                figure.draw_artist(artist)
            yield np.asarray(canvas.buffer_rgba()).copy()
            advance()


def still(scene: Scene, k: int) -> Figure:
    """Return one picture of a scene as a figure."""
    figure = style.figure(*SIZE)
    axes = flat_axes(figure, scene) if scene.flat else deep_axes(figure, scene)
    moving, update = actors(figure, axes, scene)
    update(k)
    for artist in moving:
        artist.set_animated(False)
    return figure


def flat_axes(figure: Figure, scene: Scene) -> Axes:
    axes = figure.add_subplot()
    style.dress(axes)
    low, high = scene.box
    middle, (width, height) = (low + high) / 2, high - low
    # as wide for its height as the picture has room
    width, height = max(width, ROOM * height), max(height, width / ROOM)
    axes.set_xlim(middle[0] - width / 2, middle[0] + width / 2)
    axes.set_ylim(middle[1] - height / 2, middle[1] + height / 2)
    axes.set_aspect("equal", adjustable="box")
    axes.set(xlabel=f"{scene.axes[0]} [m]", ylabel=f"{scene.axes[1]} [m]")
    return axes


def deep_axes(figure: Figure, scene: Scene) -> Axes:
    axes: Any = figure.add_subplot(projection="3d")
    low, high = scene.box
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axes.set_box_aspect(high - low, zoom=0.95)
    axes.view_init(elev=22, azim=-60)
    for axis, name in zip((axes.xaxis, axes.yaxis, axes.zaxis), scene.axes, strict=True):
        axis.set_label_text(f"{name} [m]", fontsize=style.NORMAL, color=style.INK)
        axis.set_pane_color((0.97, 0.97, 0.97, 1.0))
        axis._axinfo["grid"].update(color=style.FAINT, linewidth=style.THIN)
        axis.set_major_locator(_few_ticks())
    axes.tick_params(labelsize=style.SMALL, colors=style.INK)
    return axes


def _few_ticks() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(5)


def actors(figure: Figure, axes: Any, scene: Scene) -> tuple[list[Any], Any]:
    """Return what moves, and the function that puts it where it is in the k-th picture."""

    def line(**how: Any) -> Any:
        return axes.plot(*([[]] * (2 if scene.flat else 3)), animated=True, **how)[0]

    def put(artist: Any, where: np.ndarray) -> None:
        (artist.set_data if scene.flat else artist.set_data_3d)(*where.T)

    traces = [
        line(color=style.colour(k + 4), linewidth=style.LINE) for k in range(len(scene.traces))
    ]
    links = line(
        color=style.INK, linewidth=style.LINK, solid_capstyle="round", solid_joinstyle="round"
    )
    joints = [
        line(
            color=style.colour(joint.index),
            marker="o" if joint.turns else "s",
            markersize=8,
            markeredgecolor="white",
            linestyle="none",
        )
        for joint in scene.skeleton.joints
    ]
    title = figure.suptitle("", fontsize=style.LARGE)
    style.write(title, style.label(scene.title, 60))
    clock = figure.text(0.02, 0.02, "", fontsize=style.NORMAL, color=style.INK, animated=True)
    pen = [k for route in scene.skeleton.lines for k in (*route, GAP)]

    def update(k: int) -> None:
        here = np.vstack([scene.points[k], np.full(scene.points.shape[-1], np.nan)])
        put(links, here[pen])
        for artist, joint in zip(joints, scene.skeleton.joints, strict=True):
            put(artist, here[[joint.point]])
        for artist, point in zip(traces, scene.traces.values(), strict=True):
            put(artist, scene.points[: k + 1, point])
        clock.set_text(f"t = {scene.t[k]:.2f} s")

    return [*traces, links, *joints, clock], update
