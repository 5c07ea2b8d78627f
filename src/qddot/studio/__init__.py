"""The studio: a robot in the browser, live. `qddot studio`, or `qddot.studio.serve("panda")`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qddot.studio.server import Studio, serve

__all__ = ["Studio", "serve"]


def __getattr__(name: str) -> Any:
    # the helper processes import this room too, and need no server
    if name in __all__:
        return getattr(import_module("qddot.studio.server"), name)
    raise AttributeError(f"module 'qddot.studio' has no attribute {name!r}")
