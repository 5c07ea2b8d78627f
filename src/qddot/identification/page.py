"""A fit as one HTML page that asks for nothing: tables, figures, words, how to do it again."""

from __future__ import annotations

import html
import io
import platform
import re
import shlex
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qddot.errors import printable
from qddot.identification import figures
from qddot.identification.log import Log
from qddot.identification.result import Fit
from qddot.saving import ending, write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BADLY = 50.0  # [%], a relative deviation above which a value is hardly known
PAGES = (".html", ".htm")
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 62rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.2rem; margin-top: 2.4rem; }
p.sub { color: #666; margin-top: .2rem; }
table { border-collapse: collapse; font-size: .9rem; margin: 1rem 0; }
th, td { padding: .22rem .9rem .22rem 0; text-align: left; border-bottom: 1px solid #e4e4e4;
  vertical-align: top; }
th { font-weight: 600; border-bottom: 1px solid #999; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr.bad td { color: #a04000; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem; }
dt { color: #666; } dd { margin: 0; }
svg { max-width: 100%; height: auto; } figure { margin: 1rem 0; }
figcaption { color: #666; font-size: .9rem; }
pre { background: #f5f5f5; padding: .8rem 1rem; overflow-x: auto; font-size: .85rem; }
details summary { cursor: pointer; color: #0072B2; }
@media print { details > * { display: block; } }
"""


def write_page(
    fit: Fit,
    path: str | Path,
    log: Log | None,
    raw: Log | None,
    validation: dict[str, Any] | None,
    command: Sequence[str],
) -> None:
    """Write the page; see `qddot.identification.figures.page`."""
    ending(path, "A page", PAGES)
    robot = fit.problem.regression.robot
    title = _text(f"Identification of {robot.name}")
    parts = [
        *_head(fit, raw or log),
        *_errors(fit, validation),
        _figure("Torques", figures.plot_torques(fit), _torque_words(fit)),
        _figure("Residuals", figures.plot_residuals(fit), RESIDUAL_WORDS),
        *_parameters(fit),
        *_unknown(fit),
        *_log(fit, log, raw),
        *_again(fit, log, command),
    ]
    body = "\n".join(parts)
    text = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{title}</h1>\n{body}\n</body>\n</html>\n"
    )

    def write(beside: Path) -> None:
        beside.write_text(text, encoding="utf-8")

    write_whole(path, write)


RESIDUAL_WORDS = (
    "Left: residuals in units of their own deviation, beside a normal distribution. Right: what is "
    "left of the torque at each frequency. Noise is flat; humps are what the model does not have."
)
DEVIATION_WORDS = (
    "Deviations take residuals for noise that does not know the next sample. Where residuals are "
    "what the model lacks, values are less certain than that; the error on unseen parts tells."
)


def _torque_words(fit: Fit) -> str:
    counts = fit.samples.counts
    left = 0.0 if counts is None else 100 * (1 - float(counts.mean()))
    words = "Measured and predicted torques, and below them what is left."
    if left:
        words += f" Grey: the joint hardly moves; these {left:.1f} % of the torques do not count."
    return words


def _head(fit: Fit, log: Log | None) -> Iterator[str]:
    robot = fit.problem.regression.robot
    source = "" if log is None else f" from {log.source}"
    yield f'<p class="sub">{_text(fit.method + source)}</p>'
    facts = {
        "relative torque error": f"{100 * fit.relative_error:.3g} %",
        "on unseen parts of the log": _unseen(fit),
        "base parameters": f"{len(fit.values)} of {len(fit.problem.regression.names)} parameters",
        "samples": f"{fit.count} of each of {robot.n} joints",
        "condition number": f"{fit.condition:.3g} of the scaled base regressor",
        "a robot that can exist": "yes"
        if fit.is_possible
        else "no; method 'consistent' finds the nearest that can",
    }
    rows = (f"<dt>{_text(k)}</dt><dd>{_text(v)}</dd>" for k, v in facts.items() if v)
    yield f"<dl>{''.join(rows)}</dl>"


def _unseen(fit: Fit) -> str:
    from qddot.errors import BadArgument

    try:
        found = fit.cross_validation()
    except BadArgument:
        return "not known: without a part of it, the log does not show every parameter"
    each = ", ".join(f"{100 * e:.3g}" for e in found.relative_errors)
    return f"{100 * found.relative_error:.3g} % on average ({each})"


def _errors(fit: Fit, validation: dict[str, Any] | None) -> Iterator[str]:
    yield "<h2>Errors</h2>"
    robot = fit.problem.regression.robot
    head = ["joint", "RMS", "relative [%]"]
    head += [] if validation is None else ["RMS, other log", "relative [%], other log"]
    rows = []
    for i, joint in enumerate(robot.model.free_joints):
        unit = "N·m" if joint.turns else "N"
        name = robot.joint_names[i]
        row = [name, f"{fit.rms[i]:.3g} {unit}", f"{100 * fit.relative_errors[i]:.3g}"]
        if validation is not None:
            row.append(f"{validation['rms'][name]:.3g} {unit}")
            row.append(f"{100 * validation['relative_errors'][name]:.3g}")
        rows.append(row)
    last = ["all", "", f"{100 * fit.relative_error:.3g}"]
    last += [] if validation is None else ["", f"{100 * validation['relative_error']:.3g}"]
    yield _table(head, [*rows, last])


def _parameters(fit: Fit) -> Iterator[str]:
    yield "<h2>Parameters</h2>"
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
                *(f"{fit.values[k]:.4g}", f"{fit.deviations[k]:.2g}", f"{share:.3g}"),
                *(f"{low[k]:.4g} … {high[k]:.4g}", f"{prior[k]:.4g}"),
            ]
        )
    head = ["base parameter", "value", "deviation", "%", "95 % interval", "before"]
    yield _figure("", figures.plot_parameters(fit), DEVIATION_WORDS)
    yield f"<details open><summary>As a table</summary>{_table(head, rows, bad)}</details>"


def _unknown(fit: Fit) -> Iterator[str]:
    """Yield what could not be found, in words."""
    base = fit.problem.base
    yield "<h2>What could not be identified</h2>"
    words = []
    if base.none:
        words.append(f"These act on no torque, so no log can tell them: {', '.join(base.none)}.")
    if base.lost:
        words.append(f"The robot has these, but this log does not show them: {_all(base.lost)}.")
    if fit.removed:
        words.append(f"Removed, since this log knows them badly: {_all(fit.removed)}.")
    share = fit.relative_deviations
    bad = [name for name, s in zip(fit.names, share, strict=True) if not s <= BADLY]
    if bad:
        words.append(f"Known to worse than {BADLY:.0f} %: {_all(bad)}.")
    yield from (f"<p>{_text(text)}</p>" for text in words)
    if base.together:
        items = "".join(f"<li>{_text(base.why(name))}</li>" for name in base.together)
        count = f"{len(base.together)} parameters act only together with others"
        yield f"<details><summary>{count}</summary><ul>{items}</ul></details>"
    if not words and not base.together:
        yield "<p>Every parameter was found by itself.</p>"


def _log(fit: Fit, log: Log | None, raw: Log | None) -> Iterator[str]:
    yield "<h2>The log</h2>"
    if log is not None:
        items = "".join(f"<li>{_text(str(note))}</li>" for note in log.notes)
        yield f"<ul>{items}</ul>" if items else "<p>Nothing was done to it.</p>"
    caption = (
        "How well the log tells parameters apart. Left: singular values. Right: the share of a "
        "parameter's column that no combination of the others makes."
    )
    yield _figure("", figures.plot_excitation(fit), caption)
    if raw is not None:
        caption = "Positions by frequency: motion to the left, noise to the right."
        yield _figure("", figures.plot_spectrum(raw), caption)


def _again(fit: Fit, log: Log | None, command: Sequence[str]) -> Iterator[str]:
    yield "<h2>How to do it again</h2>"
    if command:
        yield f"<pre>$ qddot {_text(shlex.join(command))}</pre>"
    options = fit.estimator.get_params()
    robot = options.pop("robot")
    extra = fit.problem.regression.extra
    options.pop("extra", None)
    source = "..." if log is None else log.source
    said = "".join(f"    {name}={value!r},\n" for name, value in options.items())
    said += f"    extra={{...}},  # {', '.join(x.name for x in extra)}\n" if extra else ""
    kind = type(fit.estimator)
    code = (
        "import qddot\n"
        f"from {kind.__module__} import {kind.__name__}\n"
        "from qddot.identification.preparation import prepared\n\n"
        f"robot = qddot.load(...)  # {printable(robot.name)}\n"
        f"log = prepared(qddot.load_log(...))  # {printable(source)}\n"
        f"fit = {kind.__name__}(\n    robot,\n{said}).fit(log).fitted\n"
    )
    yield f"<pre>{_text(code)}</pre>"
    used = f"qddot {version('qddot')}, NumPy {np.__version__}, Python {platform.python_version()}"
    yield f'<p class="sub">Made with {_text(used)}.</p>'


def _figure(title: str, drawn: Figure, caption: str) -> str:
    """Return a figure inside the page, its letters as shapes, so that no font is asked for."""
    import matplotlib

    out = io.StringIO()
    salt = title or caption
    with matplotlib.rc_context({"svg.hashsalt": salt, "path.simplify_threshold": 0.3}):
        drawn.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Type": None})
    text = out.getvalue()
    svg = rounded(text[text.index("<svg") :])
    head = f"<h2>{_text(title)}</h2>" if title else ""
    return f"{head}<figure>{svg}<figcaption>{_text(caption)}</figcaption></figure>"


def rounded(svg: str) -> str:
    """Return a drawing without comments, its coordinates to a tenth of a point."""

    def shorter(path: re.Match[str]) -> str:
        return re.sub(r"(\.\d)\d+", r"\1", path[0])

    plain = re.sub(r"\n\s+", "\n", re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL))
    return re.sub(r'\bd="[^"]*"', shorter, plain)


def _table(
    head: Sequence[str], rows: Sequence[Sequence[str]], bad: set[int] | frozenset[int] = frozenset()
) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        kinds = ["", *[' class="n"'] * (len(cells) - 1)]
        pairs = zip(kinds, cells, strict=True)
        return "".join(f"<{tag}{kind}>{_text(cell)}</{tag}>" for kind, cell in pairs)

    body = "".join(
        f"<tr{' class=bad' if k in bad else ''}>{line(row, 'td')}</tr>"
        for k, row in enumerate(rows)
    )
    return f"<table><thead><tr>{line(head, 'th')}</tr></thead><tbody>{body}</tbody></table>"


def _all(names: Sequence[str]) -> str:
    return "; ".join(names)


def _text(words: str) -> str:
    return html.escape(printable(words))
