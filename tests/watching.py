"""Seeing what happens behind the scenes: what is opened, executed and fetched."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import qddot

OURS = str(Path(qddot.__file__).parent)

WATCHED = ("open", "exec", "compile", "os.system", "os.exec", "subprocess.Popen", "socket.connect")
SEEN: list[tuple[str, str]] | None = None
HOOKED: list[bool] = []  # once; a hook is never taken away, and hears of everything


def hook(event: str, arguments: tuple) -> None:
    if SEEN is not None and event.startswith(WATCHED):
        SEEN.append((event, str(arguments[0])))


@contextmanager
def python_calls(function: Callable[..., Any] | None = None) -> Iterator[list[str]]:
    """Yield the list of the Python functions of ours that are called in the meantime, or of one."""
    seen: list[str] = []

    def called(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        ours = code.co_filename.startswith(OURS) if function is None else code is function.__code__
        if event == "call" and ours:
            seen.append(code.co_qualname)

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        yield seen
    finally:
        sys.setprofile(before)


@contextmanager
def watched() -> Iterator[list[tuple[str, str]]]:
    """Yield the list of what is opened, executed and fetched in the meantime."""
    global SEEN
    if not HOOKED:
        sys.addaudithook(hook)
        HOOKED.append(True)
    SEEN = []
    try:
        yield SEEN
    finally:
        SEEN = None


def opened(events: list[tuple[str, str]]) -> set[str]:
    """Return the files that were opened, qddot's own aside; nothing else may have happened."""
    assert {kind for kind, _ in events} == {"open"}
    return {path for _, path in events if not path.startswith(OURS)}
