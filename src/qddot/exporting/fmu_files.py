"""FMUs: the motion of a robot for co-simulation and model exchange, by FMI 2.0 and by FMI 3.0.

An FMU is a zip file with a description of its variables, the sources and, where there is a C
compiler, a library for this kind of machine. `fmu/` has what is the same for all robots: contact.c
and arm.c move the arm over sticking, slipping and stops as `simulation` does, fmi2.c and fmi3.c are
what other tools call.
"""

from __future__ import annotations

import hashlib
import io
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from qddot.errors import BadArgument
from qddot.exporting.fmu_description import VERSIONS, build_description, description
from qddot.exporting.fmu_model import FmuModel
from qddot.exporting.functions import identifier
from qddot.robot import Robot

FOLDER = Path(__file__).with_name("fmu")
COMMON = ("arm.c", "contact.c", "variables.c", "model.c")
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # so that the same robot gives the same bytes
FLAGS = ("-std=gnu99", "-O2", "-fPIC", "-fvisibility=hidden")
MACHINES = {"x86_64": "x86_64", "AMD64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}


def fmu_files(
    robot: Robot, functions: Iterable[Any], single: bool, versions: Sequence[str] = tuple(VERSIONS)
) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the files by their names, FMI 2.0 first, and what they could not hold."""
    if single:
        raise BadArgument("An FMU is in float64: leave out dtype='float32'.")
    if not isinstance(functions, tuple) or functions:
        raise BadArgument(
            "An FMU is the motion of a robot, and takes no functions or laws: leave them out.\n"
            "  For these, take target='c' or target='cpp'."
        )
    model, stem = FmuModel(robot), identifier(robot.name, "robot")
    texts = {name: (FOLDER / name).read_text(encoding="utf-8") for name in TEMPLATES}
    texts["model.c"] = model.source()
    whole = "\n".join([robot.name, *robot.joint_names, *texts.values()])
    digest = hashlib.sha256(whole.encode()).hexdigest()
    token = (
        "{" + "-".join([digest[:8], *(digest[k : k + 4] for k in (8, 12, 16)), digest[20:32]]) + "}"
    )
    texts["model.h"] = model.header(token)
    libraries, missing = compiled(texts)
    files = {}
    for version in versions:
        fmi = VERSIONS[version]
        own = [*COMMON, fmi.source]
        parts: dict[str, bytes] = {
            "modelDescription.xml": description(model, stem, token, own, version),
            **{f"sources/{name}": texts[name].encode() for name in (*own, *HEADERS)},
        }
        if version == "3.0":
            parts["sources/buildDescription.xml"] = build_description(stem, own)
        if version in libraries:
            parts[f"binaries/{fmi.platform(_machine())}/{stem}.so"] = libraries[version]
        files[f"{stem}_fmi{version[0]}.fmu"] = zipped(parts)
    return files, (*model.lost, *missing)


fmu2_files = partial(fmu_files, versions=("2.0",))
fmu3_files = partial(fmu_files, versions=("3.0",))

HEADERS = ("arm.h", "fmi.h", "model.h")
TEMPLATES = ("arm.h", "fmi.h", "arm.c", "contact.c", "variables.c", "fmi2.c", "fmi3.c")


def _machine() -> str:
    return MACHINES.get(platform.machine(), "")


def compiled(texts: Mapping[str, str]) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return a library per version of FMI, and why there is none."""
    compiler = next((c for c in ("gcc", "clang", "cc") if shutil.which(c)), None)
    if compiler is None or not sys.platform.startswith("linux") or not _machine():
        return {}, (
            "there is no library inside, because there is no C compiler for Linux here: tools that "
            "cannot compile its sources cannot run it",
        )
    found, missing = {}, []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in texts.items():
            (folder / file).write_text(text, encoding="utf-8")
        run = [compiler, *FLAGS, "-c", *COMMON]
        _called(run, folder)
        objects = [file.replace(".c", ".o") for file in COMMON]
        for version, fmi in VERSIONS.items():
            if not fmi.platform(_machine()):
                missing.append(f"FMI {version} has no name for this machine: no library is inside")
                continue
            _called(
                [compiler, *FLAGS, "-shared", "-s", "-o", "it.so", fmi.source, *objects, "-lm"],
                folder,
            )
            found[version] = (folder / "it.so").read_bytes()
    return found, tuple(missing)


def _called(command: Sequence[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        first = (done.stderr.strip().splitlines() or ["it said nothing"])[0]
        raise BadArgument(
            f"The C compiler {command[0]!r} does not compile the FMU: {first[:200]}\n"
            "  Is it complete? Try: echo 'int x;' | gcc -c -x c -"
        )


def zipped(parts: Mapping[str, bytes]) -> bytes:
    """Return a zip file, the same for the same content."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in parts.items():
            archive.writestr(zipfile.ZipInfo(path, LONG_AGO), content, zipfile.ZIP_DEFLATED)
    return whole.getvalue()
