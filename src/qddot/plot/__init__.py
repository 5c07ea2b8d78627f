"""Figures, one family a file. They draw plain arrays, so that every result can draw itself."""

from qddot.on_demand import on_demand

__getattr__, __dir__ = on_demand(__name__, {}, ("compare", "style"))
