"""The letters of a derivation, in LaTeX: those of a book, of a lecture, or of one's own.

In a pattern, $i, $j and $k are indices; of a Christoffel symbol, $k is the torque that it belongs
to, so that the order of the indices is the book's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from string import Template

import numpy as np

from qddot.formulations.plain_formula import plain
from qddot.model.tree import Tree

# what stands before a letter, the letter, and its indices
MAIN_LETTER = re.compile(
    r"((?:\{\}(?:[\^_]\{[^{}]*\})*)?)(\\?[A-Za-z]+(?:\{\\?[A-Za-z]+\})?)(.*)", re.DOTALL
)


@dataclass(frozen=True)
class Notation:
    """How everything in a derivation is called, in LaTeX."""

    name: str = "qddot"
    source: str = ""  # the book or the lecture, with its chapter

    angle: str = "q"  # a coordinate that turns
    length: str = "q"  # a coordinate that slides
    coordinates: str = "q"  # all of them, a vector
    velocity: str = r"\dot{$x}"
    acceleration: str = r"\ddot{$x}"
    sine: str = "s"
    cosine: str = "c"

    torques: str = r"\tau"
    mass_matrix: str = "M"
    mass_entry: str = ""  # of the mass matrix; its letter with two indices if not given
    links_mass: str = ""  # that of the links without the rotors; "" is the letter with a bar
    mass_slope: str = "M_{$i$j,$k}"  # ∂M_ij/∂q_k
    christoffel: str = r"\Gamma_{$k$i$j}"
    christoffel_matrix: str = r"\Gamma_{$k}"  # those of torque k
    unsymmetric: str = ""  # ∂M_kj/∂q_i − ½ ∂M_ij/∂q_k, where a book has a letter for it
    velocity_torques: str = "c"
    coriolis_matrix: str = "C"
    centrifugal: str = r"C_{\mathrm{cf}}"  # times the squares of the velocities
    products: str = "B"  # times the products of two velocities
    gravity_torques: str = "g"
    stiffness: str = r"K_{\mathrm{s}}"  # of springs, times the coordinates
    viscous: str = "F_v"  # friction of the joints, times the velocities
    coulomb: str = "F_s"  # and times their signs
    damping: str = r"D_{\mathrm{s}}"  # of dampers, times the velocities

    kinetic: str = "K"
    potential: str = "P"
    lagrangian: str = "L"
    dissipation: str = "D"
    gravity: str = r"\vec{g}"  # the acceleration of free fall

    transform: str = "{}^{$i}T_{$j}"  # the pose of frame j in frame i
    rotation: str = "{}^{$i}R_{$j}"
    centre: str = "P_{C_{$i}}"
    linear_jacobian: str = "J_{v_{$i}}"
    angular_jacobian: str = r"{}^{$i}J_{\omega_{$i}}"  # in the link's own axes
    inertia: str = "{}^{C_{$i}}I_{$i}"  # about the centre of mass, in the link's own axes
    pseudo_inertia: str = "J_{$i}"
    rotor_inertia: str = "I_{a$i}"

    # what stands on one page only, with the number of a link or a joint below it
    momentum: str = "p"
    first_moment: str = "h"  # mass times centre of mass, in the link's own axes
    transform_slope: str = "U"  # ∂T_i/∂q_j
    axis: str = "z"  # of a joint
    slide: str = "u"  # what a joint does to the origin of its link's frame
    link_force: str = "F"
    link_moment: str = "N"
    joint_force: str = "f"
    joint_moment: str = "n"
    screw_axis: str = "S"
    spatial_velocity: str = "v"
    spatial_acceleration: str = "a"
    spatial_inertia: str = "I"
    named_term: str = r"\lambda"  # a part of a long sum that is defined before it is used

    # of the robot that it is used for: which coordinates turn, and their numbers
    turns: tuple[bool, ...] = field(default=(), repr=False)
    numbers: tuple[str, ...] = field(default=(), repr=False)

    def of(
        self,
        turns: Sequence[bool],
        taken: Sequence[str] = (),
        names: Sequence[str] = (),
        rotors: bool = False,
    ) -> Notation:
        """Return the notation for a robot.

        `turns` says of each coordinate whether it is an angle. `taken` are parameters of the robot
        in LaTeX: a coordinate that would look like one of them is called q, and a letter that is
        one of them gives way, so that gravity torques are G where g is a number of the robot.
        `names` are those of the joints that the coordinates move; a length whose joint is called by
        its letter has that number: x0, not x2. Rotors stand beside the mass matrix of the links.
        """
        own = replace(self, turns=tuple(turns))
        own = replace(own, numbers=own._numbers(names))
        parameters = {bare(name) for name in taken}
        # the letters of parameters with a number behind, as m1, which entries look like
        heads = {re.sub(r"\d+$", "", name) for name in parameters if name[-1:].isdigit()}
        if any(bare(own.q(i)) in parameters for i in range(len(own.turns))):
            own = replace(own, angle="q", length="q", coordinates="q")
        for sine, cosine in ((own.sine, own.cosine), ("s", "c"), ("S", "C")):
            if not {bare(sine), bare(cosine)} & heads:
                own = replace(own, sine=sine, cosine=cosine)
                break
        for key, others in OTHER_LETTERS.items():
            alike = parameters | heads if key in WITH_ENTRIES else parameters
            used = alike | {bare(getattr(own, k)) for k in DIFFERENT if k != key}
            own = own._given_way(key, others, alike, used)
        for key, others in OTHER_PATTERNS.items():
            own = own._given_way(key, others, heads, heads)
        if rotors and own.links_mass == own.mass_matrix:  # with the rotors it is D_t
            own = replace(own, mass_matrix=rf"{own.mass_matrix}_{{\mathrm{{t}}}}")
        main = {bare(getattr(own, k)) for k in (*DIFFERENT, *ALSO_INDEXED)} | parameters | heads
        for key, others in OTHER_WORKING_LETTERS.items():
            own = own._given_way(key, others, main, main)
        used = main | {bare(getattr(own, key)) for key in LETTERS if key != "named_term"}
        own = own._given_way("named_term", OTHER_NAMED_TERMS, used, used)
        pairs = np.ndindex(len(turns), len(turns))
        entries = {bare(own.mass(i, j)) for i, j in pairs if own.mass_entry}
        return replace(own, mass_entry="") if entries & parameters else own

    def _numbers(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the number of each coordinate: its place, or what a sliding joint is called."""
        found = [str(i + 1) for i in range(len(self.turns))]
        for i, (turns, name) in enumerate(zip(self.turns, names, strict=False)):
            called = re.fullmatch(rf"{re.escape(self.length)}_?(\d+)", name)
            found[i] = called[1] if called and not turns else found[i]
        return tuple(found) if len(set(found)) == len(found) else ()

    def number(self, i: int) -> str:
        """Return the number of coordinate i, counted from 0."""
        return self.numbers[i] if i < len(self.numbers) else str(i + 1)

    def _given_way(self, key: str, others: Sequence[str], if_in: set, not_in: set) -> Notation:
        if bare(getattr(self, key)) not in if_in:
            return self
        free = next((letter for letter in others if bare(letter) not in not_in), None)
        return replace(self, **{key: free}) if free else self

    def q(self, i: int) -> str:
        """Return coordinate i, counted from 0."""
        return f"{self.letter(i)}_{{{self.number(i)}}}"

    def qd(self, i: int) -> str:
        """Return the velocity of coordinate i."""
        return f"{self._derived(self.velocity, self.letter(i))}_{{{self.number(i)}}}"

    def qdd(self, i: int) -> str:
        """Return the acceleration of coordinate i."""
        return f"{self._derived(self.acceleration, self.letter(i))}_{{{self.number(i)}}}"

    def letter(self, i: int) -> str:
        """Return the letter of coordinate i."""
        return self.angle if i >= len(self.turns) or self.turns[i] else self.length

    @cached_property
    def velocities(self) -> str:
        """All velocities, a vector."""
        return self._derived(self.velocity, self.coordinates)

    @cached_property
    def accelerations(self) -> str:
        """All accelerations, a vector."""
        return self._derived(self.acceleration, self.coordinates)

    def rate(self, x: str) -> str:
        """Return the time derivative of something: the dot is on its letter, not on its indices."""
        found = MAIN_LETTER.fullmatch(x)
        if not found:
            return self._derived(self.velocity, x)
        before, letter, behind = found.groups()
        return before + self._derived(self.velocity, letter) + behind

    def _derived(self, pattern: str, x: str) -> str:
        derived = pattern.replace("$x", x)
        return bound(derived) if set(pattern) & {*"^'"} else derived

    def entry(self, letter: str, *of: int) -> str:
        """Return an entry of a matrix or a vector, such as M_{12}; indices count from 0."""
        numbers = _joined(of)
        one_letter = re.fullmatch(r"\\?[A-Za-z]+|\\[a-z]+\{\\?[A-Za-z]+\}", letter)
        simple = one_letter and not self.is_trigonometric(letter)
        return f"{letter}_{{{numbers}}}" if simple else f"[{letter}]_{{{numbers}}}"

    def mass(self, i: int, j: int) -> str:
        """Return an entry of the mass matrix; indices count from 0."""
        if not self.mass_entry:
            return self.entry(self.mass_matrix, i, j)
        return self._indexed(self.mass_entry, i=i, j=j)

    def is_trigonometric(self, letter: str) -> bool:
        """Return whether a letter with an index would look like a sine or cosine: c and c_1."""
        return plain(letter) in (plain(self.sine), plain(self.cosine))

    def gamma(self, k: int, i: int, j: int) -> str:
        """Return the Christoffel symbol of torque k and the velocities i and j."""
        return self._indexed(self.christoffel, k=k, i=i, j=j)

    def of_torque(self, what: str, k: int) -> str:
        """Return what belongs to torque k, counted from 0: "christoffel_matrix"."""
        return self._indexed(getattr(self, what), k=k)

    def of_slopes(self, k: int, j: int, i: int) -> str:
        """Return the symbol of ∂M_kj/∂q_i − ½ ∂M_ij/∂q_k."""
        return self._indexed(self.unsymmetric, k=k, j=j, i=i)

    def slope(self, i: int, j: int, k: int) -> str:
        """Return ∂M_ij/∂q_k; the first two indices in order, since they may be exchanged."""
        return self._indexed(self.mass_slope, i=min(i, j), j=max(i, j), k=k)

    def T(self, i: int, j: int) -> str:
        """Return the transform of frame j in frame i; frame 0 is the base's."""
        return self._indexed(self.transform, i=i - 1, j=j - 1)

    def R(self, i: int, j: int) -> str:
        """Return the rotation of frame j in frame i; frame 0 is the base's."""
        return self._indexed(self.rotation, i=i - 1, j=j - 1)

    def of_link(self, what: str, i: int) -> str:
        """Return what belongs to link i, counted from 0: "centre", "linear_jacobian", ..."""
        return self._indexed(getattr(self, what), i=i)

    @cached_property
    def links_mass_matrix(self) -> str:
        """The mass matrix of the links without the rotors."""
        return self.links_mass or rf"\bar{{{self.mass_matrix}}}"

    def links_entry(self, i: int, j: int, rotors: bool) -> str:
        """Return an entry of the mass matrix of the links; it is the whole one without rotors."""
        return self.entry(self.links_mass_matrix, i, j) if rotors else self.mass(i, j)

    def rotors(self, tree: Tree) -> str:
        """Return what the rotors add to the mass matrix: a diagonal, and what several share."""
        names = ", ".join(self.of_link("rotor_inertia", i) for i in range(tree.n))
        own = [rf"\mathrm{{diag}}({names})"] * (any(tree.rotor_inertia) or not tree.shared)
        shared = [self.shared_rotor(k) for k, s in enumerate(tree.shared) if s.rotor_inertia]
        return " + ".join(own + shared)

    def shared_rotor(self, k: int) -> str:
        """Return the matrix of a rotor that several joints share, counted from 0."""
        return rf"I_{{s_{{{k + 1}}}}}\,e_{{{k + 1}}} e_{{{k + 1}}}^T"

    def rotor_energy(self, tree: Tree) -> str:
        """Return the kinetic energy of the rotors by the name of their matrix."""
        return rf"\tfrac12\,{self.velocities}^T\,({self.rotors(tree)})\,{self.velocities}"

    def _indexed(self, pattern: str, **indices: int) -> str:
        numbers = {name: str(index + 1) for name, index in indices.items()}
        if any(len(number) > 1 for number in numbers.values()):
            pattern = re.sub(r"(\$[ijk])(?=\$[ijk])", r"\1,", pattern)
        return Template(pattern).substitute(numbers)


