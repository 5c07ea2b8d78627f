"""The machine and the versions that made a page."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("qddot", "numpy", "scipy", "llvmlite", "python-flint", "sympy", "matplotlib", "pin")


def machine() -> str:
    """Return the processor, how many cores are to be had, and the system."""
    return f"{processor()}, {cores()}, {platform.system()} {platform.machine()}".strip()


def processor() -> str:
    """Return what the processor calls itself."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            name, _, said = line.partition(":")
            if name.strip() == "model name":
                return said.strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def cores() -> str:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        number = len(os.sched_getaffinity(0))
    else:
        number = os.cpu_count() or 1
    return "1 core" if number == 1 else f"{number} cores"


def versions() -> dict[str, str]:
    """Return the versions of what a page is made with, where installed."""
    found = {"Python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
