"""Films of pictures: drawn by matplotlib once, then only what moves is drawn again."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import BadArgument, printable, shorten
from qddot.present.figures import style
from qddot.present.figures.arm import arm_axes, draw_arm, move_arm, put
from qddot.present.figures.film import Film
from qddot.progress import percent_done

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZE, DPI = (6.4, 4.8), 100  # [inch]; an even number of dots, as films want


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
