"""A tiny reader of printed formulas, which computes their value: a second opinion on printing."""

import math
import re

TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?(?:e[-−]?\d+)?(?:/\d+)?)"
    r"|(?P<power>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|\^-?\d+)"
    r"|(?P<name>√|[A-Za-zπ][\u0307\u0308]?[A-Za-z0-9_]*)"
    r"|(?P<sign>[-−+()]))"
)
PLAIN = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
FUNCTIONS = {"sin": math.sin, "cos": math.cos, "sqrt": math.sqrt, "√": math.sqrt}


def value_of_text(text, values):
    """Return the value of a formula as `as_text` prints it."""
    return Reader(text, values).whole()


def value_of_latex(text, values):
    """Return the value of a formula as `as_latex` prints it, without sums below a root."""
    text = re.sub(r"\\ddot\{q\}_\{(\d+)\}", "q\u0308\\1", text)
    text = re.sub(r"\\dot\{q\}_\{(\d+)\}", "q\u0307\\1", text)
    text = re.sub(r"\\frac\{(\d+)\}\{(\d+)\}", r"\1/\2", text)
    text = re.sub(r" \\cdot 10\^\{(-?\d+)\}", r"e\1", text)
    text = re.sub(r"\\mathrm\{([A-Za-z0-9\\_]+)\}", lambda m: m[1].replace("\\_", "_"), text)
    text = re.sub(r"\^\{(-?\d+)\}", r"^\1", text)
    text = re.sub(r"_\{(\w+)\}", r"\1", text)
    text = re.sub(r"\\sqrt\{([^{}]+)\}", r"sqrt(\1)", text)
    text = text.replace(r"\left(", "(").replace(r"\right)", ")")
    return Reader(text.replace("\\", " "), values).whole()


class Reader:
    def __init__(self, text, values):
        self.values = values
        self.tokens = []
        at = 0
        while at < len(text):
            match = TOKEN.match(text, at)
            assert match, f"nothing begins at {text[at:]!r}"
            self.tokens.append((match.lastgroup, match[match.lastgroup].translate(PLAIN)))
            at = match.end()
        self.tokens.append(("end", ""))

    def whole(self):
        result = self.sum()
        assert self.tokens == [("end", "")], f"left over: {self.tokens}"
        return result

    def sum(self):
        negative = self.accept("-")
        result = self.term() * (-1 if negative else 1)
        while self.tokens[0][1] in ("+", "-"):
            sign = 1 if self.tokens.pop(0)[1] == "+" else -1
            result += sign * self.term()
        return result

    def term(self):
        result = self.factor()
        while self.tokens[0][0] in ("number", "name") or self.tokens[0][1] == "(":
            result *= self.factor()
        return result

    def factor(self):
        kind, text = self.tokens.pop(0)
        exponent = 1
        if kind == "number":
            top, _, bottom = text.partition("/")
            result = float(top) / float(bottom or 1)
        elif text in FUNCTIONS:
            exponent = self.power()
            result = FUNCTIONS[text](self.factor_without_power())
        else:
            self.tokens.insert(0, (kind, text))
            result = self.factor_without_power()
        return result ** (exponent * self.power())

    def factor_without_power(self):
        kind, text = self.tokens.pop(0)
        if text == "(":
            result = self.sum()
            assert self.accept(")")
            return result
        return self.values[text] if kind == "name" else float(text)

    def power(self):
        return int(self.tokens.pop(0)[1].lstrip("^")) if self.tokens[0][0] == "power" else 1

    def accept(self, sign):
        if self.tokens[0] == ("sign", sign):
            self.tokens.pop(0)
            return True
        return False
