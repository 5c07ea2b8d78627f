"""Straight-line programs: recorded from plain NumPy code, transformed, differentiated, saved."""

from qddot.program.program import Program
from qddot.program.recorder import record

__all__ = ["Program", "record"]
