"""Little memory: what is said where the system gives a program less than it needs (`ulimit -v`).

Libraries that are written in C tell it badly: OpenBLAS ends the program, the loader says "failed
to map segment", others that a file is missing. So where the address space is limited, room is asked
for before such a library is loaded.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from mmap import mmap
from types import ModuleType
from typing import Any

MEGABYTE = 10**6
# what libraries take when they are loaded and first used [MB]
ROOM = {"numpy": 140, "scipy": 160, "llvmlite.binding": 240, "matplotlib": 100}
ROOM |= {"mujoco": 120, "pyarrow": 250, "pandas": 150, "jax": 900, "torch": 900, "trimesh": 60}
ENOUGH = 8000 * MEGABYTE  # of address space; with more, nothing is asked
SIGNS = ("failed to map", "cannot allocate memory", "could not find/load", "can't start new thread")
SIGNS += ("allocate memory", "out of memory", "time or memory")  # in words of ours too
WORDS = "there is not enough memory for this.\n  {}."


class AskForRoom(MetaPathFinder):
    """Raises MemoryError where there is no room for a library that is to be loaded."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> None:
        """Find nothing; look whether there is room."""
        if fullname in ROOM:
            try:
                mmap(-1, ROOM[fullname] * MEGABYTE).close()
            except OSError:
                raise MemoryError(f"no room for {fullname}") from None


def most_memory() -> int | None:
    """Return the limit of this program's address space [bytes], if it has a low one."""
    try:
        from resource import RLIMIT_AS, getrlimit
    except ImportError:  # not on every system
        return None
    soft, _ = getrlimit(RLIMIT_AS)
    return soft if 0 <= soft < ENOUGH else None


def prepare() -> None:
    """Have large libraries ask for room; threads of linear algebra, which take most, are left out.

    To be called before any of them is loaded.
    """
    if most_memory() is not None:
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
        sys.meta_path.insert(0, AskForRoom())


def is_lack(error: Any) -> bool:
    """Return whether too little memory is behind an error; a missing package is not."""
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        return True
    if error is None or isinstance(error, ModuleNotFoundError):
        return False
    said = str(error).lower()
    if most_memory() is not None and any(sign in said for sign in SIGNS):
        return True
    return is_lack(error.__cause__ or error.__context__)


def words() -> str:
    """Return what to say about it."""
    most = most_memory()
    if most is None:
        return WORDS.format("Take a smaller robot or a shorter run")
    return WORDS.format(
        f"This program may use {most // MEGABYTE} MB (ulimit -v); allow it 1000 MB or more"
    )
