"""A film as one web page that asks for nothing: the skeleton as numbers, and a script."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import numpy as np

from qddot.present.figures import style
from qddot.present.figures.scene import Scene

TEMPLATE = Path(__file__).with_name("film.html")
STEPS = 8000  # what the largest extent is divided into: finer than a screen


def write_html(scene: Scene, speed: float, path: Path) -> None:
    """Write the page."""
    parts = {
        "{title}": html.escape(style.label(scene.title, 60)),
        "{scene}": encoded(scene, speed),
    }
    # in one pass, since a name may hold such a mark too
    page = re.sub(r"\{(title|scene)\}", lambda m: parts[m[0]], TEMPLATE.read_text(encoding="utf-8"))
    path.write_text(page, encoding="utf-8")


def encoded(scene: Scene, speed: float) -> str:
    """Return the scene as JSON that may stand inside a page: no "<", so no end of a script."""
    low, high = scene.box
    size = float((high - low).max())
    whole = np.round((scene.points - low) / size * STEPS).astype(int).reshape(len(scene.t), -1)
    data = {
        "low": [float(f"{x:.6g}") for x in low],
        "high": [float(f"{x:.6g}") for x in high],
        "step": size / STEPS,
        "start": float(scene.t[0]),
        "end": float(scene.t[-1]),
        "fps": scene.fps,
        "speed": float(speed),
        "axes": scene.axes,
        "lines": scene.skeleton.lines,
        "joints": [
            [joint.point, style.colour(joint.index), int(joint.turns), style.label(joint.name)]
            for joint in scene.skeleton.joints
        ],
        "traces": [[point, style.colour(k + 4)] for k, point in enumerate(scene.traces.values())],
        "first": whole[0].tolist(),
        # differences from picture to picture are short numbers
        "moves": np.diff(whole, axis=0).tolist(),
    }
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("&", "\\u0026")
