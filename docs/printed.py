"""Compare the output that a page shows with the output that comes out.

A page may leave lines out and wrap long ones; those that it shows must come in their order. `...`
stands for anything, and spaces do not matter. Numbers may differ as they do between machines:

    4e-16 and 7e-16            both are round-off
    0.01 s), 28,239 bytes      how long it took; bytes to 5 %
    4.1.0                      a version, of whatever is installed
    276, 0.0805                everything else: to 2 %, or by one in the last digit after the point
"""

from __future__ import annotations

import re

NUMBER = re.compile(r"(?<![\w.])[-−]?\d(?:[\d,]*\d)?(?:\.\d+)*(?:e[-+]?\d+)?(?![\w])")
WRAPPED = 3  # a long line may be shown as so many
ROUND_OFF = 1e-9  # smaller numbers are not compared with one another


def missing(shown: str, printed: str) -> str | None:
    """Return the first line that is shown but was not printed in its place, or None."""
    lines = [line for line in shown.splitlines() if line.strip() not in ("", "...")]
    rest = printed.splitlines()
    while lines:
        for count in range(1, WRAPPED + 1):
            line = " ".join(lines[:count])
            place = next((k for k, each in enumerate(rest) if agree(line, each)), None)
            if place is not None:
                lines, rest = lines[count:], rest[place + 1 :]
                break
        else:
            return lines[0]
    return None


def agree(shown: str, printed: str) -> bool:
    """Return whether a line that is shown is one that was printed, but for numbers that vary."""
    shown, printed = (" ".join(line.split()) for line in (shown, printed))
    words = "".join(_pattern(part) for part in re.split(f"({NUMBER.pattern}|\\.\\.\\.)", shown))
    found = re.fullmatch(words, printed)
    if not found:
        return False
    units = [shown[mark.end() :] for mark in NUMBER.finditer(shown)]
    pairs = zip(NUMBER.findall(shown), found.groups(), units, strict=True)
    return all(near(mine, theirs, unit) for mine, theirs, unit in pairs)


def near(shown: str, printed: str, unit: str) -> bool:
    """Return whether two numbers are the same but for what differs between machines."""
    if shown.count(".") > 1 or re.match(r" (s|ms|µs)\)", unit):
        return True
    a, b = (float(text.replace(",", "").replace("−", "-")) for text in (shown, printed))
    if max(abs(a), abs(b)) < ROUND_OFF:
        return True
    share = 0.05 if unit.startswith(" bytes") else 0.02
    return abs(a - b) <= max(share * abs(a), 1.01 * _last_digit(shown))


def _pattern(part: str) -> str:
    if part == "...":
        return ".*?"
    return f"({NUMBER.pattern})" if NUMBER.fullmatch(part) else re.escape(part)


def _last_digit(text: str) -> float:
    """Return what one in the last digit is worth: 0.01 of 3.14, 1e-7 of 6e-07, nothing of 12."""
    mantissa, _, exponent = text.partition("e")
    after = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - after) if after or exponent else 0.0
