"""The terms of one state by name, as controllers want them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class AllTerms(NamedTuple):
    """The terms of M q̈ + bias = τ, with bias = c + g + friction + springs."""

    M: np.ndarray  # the mass matrix, (..., n, n)
    c: np.ndarray  # centrifugal and Coriolis torques, (..., n)
    g: np.ndarray  # what holds the arm still against gravity, (..., n)
    bias: np.ndarray  # the torque at q̈ = 0, (..., n)


class FrameTerms(NamedTuple):
    """The terms of M q̈ + bias = τ, and of a frame: J q̇ = [ω; u] and J q̈ + drift = [α; a]."""

    M: np.ndarray  # the mass matrix, (..., n, n)
    c: np.ndarray  # centrifugal and Coriolis torques, (..., n)
    g: np.ndarray  # what holds the arm still against gravity, (..., n)
    bias: np.ndarray  # the torque at q̈ = 0, (..., n)
    pose: np.ndarray  # of the frame in the base, (..., 4, 4)
    J: np.ndarray  # the Jacobian at the frame's origin, in world axes, (..., 6, n)
    drift: np.ndarray  # J̇ q̇, (..., 6)
