r"""Formulas in LaTeX as a terminal shows them: \tfrac12\,\dot q^T M\dot q is ½ q̇ᵀ M q̇.

The part of LaTeX that derivations and notations are written in, and nothing else: what is not known
here is refused, so that a notation from a file can hold no command that does something.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from qddot.errors import BadArgument, shorten

GREEK = {
    name: unicodedata.lookup(f"GREEK SMALL LETTER {name.upper()}")
    for name in (
        *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"),
        *("mu", "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"),
    )
} | {"lambda": "λ", "varepsilon": "ε", "vartheta": "ϑ", "varphi": "φ", "ell": "ℓ"}
CAPITALS = dict(
    zip(
        [
            *("Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi"),
            *("Sigma", "Upsilon", "Phi", "Psi", "Omega"),
        ],
        "ΓΔΘΛΞΠΣΥΦΨΩ",
        strict=True,
    )
)
SIGNS = {
    **dict(zip(["sum", "prod", "int", "partial"], "Σ∏∫∂", strict=True)),
    **dict(zip(["times", "cdot", "otimes"], (" × ", " · ", " ⊗ "), strict=True)),
    **dict(zip(["cdots", "ldots", "dots", "vdots", "ddots"], "……………", strict=True)),
    **dict(zip(["ge", "geq", "le", "leq", "ne", "approx", "equiv"], "≥≥≤≤≠≈≡", strict=True)),
    "to": " → ",
    "top": "ᵀ",
    "nabla": "∇",
    "mid": "|",
    "infty": "∞",
    "pm": "±",
    "vee": "ⱽ",
    "circ": "°",
    **dict.fromkeys(("sin", "cos", "tan", "det", "exp"), ""),
}
SPACES = {",", ";", ":", "!", " ", "quad", "qquad"}
IGNORED = {"left", "right", "bigl", "bigr", "Bigl", "Bigr", "displaystyle", "limits"}
ACCENTS = {
    "dot": "\N{COMBINING DOT ABOVE}",
    "ddot": "\N{COMBINING DIAERESIS}",
    "bar": "\N{COMBINING MACRON}",
    "hat": "\N{COMBINING CIRCUMFLEX ACCENT}",
    "tilde": "\N{COMBINING TILDE}",
    "vec": "\N{COMBINING RIGHT ARROW ABOVE}",
}
FONTS = {"mathrm", "mathit", "mathsf", "text", "operatorname"}
BOLD = {
    chr(base + k): chr(bold + k) for base, bold in ((65, 0x1D400), (97, 0x1D41A)) for k in range(26)
}
SCRIPT = dict(zip("ABDGJKLMNPQRTUVWF", "𝒜ℬ𝒟𝒢𝒥𝒦ℒℳ𝒩𝒫𝒬ℛ𝒯𝒰𝒱𝒲ℱ", strict=True)) | {
    "E": "ℰ",
    "C": "𝒞",
    "S": "𝒮",
    "H": "ℋ",
    "I": "ℐ",
}
RAISED = str.maketrans("0123456789+-−T()in*", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ᵀ⁽⁾ⁱⁿ*")
LOWERED = dict(zip("ijklmnpaeoxrt", "ᵢⱼₖₗₘₙₚₐₑₒₓᵣₜ", strict=True))
BELOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
HALVES = {("1", "2"): "½", ("1", "3"): "⅓", ("1", "4"): "¼", ("3", "4"): "¾"}
# TeX drops the space behind the name of a command
TOKEN = re.compile(r"\\([A-Za-z]+)\s*|\\([,;:! {}|&%_\\])|(\s+)|(.)", re.DOTALL)


@lru_cache(maxsize=4096)
def plain(latex: str) -> str:
    r"""Return a formula in LaTeX as text.

    It raises BadArgument if something stands in it that formulas of derivations do not have.
    """
    reader = _Reader(latex)
    text = reader.until_end()
    # TeX sets its own spaces around signs
    text = re.sub(r" *= *", " = ", re.sub(r"(?<=[^ (−])Σ", " Σ", text))
    text = re.sub(r"(?<=[^\s(=])([+−]) ", r" \1 ", text)
    text = re.sub(r" +", " ", text).strip()
    return text.replace("( ", "(").replace(" )", ")").replace(" ,", ",")


def tokens(latex: str) -> Iterator[tuple[str, str]]:
    r"""Yield the tokens of a formula: ("command", "dot"), ("space", " ") or ("letter", "q")."""
    for name, sign, space, letter in TOKEN.findall(latex):
        if name or sign:
            yield "command", name or sign
        else:
            yield ("space", " ") if space else ("letter", letter)


class _Reader:
    def __init__(self, latex: str):
        self.latex, self.tokens, self.at = latex, list(tokens(latex)), 0
        self.scripts = ""  # which indices the last letter has

    def refused(self, why: str) -> BadArgument:
        return BadArgument(f"The formula {shorten(self.latex)!r} {why}.")

    def until_end(self) -> str:
        text = ""
        while self.at < len(self.tokens):
            text = self.item(text)
        return text

    def group(self) -> str:
        """Return what an argument is: the next token, or all between braces."""
        while self.at < len(self.tokens) and self.tokens[self.at][0] == "space":
            self.at += 1
        if self.at >= len(self.tokens):
            raise self.refused("ends where something must follow")
        if self.tokens[self.at][1] in ("^", "_"):  # TeX reads ^^5c as a backslash
            raise self.refused("has ^ or _ twice, one behind the other")
        outside = self.scripts
        if self.tokens[self.at] != ("letter", "{"):
            text = self.item("")
            self.scripts = outside
            return text
        self.at += 1
        text, self.scripts = "", ""
        while self.at < len(self.tokens) and self.tokens[self.at] != ("letter", "}"):
            text = self.item(text)
        if self.at >= len(self.tokens):
            raise self.refused("has a brace that is not closed")
        self.at += 1
        self.scripts = outside
        return text

    def item(self, before: str) -> str:
        """Return what stands before, with the next item behind it."""
        kind, token = self.tokens[self.at]
        if kind == "letter" and token == "{":
            self.scripts = ""
            return before + self.group()
        if kind == "letter" and token == "}":
            raise self.refused("has a brace that is not opened")
        self.at += 1
        if kind == "space":
            return before + " "
        if kind == "command":
            self.scripts = ""
            return before + self.command(token)
        if token in "^_'":
            return before + self.script(token, before)
        self.scripts = ""
        if token == "-":
            return before + "−"
        if token in '&~$%#\\"`' or not " " < token <= "~":
            hint = "" if token.isascii() else "; Greek letters are written as \\theta"
            raise self.refused(f"has {token!r} in it{hint}")
        return before + token

    def script(self, sign: str, before: str) -> str:
        """Return an index; two upper ones at one letter are refused, as LaTeX refuses them."""
        place = "^" if sign == "'" else sign
        again = sign == "'" and self.tokens[self.at - 2 : self.at - 1] == [("letter", "'")]
        if place in self.scripts and not again:
            raise self.refused(f"has {place} twice at one letter, which LaTeX refuses")
        self.scripts += place
        if sign == "'":
            return "′"
        inside = self.group()
        return _raised(inside) if sign == "^" else _lowered(inside, before)

    def command(self, name: str) -> str:
        if name in GREEK or name in CAPITALS:
            return (GREEK | CAPITALS)[name]
        if name in SPACES or name in IGNORED:
            return " " if name in SPACES and name != "!" else ""
        if name in SIGNS:
            indexed = self.at < len(self.tokens) and self.tokens[self.at][1] in "^_"
            large = name in ("sum", "prod", "int") or not SIGNS[name]
            return (SIGNS[name] or name) + (" " if large and not indexed else "")
        if name in ACCENTS:
            inside = self.group()
            return inside[:1] + ACCENTS[name] + inside[1:]
        if name == "mathcal":
            return "".join(SCRIPT.get(letter, letter) for letter in self.group())
        if name in ("mathbf", "boldsymbol"):
            return "".join(BOLD.get(letter, letter) for letter in self.group())
        if name in FONTS:
            return self.group()
        if name == "sqrt":
            return f"√({self.group()})"
        if name in ("frac", "tfrac", "dfrac"):
            top, bottom = self.group(), self.group()
            return HALVES.get((top, bottom)) or f"{_bound(top)}/{_bound(bottom)} "
        if name in ("{", "}", "|", "%", "_"):
            return name
        raise self.refused(
            f"has \\{shorten(name)} in it, which formulas of derivations do not have"
        )


def _bound(text: str) -> str:
    return f"({text})" if re.search(r"[ +−]", text.strip()) else text


def _raised(text: str) -> str:
    if text == "°":
        return text
    raised = text.translate(RAISED)
    if all(letter not in text or letter == "*" for letter in raised):
        return raised
    return f"^{_bound(text)}"


def _lowered(text: str, before: str) -> str:
    large = before.rstrip().endswith(("Σ", "∏", "∫", "|"))
    if text.isdigit() and not large:
        # in front of a letter, as the frame of a transform, or behind it
        return text.translate(BELOW) if before[-1:] in {"", " ", *"⁰¹²³⁴⁵⁶⁷⁸⁹"} else text
    if len(text) == 1 and text in LOWERED:
        return LOWERED[text] + (" " if large else "")
    if all(letter in LOWERED for letter in text):
        return "".join(LOWERED[letter] for letter in text) + (" " if large else "")
    return f"_{_bound(text)}" + (" " if large else "")
