"""Results as pages that ask for nothing: the equations of a robot, and a fit."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.equations.document import Document, Item, Picture, Words, WordTable
from qddot.equations.formulas import Equation
from qddot.equations.layout import PAGE, SLIDE, aligned
from qddot.equations.printing import MOST_ROWS, spoken
from qddot.equations.slide_frames import frames_of
from qddot.errors import printable
from qddot.formulations.plain_formula import plain
from qddot.identification.comparison import (
    deviation,
    error_words,
    percent,
    unknown_deviations,
)
from qddot.identification.log import Log
from qddot.identification.result import Fit
from qddot.present.figures import fits, parameters
from qddot.present.pages import page
from qddot.saving import ending

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BADLY = 50.0  # [%], a relative deviation above which a value is hardly known


def equations_page(document: Document) -> str:
    """Return a document of equations as a page that works offline, drawn by KaTeX."""
    sections = [
        page.section(spoken(Words(part.title), plain, str), *(element(item) for item in part.items))
        for part in document.sections
    ]
    return page.page(document.title, *sections)


def equations_slides(document: Document) -> str:
    """Return the document as slides in one page; arrow keys go on."""
    title = f"<h2>{page.text(document.title)}</h2>"
    slides = [f'<section id="title" aria-label="Title">{title}</section>']
    for part in document.sections:
        name = spoken(Words(part.title), plain, str)
        for frame in frames_of(part):
            slides.append(page.section(name, *(element(item, SLIDE) for item in frame)))
    script, style = page.file("slides.js"), page.file("slides.css")
    return page.page(document.title, *slides, scripts=[script], styles=[style])


def element(item: Item, room: float = PAGE) -> str:
    """Return an item of a document as a part of a page."""
    match item:
        case Equation():
            rows = item.rows(room)
            pieces = [rows[k : k + MOST_ROWS] for k in range(0, len(rows), MOST_ROWS)]
            words = item.text()
            return "".join(page.formula(aligned(piece), words) for piece in pieces)
        case WordTable(head, rows):
            return page.formula_table(head, [[_cell(cell) for cell in row] for row in rows])
        case Picture(svg, _, caption):
            return page.figure(svg, caption)
        case Words():
            # a formula stays on the page of the words that announce it
            kind = ' class="announces"' if item.words.endswith(":") else ""
            return f"<p{kind}>{_cell(item)}</p>"
    return page.paragraph(item)


def _cell(cell: str | Words) -> str:
    if isinstance(cell, Words):
        return spoken(cell, lambda math: page.inline_formula(math, plain(math)), page.text)
    return page.text(cell)


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
        *_head(fit, shown),
        page.section("Errors", _errors(fit), _runs(fit, validation)),
        *_choices(fit),
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


def _torque_words(fit: Fit) -> str:
    counts = fit.samples.counts
    left = 0.0 if counts is None else 100 * (1 - float(counts.mean()))
    words = "Measured and predicted torques, and below them what is left."
    if left:
        why = ", ".join(fit.samples.reasons)
        words += f" Shaded: {left:.1f} % of the torques, which do not count ({why})."
    return words


def _head(fit: Fit, log: Log) -> Iterator[str]:
    robot = fit.problem.regression.robot
    source = f" from {log.source}" if log.source else ""
    yield page.paragraph(fit.method + source, "quiet")
    facts = {
        "relative torque error": f"{100 * fit.relative_error:.3g} %: {error_words(fit)}",
        "status": fit.status,
        "doubts about the log": " ".join(map(str, fit.doubts)),
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
    from qddot.errors import BadArgument

    try:
        found = fit.cross_validation()
    except BadArgument:
        return "not known: without a part of it, the log does not show every parameter"
    each = ", ".join(f"{100 * e:.3g}" for e in found.relative_errors)
    return f"{100 * found.relative_error:.3g} % on average ({each})"


def _errors(fit: Fit) -> str:
    robot = fit.problem.regression.robot
    rows = []
    for i, joint in enumerate(robot.model.free_joints):
        rms = f"{fit.rms[i]:.3g} {joint.units.effort}"
        rows.append([robot.joint_names[i], rms, f"{100 * fit.relative_errors[i]:.3g}"])
    rows.append(["all", "", f"{100 * fit.relative_error:.3g}"])
    head = ["joint", "RMS", "relative [%]"]
    return page.table(head, rows, caption="What is left of the torques, joint by joint.")


def _choices(fit: Fit) -> Iterator[str]:
    """Yield what was chosen to be fitted, and what each candidate brings."""
    if fit.choices is not None and fit.choices.rows:
        head, *rows = fit.choices.cells()
        caption = f"{fit.choices.sentence[0].upper()}{fit.choices.sentence[1:]}."
        yield page.section("What was fitted", page.table(head, rows, caption=caption))


def _runs(fit: Fit, validation: Sequence[dict[str, Any]]) -> str:
    """Return a row per log: those that were fitted, then those that were not."""
    head = ["log", "", "rows", "rate", "fitted rows [%]", "every row [%]", "before [%]"]
    rows = []
    for words, runs in (("fitted", fit.runs), ("not fitted", validation)):
        for run in runs:
            errors = [f"{100 * run[key]:.3g}" for key in ("relative_error", "every_row", "before")]
            rows.append([run["run"], words, str(run["rows"]), f"{run['rate']:.4g} Hz", *errors])
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
