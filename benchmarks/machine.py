"""Where and when it was measured: processor, cores, versions, date."""

from __future__ import annotations

import os
import platform
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = (
    *("qddot", "numpy", "llvmlite", "pin", "mujoco", "dynibo", "drake", "roboticstoolbox-python"),
    *("frax", "jax", "adam-robotics", "casadi", "sympy", "python-flint"),
)


def description() -> list[str]:
    """Return the machine, the day and the versions, as lines."""
    found = [f"{name} {v}" for name in PACKAGES if (v := installed(name))]
    return [
        f"Measured {date.today().isoformat()} on {processor()}, {cores()} cores, "
        f"{platform.system()}, Python {platform.python_version()}.",
        f"Packages: {', '.join(found)}.",
    ]


def processor() -> str:
    """Return the processor: its name, and what LLVM calls it."""
    from qddot.backends.llvm import target, widest_lanes

    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    return f"{name} ({target()[1]}, {widest_lanes()} lanes of float64)"


def cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
