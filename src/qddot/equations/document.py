"""A derivation as a document: sections of words and formulas, whatever it is printed as."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.equations.equations import Equations
from qddot.equations.latex import as_latex, escape_latex
from qddot.equations.text import as_text
from qddot.equations.writer import trig_letters
from qddot.errors import printable
from qddot.formulations.derivation import Quantity
from qddot.results import look

WORDS = {
    "lagrange": "Lagrange: from the kinetic and the potential energy",
    "explicit": "The explicit form: from the Jacobians of the centres of mass",
    "trace": "Lagrange–Euler in trace form: from homogeneous transforms and pseudo-inertias",
    "stacked": "Newton–Euler in closed form: all bodies stacked",
    "recursive": "Newton–Euler, body by body, and its terms one by one",
}
FORMATS = ("text", "markdown", "latex", "html")
SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|$&%~^])")


@dataclass(frozen=True)
class Formula:
    """One formula, for every way of printing it."""

    latex: str
    text: str


@dataclass(frozen=True)
class DocumentSection:
    """A heading and what follows it."""

    title: str
    items: tuple[Formula | str, ...]  # a str is a paragraph


@dataclass(frozen=True)
class Document:
    """A page about a robot's equations."""

    title: str
    sections: tuple[DocumentSection, ...]


def document(equations: Equations, with_steps: bool = False) -> Document:
    """Return the page of a derivation: the equations, and the way to them if wanted."""
    model = equations.robot.model
    words = WORDS.get(equations.formulation, equations.formulation)
    sections = [DocumentSection("The robot", tuple(about(equations)))]
    if with_steps:
        sections.append(DocumentSection(words, tuple(step_formulas(equations.steps))))
    sections.append(DocumentSection("The equations of motion", tuple(terms(equations))))
    return Document(f"{printable(model.name)}: {words.split(':')[0]}", tuple(sections))


def about(equations: Equations) -> list[Formula | str]:
    """Return what a reader must know first: coordinates, shorthands, what was taken as exact."""
    ring, model = equations.robot.ring, equations.robot.model
    kinds = ["an angle" if turns else "a displacement" for turns in ring.turns]
    names = [
        f"q{i + 1} is {kind} ({printable(name)})"
        for i, (kind, name) in enumerate(zip(kinds, model.joint_names, strict=True))
    ]
    lines: list[Formula | str] = [printable(model.description)] if model.description else []
    lines.append("Coordinates: " + "; ".join(names) + ".")
    if any(ring.turns) and (letters := trig_letters(model.symbols)):
        s, c = letters
        lines.append(f"Shorthand: {c}1 = cos q1, {s}12 = sin(q1 + q2), and so on.")
    lines += [printable(note) for note in equations.robot.notes]
    if any(f.is_dry for f in equations.robot.tree.friction):
        lines.append("Dry friction, Fs sgn(q̇), is not a polynomial and is left out below.")
    return lines


def step_formulas(steps: tuple[Quantity, ...]) -> list[Formula | str]:
    """Return every intermediate quantity: its name in words, then what it is."""
    items: list[Formula | str] = []
    for step in steps:
        items.append(step.title)
        middle = f" = {step.formula}" if step.formula else ""
        items.append(formula(step.symbol + middle, plain_symbol(step.symbol), step.value))
    return items


def balance(equations: Equations) -> Formula:
    """Return the equation of motion by the names of its terms."""
    latex, text = r"\tau = M(q)\,\ddot{q} + c(q,\dot{q}) + g(q)", "τ = M(q) q̈ + c(q, q̇) + g(q)"
    if any(equations.friction):
        latex, text = latex + r" + F_v \dot{q} + f_0", text + " + Fv q̇ + f0"
    if any(equations.springs):
        latex, text = latex + r" + K (q - q_0) + D \dot{q}", text + " + K (q − q0) + D q̇"
    return Formula(latex, text)


