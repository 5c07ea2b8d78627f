"""Measure the behaviour that a restructuring keeps: `python tests/baseline.py record|check`.

`record` writes digests of recorded programs, public names, help texts and exported files, and the
held-out errors of `identify` on measured logs, to baseline.json. `check` compares: a program or an
export that exists in both must be the same, and no error may rise. Names and help texts change on
purpose; the differences are listed for the changelog.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import os
import re
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import qddot
from qddot.identification import Log, errors_by_run, prepared
from qddot.readers.read import library
from qddot.robot.quantities import NAMES

ROOT = Path(__file__).resolve().parents[1]
RECORD = Path(__file__).with_suffix(".json")
EXPORTED = ("two_link", "scara", "ur5", "panda")
TARGETS = ("c", "cpp", "cuda", "matlab", "fmu")
RISE = 0.3  # [% of the torque] that the error on a measured log may rise
DATA = Path(os.environ.get("QDDOT_DATA", ROOT.parent / "shared" / "data"))


def digest(data: bytes | str) -> str:
    return sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()[:16]


def programs() -> dict[str, str]:
    """Return the digest of every quantity of every built-in robot that has numbers."""
    found = {}
    for name in sorted(library()):
        robot = qddot.load(name)
        for quantity in NAMES if not robot.symbols else ():
            try:
                found[f"{name}.{quantity}"] = robot.program(quantity).digest
            except Exception:
                try:
                    found[f"{name}.{quantity}"] = robot.program(quantity, frame=robot.tip).digest
                except Exception as error:
                    found[f"{name}.{quantity}"] = type(error).__name__
    return found


def names() -> dict[str, str]:
    """Return the public names of all packages, with their signatures."""
    packages = [x for n in dir(qddot) if isinstance(x := getattr(qddot, n, None), ModuleType)]
    found = {}
    for package in [qddot, *packages]:
        for name in dir(package):
            thing = getattr(package, name, None)
            if name.startswith("__") or isinstance(thing, ModuleType):
                continue
            try:
                words = re.sub(r" at 0x[0-9a-f]+", "", str(inspect.signature(thing)))
            except (TypeError, ValueError):
                words = type(thing).__name__
            found[f"{package.__name__}.{name}"] = words
            if inspect.isclass(thing):
                for member in dir(thing):
                    if not member.startswith("_"):
                        found[f"{package.__name__}.{name}.{member}"] = ""
    return found


def helps() -> dict[str, str]:
    """Return the digest of the help of every verb."""
    import typer

    from qddot.cli import app

    os.environ.update(COLUMNS="80", NO_COLOR="1", TERM="dumb")
    found = {}
    for verb in ["", *typer.main.get_group(app).commands]:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
            app([*([verb] if verb else []), "--help"])
        found[verb] = digest(out.getvalue())
    return found


def exports() -> dict[str, str]:
    """Return the digest of every file that `export` writes; of what an FMU holds, without dates."""
    found = {}
    for name in EXPORTED:
        for target in TARGETS:
            with tempfile.TemporaryDirectory() as folder:
                place = Path(folder) / (f"{name}.fmu" if target == "fmu" else target)
                place.mkdir()  # a folder, whatever its name ends in
                qddot.export(qddot.load(name), place, target=target)
                for path in sorted(p for p in Path(folder).rglob("*") if p.is_file()):
                    label = f"{name} {target} {path.relative_to(folder)}"
                    if path.suffix == ".fmu":
                        with zipfile.ZipFile(path) as fmu:
                            for part in sorted(fmu.namelist()):
                                found[f"{label} {part}"] = digest(undated(fmu.read(part)))
                    else:
                        found[label] = digest(undated(path.read_bytes()))
    return found


def undated(data: bytes) -> bytes:
    """Return a file without the version of the package, which a release changes."""
    return data.replace(qddot.__version__.encode(), b"VERSION")


def held_out_errors() -> dict[str, float]:
    """Return the part of the torques [%] that default fits of measured logs leave.

    Of each fit two numbers: on every row of another log, or of the last third, which may not rise;
    and on rows of its own log that were left out, which more parameters make smaller.
    """
    found = {}
    for name, read in LOGS.items():
        if not (DATA / name.split()[0]).exists():
            print(f"{name}: the measured log is not here; QDDOT_DATA says where they are")
            continue
        robot, fitted, other = read()
        fit = qddot.identify(robot, fitted)
        if fit.unseen is not None:
            left = fit.unseen.squares.sum() / fit.problem.torques.sum()
            found[f"{name}, left out"] = round(100 * float(np.sqrt(left)), 2)
        every = errors_by_run(fit, [prepared(other, robot)])[0]["every_row"]
        found[f"{name}, other motion"] = round(100 * every, 2)
    return found


def ur10() -> tuple[Any, Log, Log]:
    robot, folder = qddot.load("ur10"), DATA / "ur10_bag"
    fitted = qddot.load_log(folder / "ur10_exciting_trajectory.db3", robot)
    return robot, fitted, trajectory_points(folder / "ur10_validation_trajectory.db3")


def trajectory_points(path: Path) -> Log:
    """Return the log in a bag whose one message is a trajectory, not joint states."""
    from rosbags.highlevel import AnyReader

    with AnyReader([path]) as reader:
        connection, _, data = next(reader.messages())
        message: Any = reader.deserialize(data, connection.msgtype)
    t = [p.time_from_start.sec + 1e-9 * p.time_from_start.nanosec for p in message.points]
    q, qd, tau = (
        np.array([getattr(point, name) for point in message.points])
        for name in ("positions", "velocities", "effort")
    )
    return Log(tuple(message.joint_names), np.array(t), q, qd, None, tau)


def panda() -> tuple[Any, Log, Log]:
    robot = qddot.load("panda")
    log = qddot.load_log(DATA / "panda_bag" / "panda_exciting_trajectory.db3", robot)
    return robot, *in_thirds(log)


def tx40() -> tuple[Any, Log, Log]:
    folder = DATA / "staubli_tx40"
    robot, coupling = qddot.load(folder / "tx40_mdh_modified.urdf"), np.eye(6)
    coupling[5, 4] = -1
    log = qddot.load_log(
        {"q": folder / "pos_read_data.csv", "tau": folder / "curr_data.csv"},
        robot,
        rate=5000,
        gear=[32, 32, 45, -48, 45, 32],
        coupling=coupling,
        offset=[0, -np.pi / 2, np.pi / 2, 0, 0, 0],
    )
    return robot, *in_thirds(log)


def baxter() -> tuple[Any, Log, Log]:
    full = qddot.load("baxter")
    order = [f"left_{name}" for name in ("e0", "e1", "s0", "s1", "w0", "w1", "w2")]
    robot = full.locked({name: 0.0 for name in full.joint_names if name not in order})
    columns = {"q": "1-7", "qd": "8-14", "tau": "22-28"}

    def rows(first: int, last: int) -> Log:
        path = DATA / "baxter" / "BaxterRand.npy"
        return qddot.load_log(
            path, robot, columns=columns, joints=order, rate=100, rows=(first, last)
        )

    return robot, rows(1, 10_000), rows(10_001, 15_000)


def kinova(torque: str) -> tuple[Any, Log, Log]:
    import pandas

    folder = DATA / "kinova_gen3"
    robot = qddot.load(folder / "kinovaGen3.urdf", inertia="nearest")
    logs = []
    for k in (1, 2):
        table = pandas.read_csv(folder / f"opti_traj_testing{k}.csv")
        q, qd, tau = (
            table[[f"{word}{i}" for i in range(1, 8)]].to_numpy()
            for word in ("Position", "Velocity", torque)
        )
        logs.append(Log(robot.joint_names, table["Time"].to_numpy() / 1000, q, qd, None, tau))
    return robot, *logs


def in_thirds(log: Log) -> tuple[Log, Log]:
    rows = 2 * len(log) // 3
    return log[:rows], log[rows:]


LOGS = {
    "ur10_bag": ur10,
    "panda_bag": panda,
    "staubli_tx40": tx40,
    "baxter": baxter,
    "kinova_gen3 TorqueSm": lambda: kinova("TorqueSm"),
    "kinova_gen3 TorqueCur": lambda: kinova("TorqueCur"),
}
MEASURED = {
    "programs": programs,
    "names": names,
    "help": helps,
    "exports": exports,
    "errors": held_out_errors,
}


def compared(part: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return what differs; of programs, exports and errors it must be nothing."""
    gone = [f"gone: {name}" for name in before if name not in now]
    new = [f"new: {name}" for name in now if name not in before]
    if part == "errors":
        both = {n: (before[n], now[n]) for n in before if n in now and n.endswith("other motion")}
        return [f"{n}: {x} % was {y} %" for n, (y, x) in both.items() if x > y + RISE]
    changed = [f"changed: {n}" for n in before if n in now and before[n] != now[n]]
    return [*gone, *new, *changed]


def main() -> int:
    if sys.argv[1:] not in (["record"], ["check"]):
        print(__doc__)
        return 2
    warnings.simplefilter("ignore")
    measured = {part: measure() for part, measure in MEASURED.items()}
    for name, value in measured["errors"].items():
        print(f"{name}: {value} %")
    if sys.argv[1] == "record":
        text = json.dumps(measured, indent=0, sort_keys=True, ensure_ascii=False)
        RECORD.write_text(text + "\n", encoding="utf-8")
        return 0
    wrong = 0
    for part, before in json.loads(RECORD.read_text(encoding="utf-8")).items():
        found = compared(part, before, measured[part])
        print(f"{part}: {len(measured[part])}, of which {len(found)} differ", *found, sep="\n  ")
        kept = [line for line in found if line.startswith("changed") or part == "errors"]
        wrong += len(kept) if part in ("programs", "exports", "errors") else 0
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
