"""A fit as one page that asks for nothing: what it is good for, errors, figures, what it lacks."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import printable
from qddot.identification.comparison import (
    deviation,
    error_words,
    percent,
    run_name,
    unknown_deviations,
)
from qddot.identification.log import Log
from qddot.identification.result import Fit
from qddot.identification.usefulness import on_another_log
from qddot.present.figures import fits, parameters
from qddot.present.pages import page
from qddot.saving import ending

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BADLY = 50.0  # [%], a relative deviation above which a value is hardly known


def fit_page(
    fit: Fit,
    path: str | Path,
    *,
    log: Log | None = None,
    raw: Log | Sequence[Log] | None = None,
    validation: Sequence[dict[str, Any]] = (),
    command: Sequence[str] = (),
) -> None:
    """Write one HTML page that asks for nothing: tables, figures, words, how to do it again.

    Args:
        fit: The fit.
        path: The file, .html.
        log: The log that was fitted, for what was done to it; by default the fit's own.
        raw: The log as it was loaded, or all of them, for their spectra.
        validation: What `errors_by_run` says of logs that were not fitted.
        command: The words of the command line that made it.
    """
    ending(path, "A page", page.PAGES)
    shown: Log = fit.log if log is None else log
    raws = [raw] if isinstance(raw, Log) else list(raw or ())
    document = page.page(
        f"Identification of {fit.problem.regression.robot.name}",
        *_head(fit, shown, validation),
        page.section("Errors", *_errors(fit, validation)),
        *_choices(fit),
        page.section("What the model lacks", *_lacks(fit)),
        page.section("Torques", _figure(fits.plot_torques(fit), _torque_words(fit))),
        page.section("Residuals", _figure(fits.plot_residuals(fit), RESIDUAL_WORDS)),
        page.section("Parameters", *_parameters(fit)),
        page.section("What could not be identified", *_unknown(fit)),
        page.section("The log", *_log(fit, shown, raws)),
        page.section("How to do it again", *_again(fit, shown, command)),
        katex=False,
        copying=False,
    )
    page.write_page(path, document)


RESIDUAL_WORDS = (
    "Left: residuals in units of their own deviation, beside a normal distribution. Right: what is "
    "left of the torque at each frequency. Noise is flat; humps are what the model does not have."
)
DEVIATION_WORDS = (
    "Deviations count rows by how long residuals last. Where residuals are what the model lacks, "
    "values are less certain than that; the error on unseen parts tells."
)


JOINT_WORDS = (
    "What is left of the torque of each joint, as a share of it. Before: with the robot's file. "
    "Not fitted: each fifth of the logs predicted from the rest, or a log that was not fitted."
)
PATTERN_WORDS = (
    "Residuals over what explains most of them, on stretches of time that the curve was not fitted "
    "to. Blue: the joint turns forwards; orange: backwards."
)


def _torque_words(fit: Fit) -> str:
    counts = fit.samples.counts
    left = 0.0 if counts is None else 100 * (1 - float(counts.mean()))
    words = "Measured and predicted torques, and below them what is left."
    if left:
        why = ", ".join(fit.samples.reasons)
        words += f" Shaded: {left:.1f} % of the torques, which do not count ({why})."
    return words


def _head(fit: Fit, log: Log, validation: Sequence[dict[str, Any]]) -> Iterator[str]:
    robot = fit.problem.regression.robot
    source = f" from {log.source}" if log.source else ""
    yield page.paragraph(fit.method + source, "quiet")
    for use in (*fit.uses, *(on_another_log(fit, run, run_name(run)) for run in validation)):
        bad = use.startswith(("do not", "not ", "settle", "rough"))
        yield page.paragraph(f"{use[0].upper()}{use[1:]}.", "warn" if bad else "good")
    facts = {
        "relative torque error": f"{100 * fit.relative_error:.3g} %: {error_words(fit)}",
        "status": fit.status,
        "on unseen parts of the log": _unseen(fit),
        "base parameters": f"{len(fit.values)} of {len(fit.problem.regression.names)} parameters",
        "samples": f"{fit.count} of each of {robot.n} joints",
        "condition number": f"{fit.condition:.3g} of the scaled base regressor",
        "a robot that can exist": "yes"
        if fit.is_possible
        else "no; method 'consistent' finds the nearest that can",
    }
    yield page.facts({name: value for name, value in facts.items() if value})


def _unseen(fit: Fit) -> str:
    found = fit.unseen
    if found is None:
        return "not known: without a part of it, the log does not show every parameter"
    each = ", ".join(f"{100 * e:.3g}" for e in found.relative_errors)
    return f"{100 * found.relative_error:.3g} % on average ({each})"


def _errors(fit: Fit, validation: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield a row per joint of every log, and a row per log."""
    robot = fit.problem.regression.robot
    units = [joint.units.effort for joint in robot.model.free_joints]
    runs = [*fit.runs, *validation]
    several = len(runs) > 1
    rows = []
    for run in runs:
        for name, unit in zip(robot.joint_names, units, strict=True):
            each = run["joints"][name]
            errors = [_percent(each[key]) for key in ("before", "fitted", "unseen")]
            which = [run_name(run)] if several else []
            rows.append([name, *which, f"{run['rms'][name]:.3g} {unit}", *errors])
    head = ["joint", *(["log"] if several else []), "RMS"]
    head += ["before [%]", "fitted [%]", "not fitted [%]"]
    yield page.table(head, rows, caption=JOINT_WORDS)
    yield _runs(fit, validation)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.3g}"


