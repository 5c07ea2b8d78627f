"""Measured logs that pictures and tests read; they are not ours to give, and may not be here."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import qddot
from qddot.identification.log import Log
from qddot.robot import Robot


def staubli_tx40(folder: Path) -> tuple[Robot, Log]:
    """Return a Stäubli TX40 and a log of it as it was measured, from the folder of its files."""
    robot = qddot.load(folder / "tx40_mdh_modified.urdf")
    coupling = np.eye(6)
    coupling[5, 4] = -1  # the motor of joint 6 turns with joint 5 too
    log = qddot.load_log(
        {"q": folder / "pos_read_data.csv", "tau": folder / "curr_data.csv"},
        robot,
        rate=5000,
        gear=[32, 32, 45, -48, 45, 32],
        coupling=coupling,
        offset=[0, -np.pi / 2, np.pi / 2, 0, 0, 0],
    )
    return robot, log
