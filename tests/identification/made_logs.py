"""Logs made by hand, and where the measured ones lie."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import qddot
from qddot.identification.log import Log

ROOT = Path(__file__).resolve().parents[2]


def measured(name: str) -> Path:
    """Return a folder of measured logs, or skip."""
    folder = Path(os.environ.get("QDDOT_DATA", ROOT.parent / "shared" / "data")) / name
    if not folder.exists():
        pytest.skip(f"the measured log {name} is not here; QDDOT_DATA says where they are")
    return folder


def swinging(n: int = 2, rate: float = 200.0, duration: float = 4.0) -> Log:
    """Return joints that swing at 0.4, 0.7, ... Hz, with exact rates and some torque."""
    t = np.arange(round(duration * rate) + 1) / rate
    w = 2 * np.pi * (0.4 + 0.3 * np.arange(n))
    x = np.multiply.outer(t, w) + 0.5 * np.arange(n)
    q, qd, qdd = np.sin(x), w * np.cos(x), -w * w * np.sin(x)
    return Log(
        tuple(f"j{k + 1}" for k in range(n)), t, q, qd, qdd, 3 * qdd + np.sign(qd), "by hand"
    )


def rubbing(rate: float, duration: float, noise: float) -> tuple[np.ndarray, ...]:
    """Return t, q and noisy torques of two links with friction that swing in two waves each."""
    robot = qddot.load("two_link").with_friction(viscous=5.0, coulomb=2.0)
    t = np.arange(round(duration * rate) + 1) / rate
    w = 2 * np.pi * np.array([0.35, 0.6])
    x = np.multiply.outer(t, w)
    q, qd = np.sin(x) + 0.3 * np.sin(2.7 * x), w * (np.cos(x) + 0.81 * np.cos(2.7 * x))
    qdd = -(w**2) * (np.sin(x) + 0.3 * 2.7**2 * np.sin(2.7 * x))
    tau = robot.inverse_dynamics(q, qd, qdd)
    return t, q, tau + np.random.default_rng(0).normal(0, noise, tau.shape)


def text(log: Log, separator: str = ",") -> list[str]:
    """Return the lines of a log as CSV: t, q.<joint>, qd.<joint>, tau.<joint>."""
    assert log.qd is not None
    assert log.tau is not None
    names = ["t", *(f"{what}.{joint}" for what in ("q", "qd", "tau") for joint in log.joint_names)]
    rows = np.column_stack([log.t, log.q, log.qd, log.tau])
    return table(names, rows, separator=separator)


def table(names, *columns: np.ndarray, separator: str = ",") -> list[str]:
    """Return the lines of a file with these columns."""
    rows = np.column_stack(columns).tolist()
    return [separator.join(names), *(separator.join(map(repr, row)) for row in rows)]


def written(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def notes(log: Log) -> str:
    return "\n".join(map(str, log.notes))


def torn(log: Log, first: int, last: int) -> Log:
    """Return a log in which rows are missing."""
    return log[np.r_[:first, last : len(log)]]


def named(*names: str) -> qddot.Robot:
    """Return a planar arm whose joints have these names."""
    links = [dict(alpha=0.0, a=0.5, d=0.0, name=name, mass=1.0) for name in names]
    return qddot.from_dh(links, convention="standard")


def write_bag(path: Path, topic: str, kind: str, messages, *, store=None, **options) -> None:
    """Write a bag with one topic; messages are (seconds, fields of the message) each."""
    from rosbags.rosbag2 import Writer
    from rosbags.typesys import Stores, get_typestore

    store = store or get_typestore(Stores.ROS2_HUMBLE)
    Header = store.types["std_msgs/msg/Header"]
    Time = store.types["builtin_interfaces/msg/Time"]
    with Writer(path, version=9, **options) as bag:
        connection = bag.add_connection(topic, kind, typestore=store)
        for t, fields in messages:
            stamp = 1_700_000_000 * 10**9 + round(t * 1e9)
            header = Header(stamp=Time(sec=stamp // 10**9, nanosec=stamp % 10**9), frame_id="")
            message = store.types[kind](header=header, **fields)
            bag.write(connection, stamp, store.serialize_cdr(message, kind))


NOISES = {  # order and corner [Hz] of the filter that a controller has put on its encoders
    "white": None,
    "first order, 50 Hz": (1, 50.0),
    "first order, 150 Hz": (1, 150.0),
    "first order, 250 Hz": (1, 250.0),
    "second order, 150 Hz": (2, 150.0),
    "Butterworth, 50 Hz": (4, 50.0),
    "Butterworth, 150 Hz": (4, 150.0),
}
COUNT = 2 * np.pi / 2**14  # of an encoder [rad]


def waving(n: int, t: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q, q̇ and q̈ of joints that wave at eight frequencies up to 0.8 Hz."""
    rng = np.random.default_rng(seed)
    phase = rng.uniform(0, 2 * np.pi, (8, n))
    size = 0.5 * rng.uniform(0.5, 1, (8, n)) / np.arange(1, 9)[:, None]
    w = 2 * np.pi * 0.1 * np.arange(1, 9)
    x = w[:, None] * t[:, None, None] + phase
    return (
        np.sum(size * np.sin(x), axis=1),
        np.sum(size * w[:, None] * np.cos(x), axis=1),
        -np.sum(size * w[:, None] ** 2 * np.sin(x), axis=1),
    )