def raised(x: str, exponent: str) -> str:
    """Return x to a power, or transposed; what has an upper index is put into parentheses."""
    depth, upper = 0, False
    for letter in x.removeprefix("{}^"):
        depth += (letter == "{") - (letter == "}")
        upper |= not depth and letter in "^'"
    return f"({x})^{exponent}" if upper else f"{x}^{exponent}"


def _joined(of: Sequence[int]) -> str:
    texts = [str(i + 1) for i in of]
    return ("" if all(len(text) == 1 for text in texts) else ",").join(texts)


def bound(latex: str) -> str:
    """Return a letter with an upper index in braces, so that an exponent may follow."""
    return f"{{{latex}}}" if re.search(r"(?<!\{\})\^|'", latex) else latex


def bare(latex: str) -> str:
    return re.sub(r"[{}_ ]|\$\w", "", latex)


NOTATION = Notation()
LETTERS = tuple(
    f.name for f in fields(Notation) if f.name not in ("name", "source", "turns", "numbers")
)
# letters that stand on one page and must differ
DIFFERENT = (
    *("mass_matrix", "velocity_torques", "coriolis_matrix", "centrifugal", "products"),
    *("gravity_torques", "torques", "kinetic", "potential", "lagrangian", "dissipation"),
    *("stiffness", "damping", "viscous", "coulomb"),
)
# what they are called where a parameter of the robot has their letter
OTHER_LETTERS = {
    "gravity_torques": ("G", r"\gamma"),
    "velocity_torques": ("h", "n"),
    "mass_matrix": ("H", "B"),
    "coriolis_matrix": (r"\mathcal{C}",),
    "kinetic": ("T", r"\mathcal{K}"),
    "potential": ("U", r"\mathcal{P}"),
    "lagrangian": (r"\mathcal{L}",),
    "dissipation": (r"\mathcal{R}",),
}
WITH_ENTRIES = ("mass_matrix", "velocity_torques", "gravity_torques", "kinetic", "potential")
OTHER_PATTERNS = {
    "inertia": (NOTATION.inertia,),
    "centre": (NOTATION.centre,),
    "pseudo_inertia": (r"\hat{J}_{$i}",),
}
# with one index they must differ from these too
ALSO_INDEXED = ("angle", "length", "coordinates", "sine", "cosine", "centre", "inertia", "gravity")
OTHER_WORKING_LETTERS = {
    "momentum": (r"\pi",),
    "first_moment": (r"\eta",),
    "transform_slope": (r"\mathcal{U}",),
    "axis": (r"\zeta",),
    "slide": (r"\sigma",),
    "link_force": (r"\mathcal{F}",),
    "link_moment": (r"\mathcal{N}",),
    "joint_force": (r"\varphi",),
    "joint_moment": (r"\mu", r"\nu"),
    "screw_axis": (r"\mathcal{S}",),
    "spatial_velocity": (r"\mathcal{V}",),
    "spatial_acceleration": (r"\mathcal{A}",),
    "spatial_inertia": (r"\mathcal{I}",),
}
OTHER_NAMED_TERMS = (r"\chi", r"\xi", r"\kappa", r"\psi", "w", "e")
