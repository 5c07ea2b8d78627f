"""The folder of a sweep: a manifest, the robot, one Parquet part per finished unit.

    sweep.json              the manifest: plan, digests, columns, versions
    robot.toml              the robot, as it was when the sweep began
    parts/part-00000012.parquet
    failed.json             units that raised, with their words, if there are any

A part is written under another name, synced and renamed: what has its name is whole.
"""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from qddot.errors import BadArgument, CannotWrite, listing, printable, shorten
from qddot.progress import inform
from qddot.saving import put_whole
from qddot.sweeps.study import FORMAT, Study
from qddot.sweeps.unit import Units, pyarrow

MANIFEST, ROBOT, FAILED, PARTS, LOCK = (
    "sweep.json", "robot.toml", "failed.json", "parts", ".lock",
)  # fmt: skip
PART = re.compile(r"part-(\d{8,})\.parquet")
HALF = re.compile(r"\.new-([0-9]+-)?[0-9a-f]{12}(\.\w+)?")  # some have a process's number
MAGIC = b"PAR1"  # with which a Parquet file begins and ends
SHOWN = 3  # differences between two plans, or files that are no parts


class Folder:
    """Where a sweep is kept."""

    def __init__(self, path: str | Path):
        self.path = Path(path)
        self.parts = self.path / PARTS

    def part(self, unit: int) -> Path:
        return self.parts / f"part-{unit:08d}.parquet"

    def make(self) -> None:
        """Make the folder, or say why there can be none."""
        try:
            self.parts.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadArgument(
                f"{self} cannot be made: {error.strerror}.\n"
                "  Choose a folder that you may write to."
            ) from None
        if not os.access(self.parts, os.W_OK | os.X_OK):
            raise BadArgument(
                f"{self} cannot be written to.\n  Choose a folder that you may write to."
            )

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other sweeps out of the folder; the lock ends with the process, even if killed."""
        try:
            import fcntl
        except ImportError:  # not POSIX: there is no lock
            yield
            return
        with open(self.path / LOCK, "wb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BadArgument(
                    f"Another sweep is running in {self}.\n"
                    "  Wait until it is done, or name another folder."
                ) from None
            except OSError:  # a file system without locks
                pass
            yield

    def put(self, path: Path, data: bytes) -> None:
        """Write a file whole, such that a crash leaves it out or leaves it whole."""
        try:
            put_whole(path, data, lasting=True)
        except OSError as error:
            raise CannotWrite(
                f"{printable(str(path))} cannot be written: {error.strerror or error}.\n"
                "  Everything that was finished is kept. Make room, then give the same command "
                "again: it goes on."
            ) from None

    def put_json(self, name: str, content: Any) -> None:
        text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
        self.put(self.path / name, f"{text}\n".encode())

    def read_json(self, name: str) -> Any:
        """Return what a JSON file holds; None where there is none."""
        try:
            text = (self.path / name).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise BadArgument(f"{self}/{name} cannot be read: {error.strerror}.") from None
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise BadArgument(
                f"{self}/{name} is damaged: it is not JSON.\n"
                "  The parts beside it may be whole; name another folder to begin anew."
            ) from None

    def clear_halves(self) -> None:
        """Remove what killed writers left behind."""
        for folder in (self.path, self.parts):
            for path in folder.glob(".new-*"):
                if HALF.fullmatch(path.name):
                    with suppress(OSError):
                        path.unlink()

    def found(self) -> tuple[dict[int, Path], list[str]]:
        """Return the parts that are there by unit, and the names of files that are none."""
        parts, strange = {}, []
        try:
            with os.scandir(self.parts) as entries:
                names = sorted(entry.name for entry in entries)
        except OSError:
            names = []
        for name in names:
            match = PART.fullmatch(name)
            if match and name == f"part-{int(match[1]):08d}.parquet":
                parts[int(match[1])] = self.parts / name
            elif not HALF.fullmatch(name):
                strange.append(name)
        return parts, strange

    def __str__(self) -> str:
        return printable(str(self.path))


def missing_units(folder: Folder, study: Study) -> list[int]:
    """Return the units that are not there, whole; files that should not be there are reported."""
    folder.clear_halves()
    found, strange = folder.found()
    runs = study.runs
    missing, broken = [], []
    for unit in range(runs.units):
        path = found.pop(unit, None)
        about = {"qddot.sweep": study.digest, "qddot.unit": str(unit)}
        if path is None:
            missing.append(unit)
        elif not is_whole(path, about, len(runs.of_unit(unit))):
            missing.append(unit)
            broken.append(path.name)
    strange += [path.name for path in found.values()]
    if broken:
        inform(f"warning: {listing(broken, SHOWN)} cannot be read and will be computed again")
    if strange:
        names = listing(strange, SHOWN)
        inform(f"warning: {names} in {folder} is not part of this sweep and is ignored")
    return missing


def is_whole(path: Path, about: Mapping[str, str], rows: int) -> bool:
    """Return whether a part is whole and belongs to a sweep, as far as its two ends show."""
    import pyarrow.parquet as parquet

    try:
        with open(path, "rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                return False
        found = parquet.read_metadata(path)
    except Exception:  # whatever Arrow makes of rubbish
        return False
    said = found.metadata or {}
    return found.num_rows == rows and all(
        said.get(key.encode()) == value.encode() for key, value in about.items()
    )


def is_readable(path: Path) -> bool:
    """Return whether a part can be read from its beginning to its end."""
    import pyarrow.parquet as parquet

    try:
        parquet.read_table(path, page_checksum_verification=True)
    except (OSError, pyarrow().ArrowException):
        return False
    return True


def versions() -> dict[str, str]:
    """Return the versions of what the numbers depend on."""
    found = {name: version(name) for name in ("qddot", "numpy", "llvmlite", "scipy")}
    return found | {
        "pyarrow": pyarrow().__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
    }


def manifest_of(units: Units) -> dict[str, Any]:
    """Return the manifest of a sweep that begins."""
    study = units.study
    kept, clock = study.kept, study.clock
    return {
        "format": FORMAT,
        "digest": study.digest,
        "plan": study.facts,
        "robot": {"name": study.robot.name, "digest": study.robot_digest, "file": ROBOT},
        "controllers": [each.name for each in study.controllers],
        "runs": study.runs.total,
        "unit": study.runs.unit,
        "units": study.runs.units,
        "seconds": clock.duration,
        "grid": [line.key for line in study.runs.variations if line.grid is not None],
        "motion": clock.t[:: kept.stride].tolist() if kept.stride else [],  # the instants of rows
        "columns": [vars(column) for column in units.columns],
        "versions": [versions()],
    }


def begin(folder: Folder, units: Units) -> None:
    """Write the manifest of a folder if there is none; refuse another plan's folder."""
    found, own = read_manifest(folder), manifest_of(units)
    if found is None:
        parts, _ = folder.found()
        if parts:
            raise BadArgument(
                f"{folder} holds parts of a sweep but not its manifest, {MANIFEST}.\n"
                "  Name another folder, or put the manifest back."
            )
        folder.put(folder.path / ROBOT, units.study.robot_text.encode("utf-8"))
        folder.put_json(MANIFEST, own)
        return
    if found["digest"] != own["digest"]:
        raise BadArgument(
            f"{folder} holds a sweep of another plan: {_difference(found, own)}.\n"
            "  Name another folder for this plan, or give the plan that is there."
        )
    now = own["versions"][0]
    if now not in found["versions"]:
        before = found["versions"][-1]
        changed = [f"{key} {before.get(key, 'none')} → {x}" for key, x in now.items()
                   if before.get(key) != x]  # fmt: skip
        inform(f"warning: this sweep was begun with other versions ({', '.join(changed)});")
        inform("  units that are computed now may differ from those in the last digits.")
        folder.put_json(MANIFEST, {**found, "versions": [*found["versions"], now]})


