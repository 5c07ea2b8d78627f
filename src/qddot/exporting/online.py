"""An online estimator in C: its rows are a program, its update is plain loops around it.

The caller holds the state, `values` (r) and `root` (r × r), which `start` fills; an update takes a
row of measurements and works on arrays of the stack. Formulas are in `identification.recursive`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qddot.errors import printable
from qddot.exporting.c_prelude import CNumber
from qddot.identification.recursive import OnlineEstimator

STEP = 0.0078125  # [s], between recorded rows; exact in any type
UPDATES = 50  # recorded for the check
CLOSE = {False: 1e-11, True: 1e-3}  # of the largest entry, for the check
SKIPPED = 7  # of so many updates, the first torque of one is not a number


@dataclass(frozen=True)
class OnlineUpdate:
    """What is written behind the program of an estimator's rows."""

    estimator: OnlineEstimator

    @property
    def about(self) -> dict[str, str]:
        """The functions by name, each with what it does."""
        r, names = len(self.estimator.values), self.estimator.regression.names
        order = ", ".join(printable(names[k]) for k in self.estimator.kept)
        fades = "" if self.estimator.memory is None else "; the state fades over it"
        return {
            "start": f"Set the state to what the log has shown: values[{r}], the base parameters, "
            f"and root[{r}][{r}], S with S S^T their covariance. The values are in this "
            f"order, each group of parameters by its first: {order}.",
            "update": "Take one more row into the state. Torques that are not finite are left out. "
            f"step: since the row before [s]{fades}.",
            "deviations": "Give the standard deviations of the values.",
        }

    def signature(self, prefix: str, name: str, number: CNumber) -> str:
        T, r, n = number.name, len(self.estimator.values), self.estimator.regression.robot.n
        nq = self.estimator.regression.robot.nq
        state = f"{T} values[{r}], {T} root[{r * r}]"
        row = f"const {T} q[{nq}], " + ", ".join(
            f"const {T} {x}[{n}]" for x in ("qd", "qdd", "tau")
        )
        arguments = {
            "start": state,
            "update": f"{state}, {row}, {T} step",
            "deviations": f"const {T} root[{r * r}], {T} out[{r}]",
        }
        return f"{number.head}void {prefix}online_{name}({arguments[name]})"

    def definitions(self, prefix: str, number: CNumber) -> str:
        """Return the functions in C or C++."""
        own, T = self.estimator, number.name
        exp, sqrt, fabs = (number.call(f) for f in ("exp", "sqrt", "fabs"))
        infinity = number.literal(np.inf)
        r, n = len(own.values), len(own.noise)
        zero, one = number.literal(0.0), number.literal(1.0)
        tables = [_table("first", own.values, number), _table("second", own.root, number)]
        start = f"""{self.signature(prefix, "start", number)}
{{
{number.opening}{tables[0]}
{tables[1]}
  for (int i = 0; i < {r}; ++i) values[i] = first[i];
  for (int i = 0; i < {r * r}; ++i) root[i] = second[i];
}}
"""
        fade = "  (void)step;\n"
        if own.memory is not None:
            rate = number.literal(0.5 / own.memory)
            fade = f"  const {T} fade = {exp}({rate} * step);\n"
            fade += f"  for (int i = 0; i < {r * r}; ++i) root[i] *= fade;\n"
        update = f"""{self.signature(prefix, "update", number)}
{{
{number.opening}{_table("noise", own.noise, number)}
  {T} columns[{n * r}], rest[{n}], f[{r}], gain[{r}];
  {prefix}online_rows(q, qd, qdd, columns, rest);
{fade}  for (int j = 0; j < {n}; ++j) {{
    const {T} *y = columns + j * {r};
    const {T} s = noise[j];
    {T} left = tau[j] - rest[j];
    {T} size = s * s;
    for (int i = 0; i < {r}; ++i) f[i] = {zero};
    for (int k = 0; k < {r}; ++k) {{
      for (int i = 0; i < {r}; ++i) f[i] += root[k * {r} + i] * y[k];
      left -= y[k] * values[k];
    }}
    for (int i = 0; i < {r}; ++i) size += f[i] * f[i];
    if (!({fabs}(left) < {infinity}) || !(size < {infinity})) continue;
    const {T} a = {one} / size;
    const {T} b = a / ({one} + s * {sqrt}(a));
    for (int k = 0; k < {r}; ++k) {{
      gain[k] = {zero};
      for (int i = 0; i < {r}; ++i) gain[k] += root[k * {r} + i] * f[i];
    }}
    for (int k = 0; k < {r}; ++k) {{
      values[k] += a * left * gain[k];
      for (int i = 0; i < {r}; ++i) root[k * {r} + i] -= b * gain[k] * f[i];
    }}
  }}
}}
"""
        deviations = f"""{self.signature(prefix, "deviations", number)}
{{
{number.opening}  for (int k = 0; k < {r}; ++k) {{
    {T} sum = {zero};
    for (int i = 0; i < {r}; ++i) sum += root[k * {r} + i] * root[k * {r} + i];
    out[k] = {sqrt}(sum);
  }}
}}
"""
        return "\n".join([start, update, deviations])

    def check(self, prefix: str, number: CNumber) -> str:
        """Return a function that compares updates with recorded ones, each value by its size."""
        rows, values, deviations = recorded(self.estimator, number.single)
        T, r = number.name, len(self.estimator.values)
        named = zip(("q", "qd", "qdd", "tau"), rows, strict=True)
        tables = [_rows(f"given_{name}", x, number) for name, x in named]
        sizes = np.maximum(np.abs(values).max(axis=0), deviations)
        tables += [
            _rows("right", values / sizes, number),
            _table("size", sizes, number),
            _table("known", deviations, number),
        ]
        lines = "\n".join(tables)
        call = "given_q[k], given_qd[k], given_qdd[k], given_tau[k]"
        return f"""{number.head or "static "}int check_online_update(void)
{{
{number.opening}{lines}
  {T} values[{r}], root[{r * r}], found[{r}], share[{r}], one[{r}];
  double off = 0.0, largest = 0.0;
  {prefix}online_start(values, root);
  for (int k = 0; k < {UPDATES}; ++k) {{
    {prefix}online_update(values, root, {call}, {number.literal(STEP)});
    for (int i = 0; i < {r}; ++i) found[i] = values[i] / size[i];
    compare(found, right[k], {r}, &off, &largest);
  }}
  {prefix}online_deviations(root, found);
  for (int i = 0; i < {r}; ++i) {{
    share[i] = found[i] / known[i];
    one[i] = {number.literal(1.0)};
  }}
  compare(share, one, {r}, &off, &largest);
  return verdict("{prefix}online_update", off, largest, {CLOSE[number.single]!r});
}}
"""


