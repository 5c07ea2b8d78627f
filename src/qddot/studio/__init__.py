"""The studio: a robot in the browser, live. `qddot studio`, or `qddot.studio.serve("panda")`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qddot.on_demand import on_demand

if TYPE_CHECKING:
    from qddot.studio.server import Studio, serve

__all__ = ["Studio", "serve"]

# the helper processes import this room too, and need no server
__getattr__, __dir__ = on_demand(__name__, dict.fromkeys(__all__, "qddot.studio.server"))
