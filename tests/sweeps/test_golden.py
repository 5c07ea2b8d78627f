"""Folders of sweeps in `golden`: their parts stay the same bytes, and sweeps go on in them.

Masses, stiffness, steps and starts are short sums of powers of two, so every number is exact
on every machine. Bytes are compared where the versions are those with which the parts were made;
elsewhere another pyarrow may pack the same values in another way.

Run this file as a program, with PYTHONPATH=tests, to write the golden folders anew.
"""

import json
import shutil
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from qddot.sweeps.running import sweep

GOLDEN = Path(__file__).parents[1] / "golden" / "sweeps"
MASSES = {
    "robot": "mass_spring_damper",
    "duration": 0.5,
    "step": 0.125,
    "every": 0.125,
    "q0": [0.5, 0.25],
    "unit": 4,
    "set": {"M1": 4, "M0": 16, "c": 2, "k": 16, "g": 8},
}
PLANS = {
    "rollout": MASSES
    | {
        "method": "semi_implicit_euler",
        "draws": 3,
        "seed": 3,
        "vary": {"q0.x1": {"choice": [0.5, 0.75, 1.0]}, "qd0": {"grid": [0.0, 0.5, 1.0]}},
        "keep": ["final", "energy", "motion"],
    },
    "sampled": MASSES
    | {
        "method": "semi_implicit_euler",
        "control": {
            "law": "pd",
            "gains": {"kp": 16, "kd": 4},
            "reference": {"kind": "setpoint", "target": [0.25, 0.5]},
            "rate": 8,
        },
        "vary": {"q0.x0": {"grid": [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25]}},
        "keep": ["final", "energy", "error", "torque"],
        "settled": 4.0,
    },
    "exact": MASSES
    | {
        "engine": "exact",
        "step": None,
        "set": MASSES["set"] | {"g": 0},
        "q0": [0.5, 0.5],  # at rest, with a spring of no length
        "vary": {"payload.tool": {"grid": [0.0, 4.0, 12.0, 28.0, 60.0]}},
        "keep": ["final", "energy"],
    },
}


def tables(folder):
    return [pyarrow.parquet.read_table(path) for path in sorted(Path(folder, "parts").iterdir())]


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("name", PLANS)
def test_parts_are_the_bytes_of_the_golden_ones(name, workers, tmp_path, contents):
    assert sweep(PLANS[name], tmp_path, workers=workers).complete
    for own, golden in zip(tables(tmp_path), tables(GOLDEN / name), strict=True):
        assert own.equals(golden, check_metadata=True)
    made_with = json.loads((GOLDEN / name / "sweep.json").read_text())["versions"][0]["pyarrow"]
    if made_with == pyarrow.__version__:
        own, golden = contents(tmp_path), contents(GOLDEN / name)
        assert own | {"sweep.json": b""} == golden | {"sweep.json": b""}


@pytest.mark.parametrize("name", PLANS)
def test_a_sweep_goes_on_in_a_golden_folder(name, tmp_path, contents):
    folder = tmp_path / "runs"
    shutil.copytree(GOLDEN / name, folder)
    golden = contents(folder)
    for part in sorted((folder / "parts").iterdir())[::2]:
        part.unlink()
    left = {part: part.stat().st_mtime_ns for part in (folder / "parts").iterdir()}
    found = sweep(PLANS[name], folder, workers=0)
    assert found.complete
    assert {part: part.stat().st_mtime_ns for part in left} == left
    assert contents(folder).keys() == golden.keys()
    for own, whole in zip(tables(folder), tables(GOLDEN / name), strict=True):
        assert own.equals(whole, check_metadata=True)


if __name__ == "__main__":
    shutil.rmtree(GOLDEN, ignore_errors=True)
    for name, plan in PLANS.items():
        sweep(plan, GOLDEN / name, workers=0)
        (GOLDEN / name / ".lock").unlink()
