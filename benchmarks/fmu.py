"""How long does a communication step of an exported FMU take?"""

from __future__ import annotations

import ctypes
import platform
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

from robots import NAMES, robot_named
from table import Row, within
from timing import Contender, Effort, one_core, race, say

import qddot

STEP, STEPS, MOST = 1e-3, 200, 10e-6  # [s]


def rows(effort: Effort) -> list[Row]:
    """Return, per robot, the time of a millisecond of its fall, and of one with dry friction."""
    here = sys.platform.startswith("linux") and platform.machine() == "x86_64"
    if not shutil.which("gcc") or not here:
        say("gcc and Linux on x86-64 are not both here: FMUs were not timed")
        return []
    found = []
    with one_core(), tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            for what, robot in (
                ("falls", robot_named(name)),
                ("with dry friction", robot_named(name).with_friction(coulomb=0.5)),
            ):
                say(f"fmu: {name}, {what} ...")
                place = Path(folder) / f"{name}_{len(what)}"
                call = fall(qddot.export(robot, place, target="fmu").files[0], place)
                (seconds,) = race([Contender(call, (), STEPS)], effort.seconds)
                words = f"{name}: a step of 1 ms of its FMU, {what}"
                found.append(within(words, seconds, MOST))
    return found


def fall(file: Path, place: Path) -> Callable[[], None]:
    """Return a function that lets the arm of an FMU fall, step by step, from its start."""
    with zipfile.ZipFile(file) as archive:
        archive.extractall(place / "inside")
    (library,) = (place / "inside" / "binaries" / "linux64").iterdir()
    unit = ctypes.CDLL(str(library))
    root = ElementTree.parse(place / "inside" / "modelDescription.xml").getroot()
    unit.fmi2Instantiate.restype = ctypes.c_void_p
    token = root.attrib["guid"].encode()
    it = ctypes.c_void_p(unit.fmi2Instantiate(b"it", 1, token, b"", None, 0, 0))
    step, h = unit.fmi2DoStep, ctypes.c_double(STEP)
    times = [ctypes.c_double(k * STEP) for k in range(STEPS)]

    def call() -> None:
        unit.fmi2Reset(it)
        for t in times:
            assert not step(it, t, h, 0)

    return call
