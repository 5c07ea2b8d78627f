"""Inverse kinematics: what a frame's pose says about the joints that carry it."""
