"""The studio: a robot in the browser, live. `qddot studio`, or `qddot.studio("panda")`: `serve`."""

from typing import TYPE_CHECKING

from qddot.on_demand import on_demand

if TYPE_CHECKING:
    from qddot.studio.server import Studio as Studio, serve as serve

__getattr__, __dir__ = on_demand(__name__, {"qddot.studio.server": "Studio serve"}, verb="serve")
