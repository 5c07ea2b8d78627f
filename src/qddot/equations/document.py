"""A derivation as a document: sections of words, formulas and tables, whatever it is printed as."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from qddot.equations.definitions import with_definitions
from qddot.equations.dh_table import dh_table
from qddot.equations.equations import Equations
from qddot.equations.formulas import Equation, Words
from qddot.equations.named_terms import NamedTerms
from qddot.equations.writer import trig_letters
from qddot.errors import printable
from qddot.formulations import TITLES
from qddot.formulations.derivation import Part, Quantity, inertial_names, links_mass
from qddot.formulations.notation import Notation
from qddot.model.friction import PARAMETERS
from qddot.model.validation import gravity_notes
from qddot.results import look

LEFT_OUT = (
    "What is only counted below, as (1 234 terms), would fill more pages than anybody reads. "
    "The equations have it: equations.sympy, equations.latex and equations.to_function "
    "give every entry in full, and qddot export writes it as code."
)
LONG = 40  # terms of a torque that is written by the names of its parts


@dataclass(frozen=True)
class WordTable:
    """Rows of cells; a cell is a text, or a formula as `Words` with two $."""

    head: tuple[str, ...]
    rows: tuple[tuple[str | Words, ...], ...]


@dataclass(frozen=True)
class Picture:
    """A picture, in both ways of drawing."""

    svg: str
    tikz: str
    caption: str

    @property
    def on_paper(self) -> str:
        """The SVG on white paper, for an image that is no part of a page."""
        return self.svg.replace('style="', 'style="background: white; ', 1)


Item: TypeAlias = str | Words | Equation | WordTable | Picture


@dataclass(frozen=True)
class DocumentSection:
    """A heading and what follows it; a str is a paragraph that may come from a file."""

    title: str
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Document:
    """A page about a robot's equations."""

    title: str
    sections: tuple[DocumentSection, ...]


def document(equations: Equations, with_steps: bool = False) -> Document:
    """Return the page of a derivation: the equations, and the way to them if wanted."""
    model, sections = equations.robot.model, []
    if with_steps:
        said: set[str] = set()  # words that were printed before are not repeated
        for part in (part for part in equations.parts if part.steps):
            shown = replace(part, words="") if part.words in said else part
            sections.append(part_section(shown, equations.notation))
            said.add(part.words)
    last = equations.parts[-1].steps if with_steps and equations.parts else ()
    told = [step.value for step in last] == list(equations.tau)
    sections.append(DocumentSection("The equations of motion", tuple(terms(equations, told))))
    names = NamedTerms(equations.robot.ring, equations.notation.named_term)
    sections = with_definitions(sections, names, equations.notation)
    sections.insert(0, DocumentSection("The robot", tuple(about(equations, names))))
    title = TITLES.get(equations.formulation, equations.formulation)
    return Document(f"{printable(model.name)}: {title}", tuple(sections))


def about(equations: Equations, named: NamedTerms | None = None) -> list[Item]:
    """Return what a reader must know first: coordinates, letters, what was taken as exact."""
    model, n = equations.robot.model, equations.notation
    items: list[Item] = [drawn(equations)]
    items += [printable(model.description)] if model.description else []
    names = [
        f"${n.q(i)}$ is {'an angle' if turns else 'a displacement'} [{'rad' if turns else 'm'}]"
        for i, turns in enumerate(equations.robot.ring.turns)
    ]
    all_of = ", ".join(n.q(i) for i in range(len(names)))
    items.append(Words(f"Coordinates ${n.coordinates} = ({all_of})$: {'; '.join(names)}."))
    if len(equations.frames) > len(names):
        links = ", ".join(map(printable, equations.frames))
        items.append(f"Links, in this order, the rotors that turn among them: {links}.")
    if tuple(model.joint_names) != tuple(f"j{i}" for i in range(1, len(model.joint_names) + 1)):
        joints = ", ".join(map(printable, model.joint_names))
        items.append(f"Joints, in this order: {joints}.")
    if found := dh_table(model, n):
        items.append(Words(f"Denavit–Hartenberg table, {found.convention} convention:"))
        rows = [(str(i), *(Words(f"${x}$") for x in row)) for i, row in enumerate(found.rows, 1)]
        items.append(WordTable(("link", "θ", "d", "a", "α"), tuple(rows)))
        items += [Equation(n.T(i, i + 1), found.product(i)) for i in range(len(rows))]
    items.append(letters_table(equations, named is not None and bool(named.definitions)))
    if named and named.left_out:
        items.append(Words(LEFT_OUT))
    items += [printable(note) for note in equations.robot.notes]
    if any(shaft.friction.static is not None for shaft in equations.robot.tree.shafts):
        items.append(
            "The Stribeck effect, what static friction has above Coulomb's, is no polynomial: it "
            "is left out below."
        )
    return items + shared_motors(equations)