def _lacks(fit: Fit) -> Iterator[str]:
    """Yield the few variables that residuals go with, and all of them folded."""
    shown = [pattern for pattern in fit.patterns if pattern.shows]
    if not fit.patterns:
        yield page.paragraph("There are too few rows to tell.")
        return
    if not shown:
        yield page.paragraph(
            "Residuals go with no position, rate, load or time of their joint: what is left looks "
            "like noise."
        )
        return
    yield page.bullets(f"{pattern}." for pattern in shown[: fits.MOST_PATTERNS])
    yield _figure(fits.plot_residuals_against(fit), PATTERN_WORDS)
    rows = [[p.joint, p.variable, f"{100 * p.share:.0f}"] for p in fit.patterns if p.share >= 0.005]
    table = page.table(["joint", "variable", "explained [%]"], rows)
    yield page.folded("Every joint and variable", table)


def _choices(fit: Fit) -> Iterator[str]:
    """Yield what was chosen to be fitted, and what each candidate brings."""
    if fit.choices is not None and fit.choices.rows:
        head, *rows = fit.choices.cells()
        caption = f"{fit.choices.sentence[0].upper()}{fit.choices.sentence[1:]}."
        table = page.table(head, rows, caption=caption, words=True)
        yield page.section("What was fitted", table)


def _runs(fit: Fit, validation: Sequence[dict[str, Any]]) -> str:
    """Return a row per log: those that were fitted, then those that were not."""
    head = ["log", "", "rows", "rate", "fitted rows [%]", "every row [%]", "before [%]"]
    rows = []
    for words, runs in (("fitted", fit.runs), ("not fitted", validation)):
        for run in runs:
            errors = [f"{100 * run[key]:.3g}" for key in ("relative_error", "every_row", "before")]
            rows.append([run_name(run), words, str(run["rows"]), f"{run['rate']:.4g} Hz", *errors])
    caption = (
        "Relative torque errors of each log. Every row: also rows that do not count in the fit. "
        "Before: with the parameters of the robot's file."
    )
    return page.table(head, rows, caption=caption)


