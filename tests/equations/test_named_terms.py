"""Long sums by names: what is printed, put together again, is the polynomial that it was."""

import re
from functools import cache

import numpy as np
import pytest
from blackboard import DERIVE
from long import long

import qddot
from qddot.equations import named_terms
from qddot.equations.answers.reader import AnswerReader
from qddot.equations.answers.scanning import plain
from qddot.equations.answers.vocabulary import Vocabulary
from qddot.equations.definitions import named_entries, with_definitions
from qddot.equations.document import DocumentSection, document, part_section, terms
from qddot.equations.forms import Collected, form
from qddot.equations.formulas import Definitions, Equation
from qddot.equations.named_terms import LONGEST, NamedTerms
from qddot.equations.nodes import Name
from qddot.equations.printing import page
from qddot.equations.reading import PolynomialReader
from qddot.equations.ring import Ring
from qddot.equations.values import evaluated, generator_values
from qddot.formulations.notation_file import notation
from qddot.scalars.expressions import symbol


def chain(seed):
    """Return a random arm: joints that turn and slide, two that are parallel, symbols in it."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(1, 4 + (seed % 2 == 0)):
        numbers = dict(
            zip(("a", "d", "alpha"), rng.uniform(-1, 1, 3).round(2).tolist(), strict=True)
        )
        row = {**numbers, "mass": f"m{k}" if seed % 2 else 1.5, "com": [0.1, -0.2, 0.3]}
        row["inertia"] = [f"I{k}", 0.3, 0.4] if seed % 2 else [0.2, 0.01, 0.02, 0.3, 0.03, 0.4]
        rows.append(
            row | ({"type": "prismatic", "theta": 0.3, "d": 0} if k == seed % 4 + 1 else {})
        )
    rows[1]["alpha"] = 0
    return qddot.from_dh(rows, "standard")


@cache
def made(robot, formulation="lagrange"):
    """Return the equations, the sections of their page, and these with names."""
    eqs = qddot.derive(chain(robot) if isinstance(robot, int) else robot, formulation)
    sections = [part_section(part, eqs.notation) for part in eqs.parts]
    sections.append(DocumentSection("The equations of motion", tuple(terms(eqs))))
    names = NamedTerms(eqs.robot.ring, eqs.notation.named_term)
    return eqs, sections, with_definitions(sections, names, eqs.notation), names


def equations(sections):
    return [item for part in sections for item in part.items if isinstance(item, Equation)]


class Expanding(PolynomialReader):
    """Reads formulas with names in them; a name that was not defined before is an error."""

    def __init__(self, ring):
        super().__init__(ring, [])
        self.named = {}

    def value(self, node):
        return (
            (self.named[node.label], 1)
            if isinstance(node, Name) and node.kind == "term"
            else (super().value(node))
        )


CASES = [(1, "explicit")]
MORE = [
    ("puma560", "lagrange"),
    ("ur5", "newton_euler"),
    (0, "lagrange"),
    ("panda", "lagrange"),
    ("panda", "explicit"),
    *((r, w) for r in range(2, 8) for w in DERIVE),
]


@pytest.fixture(autouse=True)
def whole_pages(monkeypatch):
    monkeypatch.setattr(named_terms, "MOST_PRINTED", 10**6)


@pytest.mark.parametrize(("robot", "formulation"), [*CASES, *long(*MORE)])
def test_expanded_again_every_entry_is_the_same_polynomial(robot, formulation):
    eqs, before, after, names = made(robot, formulation)
    reader, collected = Expanding(eqs.robot.ring), 0
    whole = iter(equations(before))
    for item in equations(after):
        if isinstance(item, Definitions):
            for line in item.equations:
                assert line.symbol not in reader.named
                assert 1 < len(line.value) <= LONGEST
                reader.named[line.symbol] = reader.value(form(line.value))[0]
            continue
        old = next(whole)
        if item.value is None:
            continue
        pairs = zip(np.ravel(old.value), np.ravel(item.value), strict=True)
        for right, written in pairs:
            if isinstance(written, Collected):
                assert len(written) <= LONGEST
                value, below = reader.value(form(written))
                assert below == 1
                assert not value - right
                collected += 1
            else:
                assert written is right
        for name, value in named_entries(old):
            reader.named.setdefault(name, value)
    assert next(whole, None) is None
    assert collected > 5
    assert names.left_out == 0


def test_names_are_shared_and_the_text_is_short():
    _, _, after, names = made("puma560")
    assert len(names.definitions) < 80
    uses = [k for item in equations(after) for k in used(item)]
    assert all(uses.count(name.label) > 0 for name, _ in names.definitions)
    assert sum(uses.count(name.label) > 1 for name, _ in names.definitions) > 30


def used(item):
    """Return the names in an equation, each as often as it is there."""
    lines = item.equations if isinstance(item, Definitions) else [item]
    for line in lines:
        for x in np.ravel(np.asarray(line.value, dtype=object)):
            if isinstance(x, Collected):
                yield from (
                    f.label for m in x.terms for f, _ in m if getattr(f, "kind", "") == "term"
                )


def test_the_printed_text_has_the_values_of_the_equations():
    """The page as a terminal shows it, read again line by line: names first, then c."""
    eqs = made("puma560")[0]
    text = page(document(eqs), "text")
    rng = np.random.default_rng(3)
    q, qd = rng.uniform(-1, 1, (2, 6))
    joined = re.sub(r"\n {10}(?=\S)", " ", text)
    shown = dict(re.findall(r"^ {4}(λ\d+) = (.*)$", joined, re.MULTILINE))
    entries = {f"M{i + 1}{j + 1}": eqs.M[i, j] for i, j in np.ndindex(6, 6)}
    values = {
        name: float(eqs.evaluate("M", q)[i, j])
        for name, (i, j) in zip(entries, np.ndindex(6, 6), strict=True)
    }
    names = [f"lambda{k}" for k in range(1, len(shown) + 1)]
    ring = Ring(eqs.robot.ring.turns, [symbol(name) for name in (*names, *entries)])
    words = Vocabulary(ring)

    def value(formula):
        node = AnswerReader(plain(formula), words).read()
        x, _ = PolynomialReader(ring, [node]).value(node)
        known = values | dict.fromkeys(set(names) - set(values), 0.0)
        return float(evaluated(x, generator_values(ring, "puma560", [q, qd, 0 * q], known)))

    assert len(shown) > 5
    for k, name in enumerate(names, 1):
        values[name] = value(shown[f"λ{k}"])
    c = re.findall(r"^ {4}\[\d\] = (.*)$", joined.partition("    c =\n")[2], re.MULTILINE)[:6]
    assert any("λ" in line for line in c)
    found = [value(line) for line in c]
    assert np.allclose(found, eqs.evaluate("c", q, qd), rtol=1e-4, atol=1e-5)


@cache
def symbolic_page():
    return document(qddot.derive(chain(1), "explicit"))


@pytest.mark.parametrize("format", ["text", "markdown", "latex", "html", *long("slides")])
def test_every_format_defines_the_names(format):
    found = symbolic_page()
    last = [item for item in equations(found.sections) if isinstance(item, Definitions)][-1]
    name = last.equations[-1].symbol
    shown = page(found, format)
    assert "part of long sums" in shown
    assert "terms)" not in shown
    assert (name if format not in ("text",) else "λ") in shown


def test_a_page_that_would_be_too_long_says_what_is_left_out(monkeypatch):
    eqs = made("puma560")[0]  # which other tests have with all of its names
    monkeypatch.setattr(named_terms, "MOST_PRINTED", 200)
    shown = page(document(eqs), "text")
    assert re.search(r"\(\d+ terms\)", shown)
    assert "equations.sympy" in shown
    assert "(1 234 terms)" in shown


def test_the_letter_of_names_gives_way():
    assert notation(None).of([True]).named_term == r"\lambda"
    assert notation(None).of([True], [r"\lambda_{3}"]).named_term == r"\chi"
    arm = qddot.from_dh([{"a": "lambda", "mass": 1.0, "inertia": [0.1, 0.2, 0.3]}], "standard")
    assert qddot.derive(arm).notation.named_term == r"\chi"


def test_short_pages_have_no_names():
    found = document(qddot.derive("two_link_symbolic"), with_steps=True)
    assert not [item for item in equations(found.sections) if isinstance(item, Definitions)]
    assert "part of long sums" not in page(found, "text")
