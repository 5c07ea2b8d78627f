"""A bundle: one zip file with programs, kernels, recorded values and what plays them.

Another machine needs Python and NumPy to use it, and CuPy to use it on a GPU; not qddot.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from qddot.backends.cuda_prelude import Real
from qddot.backends.cuda_source import THREADS, kernel, source
from qddot.backends.kernel import Kernel
from qddot.errors import BadArgument, BadFile
from qddot.exporting.functions import ExportedFunction, identifier
from qddot.exporting.player import FORMAT
from qddot.program.blocks import inlined
from qddot.program.program import Program
from qddot.robot import Robot

PLAYER = Path(__file__).with_name("player.py")
RECORDED = 4  # states
LARGEST = 64 << 20  # [bytes] of what a bundle holds
MAIN = "import sys\nimport {name}\n\nsys.exit({name}.check() != 0)\n"
# what reading a damaged file can raise: of its parts, its text, its compression
BROKEN = (OSError, ValueError, KeyError, EOFError, RuntimeError, zlib.error)
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # so that the same robot gives the same bytes


def bundle_files(
    robot: Robot, functions: Sequence[ExportedFunction], single: bool
) -> dict[str, str | bytes]:
    """Return the one file by its name."""
    if single:
        raise BadArgument("A bundle is in float64: leave out dtype='float32'.")
    name = f"{identifier(robot.name, 'robot')}_bundle"
    content = {
        "format": FORMAT,
        "about": about(robot),
        "functions": {f.name: described(f) for f in functions},
    }
    texts = {
        "__main__.py": MAIN.format(name=name),
        f"{name}/__init__.py": PLAYER.read_text(encoding="utf-8"),
        f"{name}/content.json": json.dumps(content, separators=(",", ":"), allow_nan=False),
    }
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in texts.items():
            archive.writestr(zipfile.ZipInfo(path, LONG_AGO), text, zipfile.ZIP_DEFLATED)
    return {f"{name}.zip": whole.getvalue()}


def about(robot: Robot) -> dict[str, Any]:
    """Return what a robot is, in plain data."""
    model = robot.model
    return {
        "made_by": f"qddot {version('qddot')}",
        "robot": robot.name,
        "description": model.description,
        "joints": list(robot.joint_names),
        **({} if robot.nq == robot.n else {"positions": list(model.position_names)}),
        "frames": list(robot.frame_names),
        "gravity": [float(x) for x in model.gravity],
    }


def described(function: ExportedFunction) -> dict[str, Any]:
    """Return a function with its kernel and what it gives for a few states."""
    program, real = function.program, Real()
    text = kernel(program, "run", real)
    given, right = function.examples(RECORDED)
    return {
        "words": function.words,
        "program": json.loads(inlined(program).to_json()),
        "cuda": {
            "name": "run",
            "source": source([text], real),
            "threads": THREADS,
            "parts": text.parts,
            "shared": text.shared(real),
        },
        "record": {
            "given": [_rows(x) for x in given],
            "right": [_rows(x) for x in right],
        },
    }


def _rows(array: np.ndarray) -> list[Any]:
    """Return one row per state; JSON has no word for NaN and ∞, so they are written as text."""
    rows = array.reshape(RECORDED, array.size // RECORDED)
    return [[x if math.isfinite(x) else str(x) for x in row] for row in rows.tolist()]


def load_bundle(path: str | Path) -> Mapping[str, Kernel]:
    """Return the functions of a bundle, compiled here.

    Example:
        panda = qddot.load_bundle("panda_bundle.zip")
        panda["inverse_dynamics"](q, qd, qdd)
    """
    again = "Export it again: qddot export ROBOT --target bundle -o FOLDER."
    try:
        with zipfile.ZipFile(path) as archive:
            (inside,) = [x for x in archive.infolist() if x.filename.endswith("/content.json")]
            if inside.file_size > LARGEST:
                raise BadFile(path, "it holds more than a bundle can", again)
            data = json.loads(archive.read(inside))
    except FileNotFoundError:
        raise BadFile(path, "it does not exist", "Check the name.") from None
    except (*BROKEN, zipfile.BadZipFile) as error:
        if isinstance(error, BadFile):
            raise
        raise BadFile(path, "it is not a bundle", again) from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        found = data.get("format") if isinstance(data, dict) else None
        why = f"it is a bundle of format {found}, and this qddot reads {FORMAT}"
        raise BadFile(path, why, again)
    try:
        programs = {name: json.dumps(f["program"]) for name, f in data["functions"].items()}
    except (KeyError, TypeError, AttributeError):
        raise BadFile(path, "it is not a bundle", again) from None
    return {name: Kernel(Program.from_json(text, path)) for name, text in programs.items()}
