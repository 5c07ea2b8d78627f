"""Robots in MJCF files, by way of MuJoCo's own compiler.

Degrees, default classes, includes and inertia from geoms mean what MuJoCo takes them to mean,
and q is MuJoCo's qpos, entry for entry, less what is left out with a warning or follows another
joint.
"""
