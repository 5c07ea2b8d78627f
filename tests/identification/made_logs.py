"""Logs made by hand, and where the measured ones lie."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from qddot.identification.log import Log

ROOT = Path(__file__).resolve().parents[2]


def measured(name: str) -> Path:
    """Return a folder of measured logs, or skip."""
    folder = Path(os.environ.get("QDDOT_DATA", ROOT.parent / "shared" / "data")) / name
    if not folder.exists():
        pytest.skip(f"the measured log {name} is not here; QDDOT_DATA says where they are")
    return folder


def swinging(n: int = 2, rate: float = 200.0, duration: float = 4.0) -> Log:
    """Return joints that swing at 0.4, 0.7, ... Hz, with exact rates and some torque."""
    t = np.arange(round(duration * rate) + 1) / rate
    w = 2 * np.pi * (0.4 + 0.3 * np.arange(n))
    x = np.multiply.outer(t, w) + 0.5 * np.arange(n)
    q, qd, qdd = np.sin(x), w * np.cos(x), -w * w * np.sin(x)
    return Log(
        tuple(f"j{k + 1}" for k in range(n)), t, q, qd, qdd, 3 * qdd + np.sign(qd), "by hand"
    )


def text(log: Log, separator: str = ",") -> list[str]:
    """Return the lines of a log as CSV: t, q.<joint>, qd.<joint>, tau.<joint>."""
    assert log.qd is not None
    assert log.tau is not None
    names = ["t", *(f"{what}.{joint}" for what in ("q", "qd", "tau") for joint in log.joint_names)]
    rows = np.column_stack([log.t, log.q, log.qd, log.tau])
    return [separator.join(names), *(separator.join(map(repr, row)) for row in rows.tolist())]


def written(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