def recorded(
    estimator: OnlineEstimator, single: bool
) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Return rows q, q̇, q̈ and τ, the values after each, and the deviations after the last."""
    rng, n = np.random.default_rng(0), estimator.regression.robot.n
    tree = estimator.regression.robot.tree
    q = tree.from_neutral(rng.uniform(-1.5, 1.5, (UPDATES, n)))
    qd, qdd = rng.uniform(-1.5, 1.5, (2, UPDATES, n))
    columns, rest = estimator.program(q, qd, qdd)
    tau = columns @ estimator.values + rest
    tau = tau + estimator.noise * rng.normal(size=tau.shape)
    tau[::SKIPPED, 0] = np.nan
    rows = [x.astype(np.float32 if single else np.float64) for x in (q, qd, qdd, tau)]
    follower = estimator.copy()
    values = [
        follower.update(*(x.astype(float) for x in row), step=STEP).copy()
        for row in zip(*rows, strict=True)
    ]
    return rows, np.array(values), follower.deviations


def _table(name: str, values: np.ndarray, number: CNumber) -> str:
    entries = ", ".join(number.literal(float(x)) for x in values.ravel())
    return f"  static const {number.name} {name}[{values.size}] = {{{entries}}};"


def _rows(name: str, rows: np.ndarray, number: CNumber) -> str:
    lines = ",\n    ".join(
        "{" + ", ".join(number.literal(float(x)) for x in row) + "}" for row in rows
    )
    return f"  static const {number.name} {name}[{len(rows)}][{rows.shape[1]}] = {{\n    {lines}}};"