def shared_motors(equations: Equations) -> list[Item]:
    """Return which motors turn with several joints, and what of them is left out."""
    items: list[Item] = []
    shared = equations.robot.tree.shared
    for k, shaft in enumerate(shared, 1):
        words = f"A motor that turns with several joints, {printable(shaft.name)}, along:"
        along = np.array(shaft.direction, dtype=object)
        items += [words, Equation(f"e_{{{k}}}", "", (), along, equations.notation)]
    if any(shaft.friction != shaft.friction.polynomial for shaft in shared):
        items.append(
            "Its dry friction has the sign of a sum of velocities, which is no letter of a "
            "polynomial: it is left out below."
        )
    return items


def drawn(equations: Equations) -> Picture | Words:
    """Return a drawing of the arm, or a sentence where there is none."""
    picture = look("figures.textbook.picture.picture")
    found = picture(equations.robot, equations.notation, equations.frames)
    return found or Words("This robot is too large or too strange to be drawn.")


def letters_table(equations: Equations, named: bool = False) -> WordTable:
    """Return what the letters of the page mean: one letter, one meaning."""
    n, model = equations.notation, equations.robot.model
    tree = equations.robot.tree
    rotors = tree.has_rotors
    links = f"${n.mass_matrix} = {n.links_mass_matrix} + {n.rotors(tree)}$" if rotors else ""
    rows = [
        (n.torques, "torques (forces) of the joints"),
        (n.mass_matrix, f"mass matrix{', rotors included' if rotors else ''}"),
        (n.links_mass_matrix if rotors else "", f"mass matrix of the links alone, {links}"),
        (n.velocity_torques, "centrifugal and Coriolis torques"),
        (
            n.coriolis_matrix,
            f"Coriolis matrix, ${n.velocity_torques} = {n.coriolis_matrix}{n.velocities}$",
        ),
        (n.gravity_torques, "gravity torques"),
        (n.gravity, "acceleration of free fall, a vector"),
        (n.christoffel.replace("$", ""), "Christoffel symbol: torque k, velocities i and j"),
        ("m_k", "mass of link k, with all that is fixed to it"),
    ]
    if any(equations.friction):
        rows.append((n.viscous, "viscous friction of the joints, a diagonal matrix"))
    if any(equations.springs):
        rows += [(n.stiffness, "stiffness of the springs"), (n.damping, "damping of the dampers")]
        rows.append((f"{n.coordinates}_0", "coordinates at which the springs are at rest"))
    if any(equations.robot.ring.turns) and (letters := trig_letters(model.symbols, n)):
        s, c = letters
        first = next(i for i, turns in enumerate(equations.robot.ring.turns) if turns)
        rows.append(
            (
                f"{s}_{{{first + 1}}}, {c}_{{{first + 1}}}",
                rf"$\sin {n.q(first)}$, $\cos {n.q(first)}$; two indices: of the sum of angles",
            )
        )
    if named:
        rows.append((f"{n.named_term}_i", "part of long sums, numbered; defined before it is used"))
    found = tuple((Words(f"${symbol}$"), Words(meaning)) for symbol, meaning in rows if symbol)
    return WordTable(("letter", "meaning"), found)


def part_section(part: Part, notation: Notation) -> DocumentSection:
    """Return one part of a derivation: why, then every quantity of it."""
    items: list[Item] = [Words(part.words)] if part.words else []
    for step in worth_showing(part.steps):
        if step.title:
            items.append(Words(f"{step.title}:"))
        items.append(Equation(step.symbol, step.formula, step.terms, step.value, notation))
    zeros = [step.symbol for step in part.steps if not step.same_as and is_zero(step)]
    if zeros:
        items.append(Words(f"Zero: {listed(zeros)}."))
    same = [f"{step.symbol} = {step.same_as}" for step in part.steps if step.same_as]
    if same:
        items.append(Words(f"By symmetry: {listed(same)}."))
    return DocumentSection(part.title, tuple(items))


def worth_showing(steps: Iterable[Quantity]) -> list[Quantity]:
    """Return the steps that stand alone: neither zero nor equal to another by symmetry."""
    return [step for step in steps if not step.same_as and not is_zero(step)]