def read_manifest(folder: Folder) -> dict[str, Any] | None:
    """Return the manifest of a folder, None where there is none.

    One that is damaged, or of another version, is refused.
    """
    found = folder.read_json(MANIFEST)
    if found is None:
        return None
    wanted = {
        "digest": str, "plan": dict, "robot": dict, "runs": int, "unit": int, "units": int,
        "columns": list, "versions": list, "grid": list, "motion": list, "controllers": list,
    }  # fmt: skip
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        kind = found.get("format") if isinstance(found, dict) else None
        raise BadArgument(
            f"{folder}/{MANIFEST} has format {shorten(repr(kind))}; this version of qddot reads "
            f"format {FORMAT}.\n  Read it with the version that wrote it."
        )
    wrong = [key for key, kind in wanted.items() if not isinstance(found.get(key), kind)]
    if wrong:
        raise BadArgument(
            f"{folder}/{MANIFEST} is damaged: {wrong[0]} is missing or of the wrong kind.\n"
            "  The parts beside it may be whole; name another folder to begin anew."
        )
    return found


def _difference(there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """Return in words by what two plans differ."""
    one, other = _flat(there["plan"]), _flat(here["plan"])
    keys = [key for key in dict.fromkeys([*one, *other]) if one.get(key) != other.get(key)
            and key not in ("title", "format")]  # fmt: skip
    if len(keys) > 1 and keys[-1] == "unit":
        keys.pop()  # which follows from the others
    said = [f"{printable(shorten(key, 40))} is {_said(one, key)} there and {_said(other, key)} here"
            for key in keys[:SHOWN]]  # fmt: skip
    if not said:
        return "its robot has changed since"
    return "; ".join(said) + (f"; and {len(keys) - SHOWN} more" if len(keys) > SHOWN else "")


def _said(plan: Mapping[str, Any], key: str) -> str:
    return shorten(repr(plan[key]), 40) if key in plan else "not given"


def _flat(plan: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in plan.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{before}{key}.")
        else:
            found[f"{before}{key}"] = value
    return found