def moved(robot, *, more=None, rate=100.0, seconds=30.0, motion=0, seed=0, noise=0.0) -> Log:
    """Return a log of an arm that waves, with its accelerations, and noise of its torques.

    Args:
        robot: The arm.
        more: What no model has, a function of (t, q, qd, qdd).
        rate, seconds: Rows a second [Hz], and how long.
        motion, seed: Of the motion, and of the noise.
        noise: Of torques [N·m]; or as a text, of their size: "2 %".
    """
    t = np.arange(round(seconds * rate)) / rate
    q, qd, qdd = waving(robot.n, t, motion)
    tau = robot.inverse_dynamics(q, qd, qdd) + (0 if more is None else more(t, q, qd, qdd))
    size: object = noise
    if isinstance(noise, str):
        size = float(noise.removesuffix("%")) / 100 * np.sqrt(np.mean(tau**2, axis=0))
    tau = tau + size * np.random.default_rng(seed).normal(size=tau.shape)
    return Log(robot.joint_names, t, q, qd, qdd, tau)


def noisy(
    robot: object,
    kind: str = "white",
    *,
    rate: float = 1000.0,
    duration: float = 20.0,
    seed: int = 0,
    level: float = 1e-4,
    torque: float = 0.01,
) -> Log:
    """Return a log of positions and torques of a known arm.

    Args:
        robot: The arm.
        kind: One of NOISES, "counts" (a coarse encoder), "ripple" (of torques, by position) or
            "controller" (low-passed noise that the controller answers).
        rate, duration: Rows a second [Hz], and seconds.
        seed: Of motion and noise.
        level: Of the noise of positions before its filter [rad].
        torque: Of the noise of torques, of their size.
    """
    from scipy.signal import butter, lfilter

    t = np.arange(round(duration * rate) + 1) / rate
    q, qd, qdd = waving(robot.n, t, seed)
    tau = robot.inverse_dynamics(q, qd, qdd)
    rng = np.random.default_rng(seed + 100)
    size = np.sqrt(np.mean(tau**2, axis=0))
    e = level * rng.normal(size=q.shape)
    tau = tau + torque * size * rng.normal(size=q.shape)
    if kind == "counts":
        q = COUNT * np.round(q / COUNT)
    elif kind == "ripple":
        q, tau = q + e / 10, tau + 0.03 * size * np.sin(60 * q + 1)
    elif kind == "controller":
        e = lfilter(*butter(1, 150, fs=rate), e, axis=0)
        stiff = np.diag(robot.mass_matrix(q[0])) * (2 * np.pi * 5) ** 2
        rate_of = lfilter(*butter(1, 50, fs=rate), np.gradient(e, 1 / rate, axis=0), axis=0)
        q, tau = q + e, tau - stiff * (e + 2 * rate_of / (2 * np.pi * 5))
    else:
        given = NOISES[kind]
        q = q + (e if given is None else lfilter(*butter(*given, fs=rate), e, axis=0))
    return Log(robot.joint_names, t, q, tau=tau, source=f"made/{kind}.csv")


def lasting_and_coarse(
    robot: object, seed: int, rate: float = 1000.0, seconds: float = 20.0
) -> Log:
    """Return one motion of a known arm, each seed with other noise, as drives and encoders have it.

    Torques have noise that lasts 50 ms, 2 % of their size, and a ripple by position of 1 %;
    positions have noise of 10 µrad and counts of 16 bits.
    """
    from scipy.signal import lfilter

    t = np.arange(round(seconds * rate) + 1) / rate
    q, qd, qdd = waving(robot.n, t, seed=3)
    tau = robot.inverse_dynamics(q, qd, qdd)
    size = np.sqrt(np.mean(tau**2, axis=0))
    rng = np.random.default_rng(seed)
    a, before = np.exp(-1 / (0.05 * rate)), round(2 * rate)
    white = rng.normal(size=(len(t) + before, robot.n))
    lasts = lfilter([np.sqrt(1 - a * a)], [1, -a], white, axis=0)[before:]
    tau = tau + size * (0.02 * lasts + 0.01 * np.sin(60 * q + rng.uniform(0, 6.3, robot.n)))
    count = 2 * np.pi / 2**16
    coarse = count * np.round((q + rng.uniform(0, count, robot.n)) / count)
    return Log(robot.joint_names, t, coarse + 1e-5 * rng.normal(size=q.shape), tau=tau)
