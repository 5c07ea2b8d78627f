"""Little memory: what is said where a program may have less than it needs (`ulimit -v`).

Libraries in C tell it badly: OpenBLAS ends the program or never ends, others say that a file is
missing. So where the address space is limited, room is asked for before they are loaded.
"""

from __future__ import annotations

import errno
import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder
from mmap import mmap
from typing import Any

# what libraries take when they are loaded and first used [MB]
ROOM = {
    "numpy": 140,
    "flint": 90,
    "scipy": 160,
    "llvmlite.binding": 240,
    "matplotlib": 100,
    "mujoco": 120,
}
ROOM |= {"pyarrow": 250, "pandas": 150, "jax": 900, "torch": 900, "trimesh": 60}
ENOUGH = 8000  # [MB]; with more, nothing is asked
SIGNS = ("failed to map", "allocate memory", "could not find/load", "can't start new thread")
SIGNS += ("out of memory", "time or memory")  # in words of ours too


class AskForRoom(MetaPathFinder):
    """Raises MemoryError where a library that is to be loaded is there, and no room for it."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        """Find nothing; look whether there is room."""
        large = fullname in ROOM and PathFinder.find_spec(fullname, path)
        try:
            mmap(-1, (ROOM[fullname] if large else 1) * 10**6).close()
        except OSError:
            raise MemoryError from None


def most_memory() -> int | None:
    """Return how much address space this program may have [MB], if that is not enough for all."""
    try:
        from resource import RLIMIT_AS, getrlimit
    except ImportError:  # not on every system
        return None
    most = getrlimit(RLIMIT_AS)[0] // 10**6
    return most if 0 <= most < ENOUGH else None


def prepare() -> None:
    """Have large libraries ask for room, and linear algebra use one thread, which takes less."""
    if most_memory() is not None:
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
        sys.meta_path.insert(0, AskForRoom())
        sys.unraisablehook = lambda _: None  # where memory ends, much fails that nobody hears


def is_lack(error: Any) -> bool:
    """Return whether too little memory is behind an error; a missing package is not."""
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        return True
    if error is None or isinstance(error, ModuleNotFoundError):
        return False
    said = str(error).lower()
    signs = most_memory() is not None and any(sign in said for sign in SIGNS)
    return signs or is_lack(error.__cause__ or error.__context__)


def words() -> str:
    """Return what to say about it."""
    most, remedy = most_memory(), "Take a smaller robot or a shorter run."
    if most is not None:
        more = max(1000, 2 * most)
        remedy = f"This program may use {most} MB (ulimit -v). Allow it {more} MB or more."
    return f"there is not enough memory for this.\n  {remedy}"
