"""Inverse kinematics: what a frame's pose says about the joints that carry it."""

from qddot.kinematics.solutions import Solutions

__all__ = ["Solutions"]
