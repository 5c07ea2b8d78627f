"""The tokens of an answer, from text or LaTeX: numbers, words, signs, brackets of matrices.

The two are one alphabet: a fraction becomes a quotient in parentheses, an environment of a matrix
a list in brackets, a dot above a letter a mark after it. Nothing is executed, and what is not
known is refused by name.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from qddot.equations.answers.vocabulary import DOT, FUNCTIONS, TWO_DOTS, UnknownWord, Vocabulary
from qddot.formulations.plain_formula import CAPITALS, GREEK

Token = tuple[str, Any]  # "number", "name", "call" or "sign", and what it is

NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+\-−]?\d{1,3}(?![\w]))?")
WORD = {
    False: re.compile(rf"[^\W\d_][\w{DOT}{TWO_DOTS}]*"),
    True: re.compile(rf"[^\W\d_]+(?:[^\W\d_]|[{DOT}{TWO_DOTS}])*\d*"),
}
SIGNS = {
    **dict.fromkeys("*·×⋅∗•", "*"),
    **dict.fromkeys("-−–", "-"),
    **dict.fromkeys("/÷∕", "/"),
    **dict.fromkeys("+^(),;|", ""),
    "&": ",",
}
SUPERSCRIPTS = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
QUARTERS = {"½": "(1/2)", "¼": "(1/4)", "¾": "(3/4)", "⅓": "(1/3)", "⅔": "(2/3)", "⅙": "(1/6)"}
SPACES = re.compile(
    r"[,;:!>~ \n]|(left|right|displaystyle|textstyle|limits|nonumber|q?quad|enspace|thinspace)"
    r"|([bB]igg?[lr]?)"
)
MATRICES = re.compile(r"([bpvB]|small)?matrix\*?|array")
ROMAN = re.compile(r"math(rm|it|bf|sf)|text(rm|it)?|operatorname|boldsymbol|bm")
DOTTED = {"dot": DOT, "ddot": TWO_DOTS}
QUOTIENTS = ("frac", "tfrac", "dfrac", "cfrac")
COMMANDS = {  # that are signs
    "{": "(",
    "}": ")",
    **dict.fromkeys(("cdot", "times", "ast"), "*"),
    **dict.fromkeys(("lvert", "rvert", "vert", "mid"), "|"),
}
EXPONENTIAL = re.compile(r"exp(?![A-Za-z])|(?<![A-Za-z])[eE]\}?\s*(\^|\*\*)")


class Unreadable(ValueError):
    """Where a text leaves the grammar, and why."""


def is_latex(text: str) -> bool:
    """Return whether a text is LaTeX rather than plain text."""
    return any(sign in text for sign in "\\{$")


def plain(text: str) -> str:
    """Return a text with its accents, superscripts and fractions in letters that all have."""
    text = unicodedata.normalize("NFD", text).translate(SUBSCRIPTS)
    for sign, fraction in QUARTERS.items():
        text = text.replace(sign, fraction)
    return re.sub(r"[⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda m: f"^({m[0].translate(SUPERSCRIPTS)})", text)


class Scanner:
    """One text, from its beginning to its end."""

    def __init__(self, text: str, words: Vocabulary):
        self.text, self.words = text, words
        self.latex = is_latex(text)
        words.exponentials |= bool(EXPONENTIAL.search(text))
        self.at = 0
        self.tokens: list[Token] = []

    def scan(self) -> list[Token]:
        """Return every token.

        It raises Unreadable at the first thing that is neither a number, a word nor a sign.
        """
        while self.at < len(self.text):
            self.step()
        return self.tokens

    def step(self) -> None:
        """Read one thing."""
        here = self.text[self.at]
        if here.isspace() or (here == "~" and self.latex):
            self.at += 1
        elif written := self.words.as_printed(self.text, self.at):
            self.at, node = written
            self.emit("name", node)
        elif here == "\\" and self.latex:
            self.command()
        elif number := NUMBER.match(self.text, self.at):
            self.at = number.end()
            self.emit("number", number[0].replace("−", "-"))
        elif word := WORD[self.latex].match(self.text, self.at):
            self.at = word.end()
            self.word(word[0])
        elif here == "√":
            self.at += 1
            self.emit("call", "sqrt")
        elif self.text.startswith("**", self.at):
            self.at += 2
            self.sign("^")
        elif here in "[]":
            self.at += 1
            self.sign({"[": "(", "]": ")"}[here] if self.latex else here)
        elif here == "{" and self.latex:
            self.braces()
        elif here == "}" and self.latex:
            self.at += 1
            self.sign(")")
        elif here in SIGNS:
            self.at += 1
            self.sign(SIGNS[here] or here)
            if here == "^" and self.latex:
                self.argument()
        else:
            why = "it is cut short there." if here == "…" else "it is not part of a formula."
            raise Unreadable(f"{here!r}: {why}")

    def emit(self, kind: str, what: Any) -> None:
        self.tokens.append((kind, what))

    def sign(self, *signs: str) -> None:
        self.tokens += [("sign", sign) for sign in signs]

    def word(self, word: str, exact: bool = False) -> None:
        """Read a name with the index below it, and a power that stands before the index."""
        power: list[Token] = []
        if self.latex and not exact:
            before = len(self.tokens)
            if self.follows("^") and not word.endswith(tuple("0123456789")):
                start = self.at
                self.at += 1
                self.sign("^")
                self.argument()
                power = self.tokens[before:]
                del self.tokens[before:]
                if not self.follows("_"):
                    self.at, power = start, []
            if self.follows("_"):
                self.at += 1
                word += flat(self.group())
        try:
            found = self.words.find(word, exact)
        except UnknownWord as error:
            raise Unreadable(str(error)) from None
        for part in found:
            self.emit("call" if isinstance(part, str) else "name", part)
        self.tokens += power

    def follows(self, sign: str) -> bool:
        """Return whether a sign comes next, and move there."""
        rest = self.text[self.at :].lstrip()
        if rest.startswith(sign):
            self.at = len(self.text) - len(rest)
            return True
        return False

    # LaTeX

    def group(self) -> str:
        """Return the text of an argument: what is in braces, a command, or one letter."""
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        start = self.at
        if self.text.startswith("{", start):
            depth = 0
            for at in range(start, len(self.text)):
                escaped = self.text[at - 1 : at] == "\\"
                depth += (self.text[at] == "{") - (self.text[at] == "}") if not escaped else 0
                if not depth:
                    self.at = at + 1
                    return self.text[start + 1 : at]
            raise Unreadable("a closing brace } is missing.")
        one = re.compile(r"\\[A-Za-z]+|.", re.DOTALL).match(self.text, start)
        if not one:
            raise Unreadable("it ends too early.")
        self.at = one.end()
        if one[0] in DOTTED_COMMANDS:  # \frac\dot q 2 is nothing that people write
            return one[0] + self.group()
        return one[0]

    def argument(self) -> None:
        """Read an argument as a formula in parentheses."""
        inner = Scanner(self.group(), self.words)
        inner.latex = True
        self.sign("(")
        self.tokens += inner.scan()
        self.sign(")")

    def braces(self) -> None:
        """Read a group: a name that has its index outside, {\\dot q}_1, or a parenthesis."""
        start = self.at
        inside = self.group()
        if self.follows("_") and re.fullmatch(r"\\d?dot\s*(\{[^{}]*\}|\\[a-z]+|\w)|\w+", inside):
            self.word(flat(inside))
            return
        self.at = start + 1
        self.sign("(")

    def command(self) -> None:
        r"""Read what begins with a backslash."""
        found = re.compile(r"\\([A-Za-z]+|.)", re.DOTALL).match(self.text, self.at)
        if not found:
            raise Unreadable("it ends with a backslash.")
        self.at, name = found.end(), found[1]
        if SPACES.fullmatch(name):
            if name in ("left", "right") and self.follows("."):
                self.at += 1
        elif name == "\\":
            self.at = re.compile(r"\s*(\[[^\]]*\])?").match(self.text, self.at).end()  # type: ignore[union-attr]  # it matches nothing too
            self.sign(";")
        elif name in COMMANDS:
            self.sign(COMMANDS[name])
        elif name in QUOTIENTS:
            self.sign("(")
            self.argument()
            self.sign("/")
            self.argument()
            self.sign(")")
        elif name == "sqrt":
            self.emit("call", "sqrt")
            self.argument()
        elif name in FUNCTIONS:
            self.emit("call", FUNCTIONS[name])
        elif name in DOTTED:
            self.word(with_dot(flat(self.group()), DOTTED[name]))
        elif ROMAN.fullmatch(name):
            word = self.group().replace("\\_", "_").strip()
            self.word(word, exact=word in self.words.parameters)
        elif name in GREEK or name in CAPITALS:
            self.word(name)
        elif name in ("begin", "end"):
            self.environment(name, self.group().strip())
        else:
            raise Unreadable(f"\\{name} is not known here.")

    def environment(self, which: str, name: str) -> None:
        """Read the beginning or the end of a matrix."""
        if not MATRICES.fullmatch(name):
            raise Unreadable(f"\\{which}{{{name}}} is not known here.")
        if name == "array" and which == "begin":
            self.group()  # {cc}
        self.sign("[" if which == "begin" else "]")


DOTTED_COMMANDS = tuple(f"\\{name}" for name in DOTTED)


def flat(text: str) -> str:
    r"""Return a small piece of LaTeX as one word: \dot{\theta}_{C_1} with a dot, thetaC1."""
    text = re.sub(r"\\(mathrm|text|mathit)\b", "", text)
    marks = "".join(mark for name, mark in DOTTED.items() for _ in re.findall(rf"\\{name}\b", text))
    text = re.sub(r"\\d?dot\b|\\[,;:! ]", "", text)
    word = re.sub(r"[\\{}_,+\s]", "", text)
    return with_dot(word, marks) if marks else word


def with_dot(word: str, mark: str) -> str:
    """Return a word with a dot above its letter, which stands before its index."""
    letters = word.rstrip("0123456789")
    return letters + mark + word[len(letters) :]
