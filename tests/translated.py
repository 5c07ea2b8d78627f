"""Robots on which a translation of programs is compared with the kernels.

A backend translates operations; each has a test of its own per backend. Whole robots show that
they are put together rightly: a small one with a slide, and a real arm. The others are long.
"""

from long import long

ROBOTS = ("rp", "panda", *long("two_link", "double_pendulum", "scara", "puma560", "ur5", "baxter"))
