"""The manifest: what a folder holds, so that it is continued by the same plan or not at all."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from qddot.errors import BadArgument, printable, shorten
from qddot.progress import inform
from qddot.sweeps.folder import MANIFEST, ROBOT, Folder
from qddot.sweeps.study import FORMAT
from qddot.sweeps.unit import Units, pyarrow

SHOWN = 3  # differences between two plans


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
    return {
        "format": FORMAT,
        "digest": study.digest,
        "plan": study.facts,
        "robot": {"name": study.robot.name, "digest": study.robot_digest, "file": ROBOT},
        "controllers": [each.name for each in study.controllers],
        "runs": study.runs.total,
        "unit": study.runs.unit,
        "units": study.runs.units,
        "seconds": study.clock.duration,
        "grid": [line.key for line in study.runs.variations if line.grid is not None],
        "motion": _instants(units),
        "columns": [
            {"name": c.name, "unit": c.unit, "words": c.words, "kind": c.kind}
            for c in units.columns
        ],
        "versions": [versions()],
    }


def begin(folder: Folder, units: Units) -> Mapping[str, Any]:
    """Return the manifest of a folder, written if there is none; refuse another plan's folder."""
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
        return own
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
        found = {**found, "versions": [*found["versions"], now]}
        folder.put_json(MANIFEST, found)
    return found


def read_manifest(folder: Folder) -> dict[str, Any] | None:
    """Return the manifest of a folder, None where there is none.

    Raises:
        BadArgument: If it is damaged, or of another version.
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


def _instants(units: Units) -> list[float]:
    """Return when motions that are kept have their rows [s]."""
    kept, clock = units.study.kept, units.study.clock
    return clock.t[:: kept.stride].tolist() if kept.stride else []


def _difference(there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """Return in words by what two plans differ."""
    one, other = _flat(there["plan"]), _flat(here["plan"])
    keys = [key for key in dict.fromkeys([*one, *other]) if one.get(key) != other.get(key)
            and key not in ("title", "format")]  # fmt: skip
    if len(keys) > 1 and keys[-1] == "unit":
        keys.pop()  # which follows from the others
    told = [f"{printable(shorten(key, 40))} is {_said(one, key)} there and {_said(other, key)} here"
            for key in keys[:SHOWN]]  # fmt: skip
    if not told:
        return "its robot has changed since"
    return "; ".join(told) + (f"; and {len(keys) - SHOWN} more" if len(keys) > SHOWN else "")


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