def _parameters(fit: Fit) -> Iterator[str]:
    low, high = fit.intervals().T
    prior = fit.problem.B @ fit.problem.prior
    rows, bad = [], set()
    for k, name in enumerate(fit.names):
        share = fit.relative_deviations[k]
        if not share <= BADLY:
            bad.add(k)
        rows.append(
            [
                name,
                f"{fit.values[k]:.4g}",
                *(deviation(fit.deviations[k]), percent(fit.values[k], share)),
                *(f"{low[k]:.4g} … {high[k]:.4g}", f"{prior[k]:.4g}"),
            ]
        )
    head = ["base parameter", "value", "deviation", "%", "95 % interval", "before"]
    yield _figure(parameters.plot_parameters(fit), DEVIATION_WORDS)
    yield page.folded("As a table", page.table(head, rows, bad=bad), is_open=True)


def _unknown(fit: Fit) -> Iterator[str]:
    """Yield what could not be found, in words."""
    base = fit.problem.base
    words = []
    if base.none:
        words.append(f"These act on no torque, so no log can tell them: {', '.join(base.none)}.")
    if base.lost:
        words.append(f"The robot has these, but this log does not show them: {_all(base.lost)}.")
    if fit.removed:
        words.append(f"Removed, since this log knows them badly: {_all(fit.removed)}.")
    share = fit.relative_deviations
    bad = [name for name, s in zip(fit.names, share, strict=True) if not s <= BADLY]
    if why := unknown_deviations(fit):
        words.append(f"{why[0].upper()}{why[1:]}.")
    elif bad:
        words.append(f"Known to worse than {BADLY:.0f} %: {_all(bad)}.")
    if base.lost or (bad and not why):
        words.append("A motion that shows them is planned by qddot excite ROBOT --after LOG.")
    yield from map(page.paragraph, words)
    if base.together:
        count = f"{len(base.together)} parameters act only together with others"
        yield page.folded(count, page.bullets(base.why(name) for name in base.together))
    if not words and not base.together:
        yield page.paragraph("Every parameter was found by itself.")


def _log(fit: Fit, log: Log, raws: Sequence[Log]) -> Iterator[str]:
    notes = [str(note) for note in log.notes]
    yield page.bullets(notes) if notes else page.paragraph("Nothing was done to it.")
    caption = (
        "How well the log tells parameters apart. Left: singular values. Right: the share of a "
        "parameter's column that no combination of the others makes."
    )
    yield _figure(parameters.plot_excitation(fit), caption)
    for raw in raws:
        which = f" of {raw.source}" if len(raws) > 1 else ""
        caption = f"Positions{which} by frequency: motion to the left, noise to the right."
        used = fit.log.bandwidth
        yield _figure(parameters.plot_spectrum(raw, used), caption)


def _again(fit: Fit, log: Log, command: Sequence[str]) -> Iterator[str]:
    if command:
        yield page.code(f"$ qddot {shlex.join(command)}", "sh")
    options = fit.estimator.get_params()
    robot = options.pop("robot")
    chosen = () if fit.choices is None else [x for row in fit.choices.taken for x in row.columns]
    extra = [x for x in fit.problem.regression.extra if x.name not in chosen]
    options.pop("extra", None)
    source = log.source or "..."
    said = "".join(f"    {name}={value!r},\n" for name, value in options.items())
    said += f"    extra={{...}},  # {', '.join(x.name for x in extra)}\n" if extra else ""
    kind = type(fit.estimator)
    code = (
        "import qddot\n"
        f"from {kind.__module__} import {kind.__name__}\n"
        "from qddot.identification import prepared\n\n"
        f"robot = qddot.load(...)  # {printable(robot.name)}\n"
        f"log = prepared(qddot.load_log(...))  # {printable(source)}\n"
        f"fit = {kind.__name__}(\n    robot,\n{said}).fit(log).fitted\n"
    )
    yield page.code(code, "python")
    used = f"qddot {version('qddot')}, NumPy {np.__version__}, Python {platform.python_version()}"
    yield page.paragraph(f"Made with {used}.", "quiet")


def _figure(drawn: Figure, caption: str) -> str:
    return page.figure(page.svg_of(drawn), caption)


def _all(names: Sequence[str]) -> str:
    return "; ".join(names)
