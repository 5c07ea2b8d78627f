"""Pages on which an arm moves: a film of a motion, or sliders; one file that asks for nothing.

What stands still is written once, positions are numbers; the poses are computed in the reader's
browser by this robot's own kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from qddot.backends.javascript import javascript
from qddot.present.figures import style
from qddot.present.figures.arm_scene import EFFECTIVE, FLAT, PULL, ArmScene, pale, plain
from qddot.present.figures.ellipses import LONGEST
from qddot.present.pages.page import data, document, file, text

SPEEDS = {"0.25": "¼ ×", "0.5": "½ ×", "1": "1 ×", "2": "2 ×", "4": "4 ×"}
STYLE = """
:root { color-scheme: light dark; }
body { margin: 0; font: 15px/1.4 system-ui, sans-serif; display: flex; flex-direction: column;
  height: 100vh; color: light-dark(#1c2128, #e8ebef); background: light-dark(#fff, #14171b); }
h1 { font-size: 16px; margin: 8px 14px; }
canvas { flex: 1; min-height: 0; width: 100%; touch-action: none; display: block; }
canvas:focus-visible { outline: 2px solid #0072B2; outline-offset: -2px; }
form { display: flex; gap: 12px; align-items: center; padding: 8px 14px; }
.sliders { display: grid; grid-template-columns: repeat(auto-fill, minmax(300px, 1fr));
  gap: 2px 22px; max-height: 42vh; overflow: auto; }
.sliders label { display: flex; gap: 8px; align-items: center; }
.sliders .name { width: 9em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
button { min-width: 76px; padding: 4px 0; font: inherit; }
select { font: inherit; }
input[type=range] { flex: 1; min-width: 60px; accent-color: #0072B2; }
output { min-width: 76px; text-align: right; font-variant-numeric: tabular-nums; }
"""


def film_page(
    title: str, scene: ArmScene, q: np.ndarray, still: Mapping[str, Any], **film: Any
) -> str:
    """Return the page of a motion, to play, to pause and to turn.

    The positions q have a row per picture, shape (f, nq). `still` replaces parts of
    `scene.still()`. The film has `start` and `end` [s], `fps`, `speed`, and `traces`: points with
    their colours.
    """
    rows = [[float(f"{x:.6g}") for x in row] for row in q]
    options = "".join(
        f'<option value="{times}"{" selected" if times == "1" else ""}>{words}</option>'
        for times, words in SPEEDS.items()
    )
    controls = (
        '<form><button type="button" id="play" aria-label="play or pause">Play</button>'
        '<input type="range" id="time" min="0" value="0" step="1" aria-label="time">'
        '<output id="clock"></output>'
        f'<select id="rate" aria-label="speed">{options}</select></form>'
    )
    facts = scene_facts(scene)
    facts["still"] = {**facts["still"], **still}
    held = {"scene": facts, "film": film | {"q": rows}}
    return _document(title, controls, _functions(scene), held, head=f"<h1>{text(title)}</h1>")


def slider_page(title: str, scene: ArmScene, q: np.ndarray) -> str:
    """Return the page of a robot at q, shape (n,), with a slider for each joint."""
    robot, rows = scene.robot, []
    low, high = robot.limits.span()
    for i, joint in enumerate(robot.model.free_joints):
        name, unit = text(joint.name), text(joint.units.position)
        least, most = float(low[i]), float(high[i])
        start = min(max(float(q[i]), least), most)
        rows.append(
            f'<label><span class="name" title="{name}">q{i + 1} {name}</span>'
            f'<input type="range" data-index="{i}" data-unit="{unit}" min="{least!r}" '
            f'max="{most!r}" step="any" value="{start!r}"><output></output></label>'
        )
    form = f'<form class="sliders">{"".join(rows)}</form>'
    return _document(title, form, _functions(scene), {"scene": scene_facts(scene)})


def still_page(title: str, scene: Mapping[str, Any]) -> str:
    """Return the page of a scene that does not move, to turn and to look at."""
    return _document(title, "", {}, {"shown": scene})


def scene_facts(scene: ArmScene) -> dict[str, Any]:
    """Return what of a scene is the same at every q."""
    return {
        "still": scene.still(),
        "lines": [list(line) for line in scene.skeleton.lines],
        "thin": [list(line) for line in scene.skeleton.thin],
        "joints": [
            {
                "point": joint.point,
                "index": joint.index,
                "turns": joint.turns,
                "effort": scene.robot.model.joint(joint.name).units.effort,
                "colour": style.colour(joint.index),
                "pale": pale(style.colour(joint.index)),
                "label": f"q{joint.index + 1}",
            }
            for joint in scene.skeleton.joints
        ],
        "axes": plain(scene.axes),
        "centres": plain(scene.centres),
        "halves": plain(scene.halves),
        "heaviest": [float(x) for x in scene.heaviest],
        "massScale": scene.reach_of_mass,
        "thinnest": FLAT * scene.size,
        "longest": LONGEST * scene.size,
        "effective": EFFECTIVE,
        "pull": PULL,
    }


def kernels_script(functions: Mapping[str, str]) -> str:
    """Return the script that defines KERNELS: JavaScript functions by their names."""
    written = ",\n".join(f"{name}: {source}" for name, source in functions.items())
    return f"const KERNELS = {{\n{written}\n}};\n"


def frame_of(document: str, height: int, label: str) -> str:
    """Return a page as an element of another one, such as a notebook's cell.

    It may run its own scripts and nothing else: no request leaves it, and it reaches nothing of the
    page around it.
    """
    return (
        f'<iframe title="{text(label)}" sandbox="allow-scripts" loading="lazy" '
        f'style="width:100%;height:{height}px;border:0;border-radius:6px" '
        f'srcdoc="{escape(document)}"></iframe>'
    )


# inside


def _functions(scene: ArmScene) -> dict[str, str]:
    return {
        "points": javascript(scene.skeleton.kernel.program),
        "poses": javascript(scene.poses.program),
    }


def _document(
    title: str, controls: str, functions: Mapping[str, str], held: Mapping[str, Any], head: str = ""
) -> str:
    scripts: Sequence[str] = (
        file("arm_view.js"),
        kernels_script(functions),
        f'"use strict";\n(() => {{\n{file("arm_at.js")}\n{file("moving_arm.js")}\n}})();\n',
    )
    label = f"{title} in three dimensions; drag or use the arrow keys to look at it from elsewhere"
    canvas = f'<canvas role="img" tabindex="0" aria-label="{text(label)}"></canvas>{controls}'
    return document(title, STYLE, head, canvas, data("arm", held), scripts=scripts)
