"""Simulated logs of arms that move a lot, for tests of estimators."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from qddot.identification.base_parameters import random_states


def excited(robot, count=600, seed=0, noise=0.0):
    """Return q, qd, qdd and tau at random states, the torques with noise [N·m], one a joint."""
    at = random_states(robot, count, seed=seed, limits=False)
    tau = robot.inverse_dynamics(at.q, at.qd, at.qdd)
    rng = np.random.default_rng(seed + 1)
    return at.q, at.qd, at.qdd, tau + np.asarray(noise) * rng.normal(size=tau.shape)


def as_log(robot, arrays, **more):
    """Return arrays as an object with the names of a log."""
    q, qd, qdd, tau = arrays
    t = np.arange(len(q)) * 0.01
    return SimpleNamespace(t=t, q=q, qd=qd, qdd=qdd, tau=tau, joint_names=robot.joint_names, **more)