def terms(equations: Equations) -> list[Formula | str]:
    """Return the equation of motion term by term, as the decks name them."""
    items: list[Formula | str] = [balance(equations)]
    parts: list[tuple[str, str, str, Any]] = [
        ("Mass matrix", "M", "M", equations.M),
        ("Centrifugal and Coriolis torques", "c", "c", equations.c),
        (
            "Christoffel Coriolis matrix",
            "C",
            "C",
            equations.C,
        ),
        ("Gravity torques", "g", "g", equations.g),
    ]
    if any(equations.friction):
        parts.append(("Friction", r"F_v \dot{q} + f_0", "Fv q̇ + f0", equations.friction))
    if any(equations.springs):
        parts.append(
            (
                "Springs and dampers",
                r"K (q - q_0) + D \dot{q}",
                "K (q − q0) + D q̇",
                equations.springs,
            )
        )
    for title, latex, text, value in parts:
        items.append(title)
        items.append(formula(latex, text, value))
    items.append("Together")
    for i, tau in enumerate(equations.tau):
        items.append(formula(rf"\tau_{{{i + 1}}}", f"τ{i + 1}", tau))
    return items


def formula(latex: str, text: str, value: Any) -> Formula:
    """Return symbol = value."""
    if isinstance(value, str):
        return Formula(f"{latex} = {value}", f"{text} = {value}")
    if isinstance(value, np.ndarray) and value.ndim:
        return Formula(f"{latex} = {as_latex(value)}", f"{text} =\n{as_text(value)}")
    return Formula(f"{latex} = {as_latex(value)}", f"{text} = {as_text(value)}")


# what LaTeX says and a terminal shows instead, longest first
PLAIN = {
    r"\ddot{q}": "q̈",
    r"\dot{q}": "q̇",
    r"\partial": "∂",
    r"\mathcal": "",
    r"\mathrm": "",
    r"\mathbf": "",
    r"\omega": "ω",
    r"\Gamma": "Γ",
    r"\dot": "d/dt ",
    r"\tau": "τ",
    **{f"{{}}^{k}": "⁰¹²³⁴⁵⁶⁷⁸⁹"[k] for k in range(10)},
    "^T": "ᵀ",
}


def plain_symbol(latex: str) -> str:
    """Return a symbol written in LaTeX as a terminal can show it."""
    for what, instead in PLAIN.items():
        latex = latex.replace(what, instead)
    return latex.translate(str.maketrans("", "", "{}_\\")).strip()


def page(document: Document, format: str) -> str:
    """Return the page in one of the formats."""
    if format == "html":
        return look("pages.results.equations_page")(document)
    return {"text": text, "markdown": markdown, "latex": latex}[format](document)


def text(document: Document) -> str:
    lines = [document.title, "=" * len(document.title)]
    for section in document.sections:
        lines += ["", section.title, "-" * len(section.title)]
        for item in section.items:
            lines += ["", *(_indented(item.text) if isinstance(item, Formula) else [item])]
    return "\n".join(lines) + "\n"


def _indented(block: str) -> list[str]:
    return [f"    {line}" for line in block.splitlines()]


def markdown(document: Document) -> str:
    lines = [f"# {_plain_markdown(document.title)}"]
    for section in document.sections:
        lines += ["", f"## {_plain_markdown(section.title)}"]
        for item in section.items:
            block = f"$$\n{item.latex}\n$$" if isinstance(item, Formula) else _plain_markdown(item)
            lines += ["", block]
    return "\n".join(lines) + "\n"


def _plain_markdown(words: str) -> str:
    return SPECIAL.sub(r"\\\1", words)


def latex(document: Document) -> str:
    lines = [
        r"\documentclass{article}",
        r"\usepackage{amsmath, amssymb, fontspec}",
        r"\setcounter{MaxMatrixCols}{60}",
        r"\begin{document}",
        rf"\title{{{escape_latex(document.title)}}}\date{{}}\maketitle",
    ]
    for section in document.sections:
        lines.append(rf"\section{{{escape_latex(section.title)}}}")
        for item in section.items:
            block = rf"\[ {item.latex} \]" if isinstance(item, Formula) else escape_latex(item)
            lines += [block, ""]
    return "\n".join([*lines, r"\end{document}", ""])
