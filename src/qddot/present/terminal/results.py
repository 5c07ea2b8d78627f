"""Results on a terminal, as verbs print them: motions, closed loops, fits, sweeps, times, reports.

Names come from files, so they are always printable.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import first_lines, printable, shorten
from qddot.model.limits import without_stops
from qddot.model.units import for_people

if TYPE_CHECKING:
    from qddot.control.laws.assumption import Assumption
    from qddot.control.loop import ClosedLoop
    from qddot.identification.result import Fit
    from qddot.present.report.report import Outcome
    from qddot.simulation.trajectory import Trajectory
    from qddot.speed import Speed
    from qddot.sweeps.result import Sweep
    from qddot.sweeps.study import Study

WIDTH = 98  # characters of a line
MOST_EVENTS = 12
MOST_PATTERNS = 4  # of residuals
BADLY = 50.0  # [%], a relative deviation above which a value is hardly known
MOST_RUNS = 20_000_000  # of which a summary is made unasked
SUMMED_UP = ("finite", "limits.kept", "ended", "audit", "energy.", "error.", "torque.peak.")


def motion_lines(run: Trajectory, degrees: bool = False) -> list[str]:
    """Return what a simulated motion came to: state, energy, events, verdict."""
    from qddot.simulation.trajectory import stop_words

    energy = run.energy
    width = max([5, *(len(printable(name)) for name in run.joint_names)])
    # the column of the joints has friction alone
    stops = energy.impacts[-1]
    at_stops = f" ({stops:.4g} J of it at stops)" if stops else ""
    lines = [f"{'joint':<{width}}  {'q':>8}      {'q̇':>8}        {'work':>9}    {'lost':>9}"]
    for i, (name, unit) in enumerate(zip(run.joint_names, run.units, strict=True)):
        shown, factor = for_people(unit, degrees)
        q, qd = run.q[-1, i] * factor, run.qd[-1, i] * factor
        digits = 2 if degrees else 4
        state = f"{q:>8.{digits}f} {shown:<3}  {qd:>8.{digits}f} {shown + '/s':<5}"
        work = f"{energy.actuators[-1, i]:>9.4g} J  {energy.friction[-1, i]:>9.4g} J"
        lines.append(f"{printable(name):<{width}}  {state}  {work}")
    lines += [
        "",
        f"energy  {energy.total[0]:.6g} J at the start, {energy.total[-1]:.6g} J at the end; "
        f"{energy.given[-1]:.4g} J given, {energy.lost[-1]:.4g} J lost{at_stops}",
    ]
    if run.events:
        events = [printable(str(event)) for event in run.events]
        lines += ["", *first_lines(events, MOST_EVENTS + 1, "; --json lists them all.")]
    return [*lines, "", *stop_words(run), run.status]


def loop_lines(run: ClosedLoop, degrees: bool = False) -> list[str]:
    """Return what a closed loop came to: error, torque, V, assumptions, verdict."""
    found = run.report
    lines = [f"{found.law}: {run.law.equation}", ""]
    lines += [f"  {key} = {gain_words(value)}" for key, value in run.law.gains.items()]
    width = max(5, *(len(printable(n)) for n in (*found.error_names, *found.joint_names)))
    lines += ["", f"{'error':<{width}}  {'RMS':>9}  {'worst':>9}  {'final':>9}"]
    errors = zip(found.rms, found.worst, found.final, strict=True)
    for name, own, values in zip(found.error_names, found.error_units, errors, strict=True):
        unit, factor = for_people(own, degrees)
        cells = "  ".join(f"{x * factor:>9.3g}" for x in values)
        lines.append(f"{printable(name):<{width}}  {cells}  {unit}".rstrip())
    efforts = [joint.units.effort for joint in run.robot.model.free_joints]
    lines += ["", f"{'torque':<{width}}  {'RMS':>9}  {'peak':>9}  {'margin':>9}"]
    for name, unit, *values in zip(
        found.joint_names, efforts, found.effort, found.peak, found.margin, strict=True
    ):
        cells = [f"{x:>9.4g}" if np.isfinite(x) else f"{'no limit':>9}" for x in values]
        lines.append(f"{printable(name):<{width}}  " + "  ".join([*cells, unit]))
    V = "no Lyapunov function"
    if run.V is not None:
        V = f"Lyapunov function {found.lyapunov}: from {run.V[0]:.4g} to {run.V[-1]:.4g}"
    return [
        *lines,
        "",
        found.settling,
        V,
        "",
        "assumptions",
        *(line for each in found.assumptions for line in assumption_lines(each)),
        "",
        *textwrap.wrap(f"sound: {printable(found.verdict)}", WIDTH, subsequent_indent="  "),
        run.trajectory.status,
    ]


def gain_words(value: Any) -> str:
    """Return a gain in a line: its number, or its diagonal."""
    array = np.asarray(value)
    if array.ndim == 2:
        return f"a matrix, {array.shape[0]} × {array.shape[1]}"
    if array.ndim == 1 and np.ptp(array) == 0:
        array = array[0]
    return ", ".join(f"{x:.4g}" for x in np.atleast_1d(array))


def assumption_lines(assumption: Assumption) -> list[str]:
    """Return what a law relies on, whether that is so, and why."""
    words = f"{assumption.statement}: {printable(assumption.why)}"
    first = f"  {assumption.verdict:<4}  "
    return textwrap.wrap(words, WIDTH, initial_indent=first, subsequent_indent=" " * len(first))


def fit_lines(fit: Fit, errors: Sequence[dict[str, Any]]) -> list[str]:
    """Return what a fit came to: how well, which values, what was done to the logs."""
    from qddot.identification.comparison import run_lines, run_name
    from qddot.identification.usefulness import on_another_log

    words = repr(fit).replace("method='consistent'", "--method consistent")
    lines = [*words.splitlines(), "", *fit.table().splitlines(), ""]
    if fit.choices is not None:
        lines += [*str(fit.choices).splitlines(), ""]
    lines += [f"{note.severity}: {note}" for note in fit.log.notes if note.severity == "note"]
    lines += ["", "on what was not fitted:", *run_lines(errors)] if errors else []
    lines += [f"  {on_another_log(fit, run, run_name(run))}" for run in errors]
    shown = [pattern for pattern in fit.patterns if pattern.shows][:MOST_PATTERNS]
    lines += ["", "what the model lacks:"] if shown else []
    for each in shown:
        lines += textwrap.wrap(
            str(each), WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
        )
    if fit.problem.base.lost or np.any(fit.relative_deviations > BADLY):
        lines += ["", "A motion that shows what is known badly: qddot excite ROBOT --after LOG"]
    return lines


def study_lines(study: Study) -> list[str]:
    """Return what a plan would run."""
    facts = study.to_dict()
    how = "adaptive steps" if study.clock.exact else f"{study.clock.steps:,} steps"
    lines = [
        f"{facts['robot']}: {facts['runs']:,} runs of {study.clock.duration:g} s ({how}), "
        f"in {facts['units']:,} units of {facts['unit']:,}"
    ]
    if study.controllers[0].law is not None:
        lines.append(f"  controllers: {', '.join(facts['controllers'])}")
    for line in study.runs.variations:
        size = f"{len(line.grid)} values" if line.grid is not None else facts["varied"][line.key]
        lines.append(f"  {line.key}: {size}")
    if left_out := without_stops(study.robot.model, "a sweep"):
        lines.append(f"  {left_out}")
    return [printable(line) for line in [*lines, f"  keeps: {', '.join(facts['keep'])}"]]


def sweep_lines(sweep: Sweep, seconds: float) -> list[str]:
    """Return how a sweep went, in so many seconds."""
    lines = []
    named = [name for name in sweep.columns if name.startswith(SUMMED_UP)]
    if sweep.parts and named and sweep.runs <= MOST_RUNS:
        heading = ("mean", "p05", "median", "p95", "max")
        width = min(32, max(map(len, named)))
        lines.append(" " * width + "".join(f"{name:>12}" for name in heading))
        spreads = sweep.summary(named).groups[None]
        for name, spread in spreads.items():
            numbers = "".join(f"{getattr(spread, key):>12.4g}" for key in heading)
            if not spread.count:
                numbers = f"{'in no run':>12}"
            lines.append(f"{shorten(printable(name), width):<{width}}{numbers}")
        settled = spreads.get("error.settled")
        if settled is not None and settled.missing:
            many = settled.count + settled.missing
            lines += ["", f"error.settled: never settled in {settled.missing:,} of {many:,} runs"]
        lines.append("")
    for unit, words in list(sweep.failed.items())[:3]:
        lines.append(f"unit {unit} failed: {shorten(words.partition(chr(10))[0], 120)}")
    if sweep.failed:
        lines.append(f"{len(sweep.failed)} units failed; the same command tries them again.")
    how = f"{sweep.done:,} of {sweep.units:,} units" if not sweep.complete else "complete"
    lines.append(f"{sweep.runs:,} runs, {how}, {seconds:.0f} s")
    return [*map(printable, lines), printable(str(sweep.folder))]


def speed_lines(rows: Sequence[Speed]) -> list[str]:
    """Return times as a table."""
    lines = [f"{'a state':<18}{'states a call':>14}{'qddot':>12}{'Pinocchio':>14}{'faster':>10}"]
    for row in rows:
        line = f"{row.name.replace('_', ' '):<18}{row.batch:>14}{row.ns:>9.1f} ns"
        if row.peer_ns is not None and row.ratio is not None:
            line += f"{row.peer_ns:>11.1f} ns{row.ratio:>8.1f} ×"
        lines.append(line)
    if find_spec("pinocchio") is None:
        lines += ["", "Pinocchio is not installed, so nothing is compared: pip install pin"]
    elif not any(row.peer for row in rows):
        lines += ["", "Pinocchio does not compute the same for this robot, so it is not timed."]
    return lines


def report_lines(path: Path, outcomes: Sequence[Outcome], seconds: float) -> list[str]:
    """Return what was written to a page: the main facts, and where it is."""
    found = [
        printable(f"  {outcome.section.title:<42} {outcome.chapter.glance}")
        for outcome in outcomes
        if outcome.chapter is not None and outcome.chapter.glance
    ]
    done = sum(outcome.state == "done" for outcome in outcomes)
    size = path.stat().st_size / 1e6
    where = path.absolute()
    return [
        *found,
        *([""] if found else []),
        f"{done} of {len(outcomes)} sections, {size:.1f} MB, {seconds:.0f} s",
        printable(str(where)),
        where.as_uri(),
    ]
