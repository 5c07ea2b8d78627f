"""What goes wrong outside of the package, made to happen: the only reason to change its insides.

A test of behaviour gives a file, an argument or a variable of the environment. A missing package,
a full disk, Ctrl-C, a clock, an old processor and workers that die cannot be given; they are here.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any, NoReturn

import pytest

import qddot.backends
from qddot.backends import fastcall, llvm
from qddot.backends import kernel as kernels


def not_installed(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    """Let every import of some packages fail, and of what is in them."""
    for name in {*packages, *(m for m in sys.modules if m.partition(".")[0] in packages)}:
        monkeypatch.setitem(sys.modules, name, None)


def full_disk(*_: Any, **__: Any) -> NoReturn:
    """Stand for a function that writes."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def interrupted(*_: Any, **__: Any) -> NoReturn:
    """Stand for a function during which Ctrl-C is pressed."""
    raise KeyboardInterrupt


def ticking(
    monkeypatch: pytest.MonkeyPatch, *modules: ModuleType, seconds: float = 1.0
) -> Iterator[int]:
    """Give modules a clock that ticks whenever somebody looks at it; return its ticks."""
    ticks = iter(range(10**9))

    def now() -> float:
        return next(ticks) * seconds

    clock = SimpleNamespace(monotonic=now, perf_counter=now)
    for module in modules:
        monkeypatch.setattr(module, "time", clock)
    return ticks


def processor(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Compile for another processor than this one: "x86-64" is as narrow as one of 2003."""
    triple, *_ = llvm.target()
    monkeypatch.setattr(llvm, "target", lambda: (triple, name, ""))
    monkeypatch.setattr(kernels, "widest_lanes", llvm.widest_lanes.__wrapped__)


def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let whatever is compiled fail: looking at things must not compile."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("compiled")

    for module in (llvm, fastcall, kernels, *vars(qddot.backends).values()):
        if hasattr(module, "compile_module"):
            monkeypatch.setattr(module, "compile_module", refuse)


def workers_run(monkeypatch: pytest.MonkeyPatch, *command: str) -> None:
    """Start something else instead of workers."""
    monkeypatch.setattr("qddot.workers.PROGRAM", command)
