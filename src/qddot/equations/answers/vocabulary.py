"""What letters mean for a robot: q1, θ1, d2, q̇1, s12, and the robot's own parameters.

A parameter's name always means the parameter. What a robot leaves free may be a coordinate, a
velocity, an acceleration, or a sine or cosine in short.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from fractions import Fraction
from itertools import product

from qddot.equations.answers import balls
from qddot.equations.latex import LatexWriter
from qddot.equations.nodes import Call, Name, Node, Number
from qddot.equations.ring import Ring
from qddot.equations.text import TextWriter
from qddot.equations.values import symbols_of
from qddot.errors import did_you_mean, listing, shorten
from qddot.formulations.notation import NOTATION, Notation
from qddot.formulations.plain_formula import CAPITALS, GREEK
from qddot.formulations.plain_formula import plain as plain_formula
from qddot.scalars import Scalar
from qddot.scalars.expressions import has_value
from qddot.scalars.monomials import PI

DOT, TWO_DOTS = "\N{COMBINING DOT ABOVE}", "\N{COMBINING DIAERESIS}"
ROLES = ("position", "rate", "acceleration")
FUNCTIONS = {name: name for name in (*balls.FUNCTIONS, "sign")} | {
    "sgn": "sign",
    "Abs": "abs",
    "ln": "log",
}
FUNCTIONS |= {f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan")}
E, I = Call("exp", Number(Fraction(1))), Call("sqrt", Number(Fraction(-1)))
EXPONENTIALS = {"e": E, "E": E, "i": I, "I": I, "j": I}  # where an answer has exponentials
SHORT = re.compile(r"([scSC])(?:theta|th|q)?([1-9]\d*)")
# what stands before and after the letter of a coordinate, and how many dots that means
SPELT = (("", "dd", 2), ("", "d", 1), ("", "ddot", 2), ("", "dot", 1), ("dd", "", 2), ("d", "", 1))
OURS = re.compile(rf"qd?d?\d+|pi|{'|'.join(FUNCTIONS)}")  # as we write it in ASCII
LONGEST = 64  # letters of a word that may be a product


# Greek letters by their names: θ is theta
GREEK_LETTERS = {x: name for name, x in (GREEK | CAPITALS).items()} | {"ϕ": "phi", "ϵ": "epsilon"}


class UnknownWord(ValueError):
    """A word that means nothing for this robot; the message says what there is."""


class Vocabulary:
    """The words of one robot.

    Joints may be called by their names, and all by the letters of a notation, in which the robot's
    equations are printed. A letter g may be meant though gravity is a number.
    """

    def __init__(
        self,
        ring: Ring,
        joint_names: tuple[str, ...] = (),
        gravity: tuple[Scalar, ...] = (),
        notation: Notation = NOTATION,
    ):
        self.n, self.gravity, self.notation = ring.n, gravity, notation
        self.exponentials = False  # whether e and i are not letters
        self.parameters = sorted(symbols_of(ring))
        self.plain: dict[str, list[str]] = {}  # names without what only marks an index
        for name in self.parameters:
            self.plain.setdefault(bare(name), []).append(name)
        self.coordinates = self._coordinates(ring, joint_names)
        self.printed = self._printed(ring)
        self.understood: dict[str, str] = {}  # what was not written in our own letters

    def _coordinates(self, ring: Ring, joint_names: tuple[str, ...]) -> dict[str, int]:
        """Return what the coordinates may be called, each with its number from 0."""
        found: dict[str, int] = {}
        for i, turns in enumerate(ring.turns):
            letters = ("q", "theta", "th", "phi") if turns else ("q", "d", "x", "r")
            found |= {f"{letter}{i + 1}": i for letter in letters}
            alone = sum(other == turns for other in ring.turns) == 1
            found |= {letter: i for letter in letters if alone and (letter != "q" or ring.n == 1)}
        by_name = {bare(name): i for i, name in enumerate(joint_names)}
        ours = {bare(plain_formula(self.notation.q(i))): i for i in range(ring.n)}
        return by_name | found | ours  # a joint called q2 is no reason to misread q2

    def _printed(self, ring: Ring) -> list[tuple[re.Pattern[str], Name]]:
        """Return how coordinates, velocities, sines and cosines are printed, and what each is.

        A sine or cosine has the numbers of its joints as a group.
        """
        zero, n = ring.constant(0), self.notation
        found: dict[str, Name] = {}
        writers = [TextWriter(zero, ascii=ascii, notation=n) for ascii in (False, True)]
        for writer in (LatexWriter(zero, notation=n), *writers):
            for kind, i in product(ROLES, range(ring.n)):
                node = Name(kind, joints=((i, 1),))
                found.setdefault(re.escape(writer.variable(node)), node)
            letters = zip(("sine", "cosine"), writer.letters, strict=True)
            for kind, letter in () if writer.full else letters:
                before, _, after = writer.indexed(letter, "0").rpartition("0")
                found[rf"{re.escape(before)}([1-9]\d*){re.escape(after)}"] = Name(kind)
        normal = ((unicodedata.normalize("NFD", text), node) for text, node in found.items())
        return [(re.compile(rf"{text}(?![\w{DOT}{TWO_DOTS}])"), node) for text, node in normal]

    def as_printed(self, text: str, at: int) -> tuple[int, Name] | None:
        """Return what is printed in a text at a place as we print it, and where it ends."""
        for pattern, node in self.printed:
            if match := pattern.match(text, at):
                joints = node.joints or self._joints(match[1])
                return (match.end(), replace(node, joints=joints)) if joints else None
        return None

    def _joints(self, numbers: str) -> tuple[tuple[int, int], ...]:
        """Return the joints whose numbers stand below a sine: 12 is 1 and 2, if there are no 12."""
        joints = [int(digit) - 1 for digit in (numbers if self.n < 10 else [numbers])]
        there = joints == sorted(set(joints)) and joints[-1] < self.n
        return tuple((joint, 1) for joint in joints) if there else ()

    def find(self, word: str, exact: bool = False) -> list[Node | str]:
        """Return what a word means: a node, the name of a function, or several multiplied.

        It raises UnknownWord if the word means nothing, or several things.
        """
        plain = bare(word)
        if word in self.parameters:
            return [Name("parameter", word)]
        if exact and word not in FUNCTIONS:
            raise self._unknown(word)
        whole = self._one(plain) or (EXPONENTIALS.get(word) if self.exponentials else None)
        ways = [(whole,)] if whole is not None else []
        if not ways and len(plain) <= LONGEST:
            ways = self._ways(plain)
        if not ways and self.exponentials and plain[:1] in "ij" and (angle := self._one(plain[1:])):
            ways = [(I, angle)]
        if len(ways) == 1:
            found = list(ways[0])
            ours = " ".join(map(reported, found))
            if not OURS.fullmatch(word) and bare(ours) != plain:
                self.understood[word.replace("theta", "θ")] = ours
            return found
        raise self._unknown(word, ways)

    def _one(self, word: str) -> Node | str | None:
        """Return what a word means as a whole, or None."""
        dots = word.count(DOT) + 2 * word.count(TWO_DOTS)
        plain = word.replace(DOT, "").replace(TWO_DOTS, "")
        if dots:
            if plain in self.coordinates and dots <= 2:
                return Name(ROLES[dots], joints=((self.coordinates[plain], 1),))
            return None
        if len(self.plain.get(plain, ())) == 1:
            return Name("parameter", self.plain[plain][0])
        if plain in FUNCTIONS:
            return FUNCTIONS[plain]
        if plain == PI.name:
            return Name("parameter", PI.name)
        if plain in self.coordinates:
            return Name("position", joints=((self.coordinates[plain], 1),))
        return self._short(plain) or self._spelt_velocity(plain)

    def _short(self, word: str) -> Node | None:
        """Return sin q1 for s1, cos(q1 + q2) for c12."""
        match = SHORT.fullmatch(word)
        if match and (joints := self._joints(match[2])):
            return Name("sine" if match[1] in "sS" else "cosine", joints=joints)
        return None

    def _spelt_velocity(self, word: str) -> Node | None:
        """Return q̇1 for qd1, dq1, qdot1, q1dot; q̈1 for qdd1, ddq1, qddot1."""
        for before, after, dots in SPELT:
            match = re.fullmatch(rf"{before}([A-Za-z]+?){after}(\d*)", word)
            whole = match[1] + match[2] if match else word.removesuffix(after or " ")
            if whole != word and whole in self.coordinates:
                return Name(ROLES[dots], joints=((self.coordinates[whole], 1),))
        return None

    def _ways(self, word: str) -> list[tuple[Node | str, ...]]:
        """Return the ways to read a word as a product, as m1gL1; two of them at most."""
        ways: list[list[tuple[Node | str, ...]]] = [[] for _ in word] + [[()]]  # of each end of it
        for start in reversed(range(len(word))):
            for end in range(start + 1, len(word) + 1):
                if word[end : end + 1].isdigit() or word[end : end + 1] in (DOT, TWO_DOTS):
                    continue  # m12 is not m1 and 2
                first = self._one(word[start:end]) if ways[end] else None
                if first is not None:
                    ways[start] += [(first, *rest) for rest in ways[end]]
            ways[start] = ways[start][:2]
        return ways[0]

    def _unknown(self, word: str, ways: list | None = None) -> UnknownWord:
        short = shorten(word, 40)
        if ways:
            said = [" ".join(reported(part) for part in way) for way in ways]
            return UnknownWord(
                f"{short!r} may be {said[0]!r} or {said[1]!r}; put signs between them."
            )
        if len(self.plain.get(bare(word), ())) > 1:
            return UnknownWord(f"{short!r} may be {listing(self.plain[bare(word)])}.")
        names = [*self.parameters, *self.coordinates]
        there = ["q1", "qd1", "qdd1", "s1", "c1", *self.parameters]
        return UnknownWord(
            f"{short!r} is no symbol of this robot.{did_you_mean(bare(word), names)} "
            f"It has {listing(there)}, ...{self._hint_of_gravity(bare(word))}"
        )

    def _hint_of_gravity(self, word: str) -> str:
        """Return how g becomes a letter, where somebody writes it and gravity is a number."""
        along = [x for x in self.gravity if not has_value(x) or float(x)]
        if word.lower() != "g" or len(along) != 1 or not has_value(along[0]):
            return ""
        letter = f'"{"-" if float(along[0]) < 0 else ""}g"'
        vector = f"[{', '.join(letter if x is along[0] else '0' for x in self.gravity)}]"
        return (
            f" Its gravity is the number {abs(float(along[0])):g}; g is a letter with "
            f"gravity = {vector}, or robot.with_gravity({vector})."
        )


def reported(found: Node | str) -> str:
    """Return how we write what a word means."""
    return found if isinstance(found, str) else TextWriter(0).write(found)


def bare(word: str) -> str:
    """Return a word without what only marks an index: m_{1} and m1 are one; θ is theta."""
    plain = "".join(GREEK_LETTERS.get(letter, letter) for letter in word)
    plain = re.sub(r"var(?=theta|phi|epsilon|rho|sigma|pi)", "", plain)
    return re.sub(r"[_{}, ]", "", plain)
