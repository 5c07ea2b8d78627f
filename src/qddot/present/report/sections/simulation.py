"""A motion: the arm is let go, and its energy is accounted for."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from qddot.errors import Interrupted, SimulationWarning, first_lines, printable
from qddot.present.pages import page
from qddot.present.report.chapter import Chapter, Subject, again, count
from qddot.simulation.simulation import simulate
from qddot.simulation.trajectory import Trajectory

DURATION = 3.0  # [s]
EVERY = 0.01  # [s], rows behind the figures
STOPS = 0.3  # restitution of the stops at the joints' limits
PICTURES = 40  # a second, of the moving arm
MOST_PICTURES = 600
MOST_EVENTS = 12
PANELS = ("q", "qd", "energy")
BEGINNING = (
    "It is let go where the page shows it at first, at rest, or at the start that its file gives, "
    "without torques. Where a joint has limits it meets stops there, from which it rebounds with "
    f"{STOPS:g} of its speed."
)


def write(subject: Subject) -> Chapter:
    """Return the chapter."""
    subject.needs_numbers()
    run = dropped(subject) if subject.motion is None else subject.motion
    figure = run.plot(PANELS)
    parts = [
        *([page.paragraph(BEGINNING)] if subject.motion is None else []),
        page.facts(account(run)),
        page.paragraph(run.status, "good" if run.good else "warn"),
        *([player(subject)] if subject.live is not None else []),
        page.figure(page.svg_of(figure), caption_of(run)),
        *events(run),
        again(subject, *how(subject)),
    ]
    glance = f"{run.duration:.3g} s, energy accounted for to {run.audit.number:.0e}"
    return Chapter(tuple(parts), {"motion": pictures(run)}, glance=glance)


def dropped(subject: Subject) -> Trajectory:
    """Return the fall of the arm from its own start, or where the page shows it; no torques."""
    robot = subject.robot
    q0 = None if robot.start.given else robot.home
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # the page says how it ended
        try:
            return simulate(robot, q0, duration=DURATION, every=EVERY, stops=STOPS)
        except Interrupted as stopped:  # by the reader of the terminal, or by the clock
            return stopped.trajectory


def how(subject: Subject) -> tuple[str, str]:
    """Return the command and the lines that make the motion again."""
    if subject.motion is not None:
        return "simulate {robot}", "run = ...  # the motion that was given\nprint(run.audit)"
    q0 = ", ".join(f"{x:g}" for x in subject.robot.home)
    option, argument = f"--q0={q0.replace(' ', '')} ", f"[{q0}], "
    if subject.robot.start.given:
        option = argument = ""
    command = f"simulate {{robot}} {option}--duration {DURATION:g} --stops {STOPS:g}"
    lines = (
        f"run = qddot.simulate(robot, {argument}duration={DURATION:g}, stops={STOPS:g})\n"
        "print(run)\nprint(run.audit)"
    )
    return command, lines


def account(run: Trajectory) -> dict[str, str]:
    """Return where the energy went."""
    energy, audit = run.energy, run.audit
    facts = {
        "duration": f"{run.duration:g} s, {count(len(run), 'row')}",
        "energy at the start": f"{energy.total[0]:.6g} J",
        "at the end": f"{energy.total[-1]:.6g} J",
        "given by motors and others": f"{energy.given[-1]:.4g} J",
        "lost to friction and stops": f"{energy.lost[-1]:.4g} J",
        "unaccounted for": f"{audit.number:.1e} of {audit.exchanged:.4g} J that changed hands",
    }
    if method := run.how.get("method"):
        facts["method"] = f"{method}, tolerance {run.how.get('tolerance', 0):g}"
    return facts


def caption_of(run: Trajectory) -> str:
    """Return what the figure shows."""
    given = " and was given" if run.energy.given.any() else ""
    return (
        "Positions, rates and energies over time. The total and what was lost add up to what was "
        f"there at the start{given}: that is the audit."
    )


def events(run: Trajectory) -> Iterator[str]:
    """Yield what happened on the way."""
    if run.events:
        lines = first_lines([printable(str(event)) for event in run.events], MOST_EVENTS + 1)
        yield page.folded(f"{count(len(run.events), 'event')} on the way", page.bullets(lines))


def player(subject: Subject) -> str:
    """Return the moving arm with a button, a slider of time and what it is worth then."""
    name = page.text(subject.robot.name)
    return (
        f'<figure class="player" id="player"><canvas id="film" class="arm" role="img" tabindex="0" '
        f'aria-label="{name} moving; drag or use the arrow keys to look from elsewhere"></canvas>'
        '<div class="tools interactive"><button type="button" id="play">Play</button>'
        '<label class="time" for="film-time">time <input type="range" id="film-time" min="0" '
        'max="1" step="1" value="0"></label><output for="film-time" id="film-clock">0.00 s</output>'
        '</div><figcaption id="film-caption">The motion in three dimensions.</figcaption></figure>'
    )


def pictures(run: Trajectory) -> dict[str, Any]:
    """Return the motion as the page plays it: positions, and energies, at even instants."""
    wanted = int(np.clip(np.ceil(run.duration * PICTURES), 2, MOST_PICTURES))
    t = np.linspace(float(run.t[0]), float(run.t[-1]), wanted)
    q = run.at(t)[0] if len(run) > 1 else np.repeat(run.q[:1], wanted, axis=0)
    rows = np.clip(np.searchsorted(run.t, t, side="right") - 1, 0, len(run) - 1)
    finite = np.nan_to_num
    return {
        "t": np.round(t, 4).tolist(),
        "q": np.round(finite(q), 5).tolist(),
        "kinetic": np.round(finite(run.energy.kinetic[rows]), 4).tolist(),
        "potential": np.round(finite(run.energy.potential[rows]), 4).tolist(),
        "lost": np.round(finite(run.energy.lost[rows]), 4).tolist(),
    }
