"""Figures and films."""

from qddot.on_demand import on_demand

__getattr__, __dir__ = on_demand(__name__, {}, "style")
