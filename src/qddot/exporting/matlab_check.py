"""check.m: every function that was written for MATLAB, compared with recorded values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from qddot.backends.matlab import broken, comment, number
from qddot.exporting.functions import ExportedFunction

STATES = 4  # recorded


def check_file(robot: str, functions: Sequence[ExportedFunction], fields: Mapping[str, str]) -> str:
    """Return the text of check.m, which runs the other functions.

    Args:
        robot: The robot's name.
        functions: What is checked, under the names of their files.
        fields: What each symbol is called in the struct p.
    """
    lines = [
        "function wrong = check()",
        *comment(f"CHECK  compare the functions of {robot} with recorded values.", "%"),
        "%   Returns how many functions are wrong, and prints how far each is off.",
        "wrong = 0;",
        *(f"wrong = wrong + check_{k}();" for k in range(1, len(functions) + 1)),
        "if wrong == 0",
        "    fprintf('all functions agree\\n');",
        "else",
        "    fprintf('%d of the functions are wrong\\n', wrong);",
        "end",
        "end",
    ]
    for k, function in enumerate(functions, 1):
        lines += ["", *_check_of(k, function, fields)]
    return "\n".join([*lines, "", COMPARE])


def _check_of(k: int, function: ExportedFunction, fields: Mapping[str, str]) -> list[str]:
    given, right = function.examples(STATES)
    lines, arguments = [], []
    some = [x for x in given if x.size]
    for (name, port), array in zip(function.inputs(), some, strict=True):
        if function.symbols and port.name == "p":
            rows = [[number(x) for x in column] for column in array.T]
            each = zip(fields.values(), rows, strict=True)
            lines += [f"p.{field} = [{', '.join(row)}];" for field, row in each]
            arguments.append("one_of(p, k)")
        else:
            lines += _table(f"given_{name}", array)
            shape = port.shape if len(port.shape) > 1 else (port.size, 1)
            wanted = ", ".join(map(str, shape))
            arguments.append(f"reshape(given_{name}(k, :), {wanted})")
    whole = np.concatenate([_columns(x) for x in right if x.size], axis=1)
    results = [f"x{i}" for i in range(1, sum(bool(x.size) for x in right) + 1)]
    left = f"[{', '.join(results)}]"
    found = "; ".join(f"{name}(:)" for name in results)
    return [
        f"function wrong = check_{k}()",
        *lines,
        *_table("right", whole),
        "off = 0;",
        f"for k = 1:{STATES}",
        f"    {left} = {function.name}({', '.join(arguments)});",
        f"    off = apart([{found}].', right(k, :), off);",
        "end",
        f"wrong = verdict('{function.name}', off, right, {number(function.close)});",
        "end",
    ]


def _columns(x: np.ndarray) -> np.ndarray:
    """Return arrays as rows in MATLAB's order, columns first."""
    return np.array([state.reshape(-1, order="F") for state in x])


def _table(name: str, rows: np.ndarray) -> list[str]:
    flat = _columns(rows)
    lines = [f"{name} = [ ..."]
    for k, row in enumerate(flat, 1):
        lines += broken("    ", map(number, row), "; ..." if k < len(flat) else "];")
    return lines


COMPARE = """function off = apart(found, right, off)
far = abs(found - right);
far(found == right | (isnan(found) & isnan(right))) = 0;
if any(isnan(far))
    off = NaN;
else
    off = max([off, far]);
end
end

function wrong = verdict(name, off, right, tolerance)
scale = max([abs(right(isfinite(right))); 1e-3]);
wrong = double(~(off <= tolerance * scale));
words = {'right', 'WRONG'};
fprintf('%-30s off by %.1e of %.3g: %s\\n', name, off, scale, words{wrong + 1});
end

function one = one_of(p, k)
names = fieldnames(p);
for i = 1:numel(names)
    one.(names{i}) = p.(names{i})(k);
end
end
"""