def is_zero(step: Quantity) -> bool:
    """Return whether a step that is a single number is zero."""
    return not isinstance(step.value, (np.ndarray, str)) and step.value == 0


def listed(symbols: Sequence[str]) -> str:
    return ", ".join(f"${symbol}$" for symbol in symbols)


def balance(equations: Equations) -> Equation:
    """Return the equation of motion by the names of its terms."""
    n = equations.notation
    q, qd = n.coordinates, n.velocities
    names = rf"{n.mass_matrix}({q})\,{n.accelerations}"
    if equations.robot.tree.has_rotors:
        taken = n.rotors(equations.robot.tree)
        rotors = rf"{f'({taken})' if ' + ' in taken else taken}\,{n.accelerations}"
        names = rf"{n.links_mass_matrix}({q})\,{n.accelerations} + {rotors}"
    names += f" + {n.velocity_torques}({q}, {qd})"
    names += f" + {n.gravity_torques}({q})"
    if any(equations.friction):
        names += f" + {friction(equations)}"
    if any(equations.springs):
        names += f" + {springs(n)}"
    return Equation(n.torques, names)


def friction(equations: Equations) -> str:
    """Return what friction takes, by the names of its parts: viscous, dry, a constant offset."""
    tree = equations.robot.tree
    laws = [f.steady for f in tree.friction] + [s.friction.polynomial for s in tree.shared]
    found = [p for p in PARAMETERS if any(getattr(f, p.name) for f in laws)]
    if not equations.robot.ring.signs and PARAMETERS[0] not in found:
        found = [PARAMETERS[0], *found]
    names = (p.formula or rf"f_\mathrm{{{{{p.name}}}}}({{n.velocities}})" for p in found)
    return " + ".join(name.format(n=equations.notation) for name in names)


def springs(n: Notation) -> str:
    """Return what springs and dampers take, by the names of their matrices."""
    q = n.coordinates
    return rf"{n.stiffness}\,({q} - {q}_0) + {n.damping}\,{n.velocities}"


def terms(equations: Equations, told: bool = False) -> list[Item]:
    """Return the equation of motion term by term; without the sums where they were told before."""
    n = equations.notation

    def equation(symbol: str, value: Any, formula: str = "") -> Equation:
        return Equation(symbol, formula, (), value, n)

    items: list[Item] = [balance(equations)]
    if (tree := equations.robot.tree).has_rotors:
        items.append(Words("Mass matrix of the links:"))
        items.append(equation(n.links_mass_matrix, links_mass(tree, equations.M)))
        whole = rf"{n.links_mass_matrix} + {n.rotors(equations.robot.tree)}"
        items += [Words("With the rotors:"), equation(n.mass_matrix, equations.M, whole)]
    else:
        items += [Words("Mass matrix:"), equation(n.mass_matrix, equations.M)]
    items += [Words("Centrifugal and Coriolis torques:")]
    items += [equation(n.velocity_torques, equations.c)]
    if n.coriolis_matrix:
        items += [Words("Coriolis matrix, by the Christoffel symbols:")]
        items += [equation(n.coriolis_matrix, equations.C)]
    items += [Words("Gravity torques:"), equation(n.gravity_torques, equations.g)]
    items += [Words(f"Note: {note}") for note in gravity_notes(equations.robot.model)]
    if any(equations.friction):
        items += [Words("Friction:"), equation(friction(equations), equations.friction)]
    if any(equations.springs):
        items += [Words("Springs and dampers:"), equation(springs(n), equations.springs)]
    if told:
        return items
    items.append(Words("Together:"))
    return items + [torque(equations, i) for i in range(equations.n)]


def torque(equations: Equations, i: int) -> Equation:
    """Return one torque, written out if it is short, else by the names of its parts."""
    n, tau = equations.notation, equations.tau[i]
    symbol = n.entry(n.torques, i)
    if not hasattr(tau, "terms") or len(tau) <= LONG:
        return Equation(symbol, "", (), tau, n)
    tree = equations.robot.tree
    inertial = inertial_names(tree, links_mass(tree, equations.M), i, n)
    rest = [
        n.entry(letter, i)
        for letter, value in (
            (n.velocity_torques, equations.c[i]),
            (n.gravity_torques, equations.g[i]),
            (f"({friction(equations)})", equations.friction[i]),
            (f"({springs(n)})", equations.springs[i]),
        )
        if value
    ]
    return Equation(symbol, " + ".join(inertial + rest))
