"""Mutation testing: `python tests/mutations.py record|check [PACKAGE ...] [--jobs N]`.

A site is a place inside a function where one small change makes the code wrong. Every package has
the same number of sites: those with the smallest SHA-256 of module, function, kind and ordinal, so
that nobody chooses them and code that vanishes is replaced by the next hash. Each change is tried
against the tests that execute its line. `record` tries the sites that mutations.json lacks and
forgets those that are no more; `check` fails if a change that was detected is not detected now.

Beside these are errors with names, `NAMED`, in what all derivations but one share: `check` looks
whether `qddot.prove` alone finds them, without any test.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src" / "qddot"
RECORD = Path(__file__).with_suffix(".json")
SITES = 20  # of each package
MOST_TESTS = 200  # that a change is tried against: those of its own package first
TIMEOUT = 300  # [s] for the tests of one change; code that does not end is a detected change
OWN_CACHE = ("backends", "program")  # their changes alter machine code, not only programs

SLIDE = 'dict(type="prismatic", mass=1)'
FOLLOWER = 'dict(a=1, mass=2, mimic=dict(joint="j1", multiplier=2, offset=0.5))'
MOTOR = "dict(rotor_inertia=0.01, gear=50)"
COUPLING = f'coupling=[dict(joints=["j1", "j2"], motor={MOTOR})]'
TOOL = 'frame=[dict(name="tool", link="link1", xyz=[0.3, 0, 0.1], rpy=[0.5, 0, 0])]'
LOAD = 'payload=[dict(frame="tool", mass=1, com=[0.1, 0, 0.2], inertia=[1, 2, 2])]'


def dh(rows: str, *more: str) -> str:
    """Return the code of a robot from a DH table, under an oblique gravity."""
    return f"qddot.from_dh({', '.join([rows, repr('standard'), *more])}, gravity=(1, -9, 2))"


@dataclass(frozen=True)
class NamedError:
    """An error in what the tree is made of, and a robot whose proof must fail with it."""

    module: str
    function: str
    before: str
    after: str
    robot: str

    def applied(self, source: str) -> str:
        """Return the source of the module with the error in it."""
        assert source.count(self.before) == 1, f"{self.module} has changed: {self.before}"
        return source.replace(self.before, self.after)


NAMED = {
    "the parallel-axis term counted twice": NamedError(
        *("spatial.inertia", "Inertia.about_com", "I_com - mass * (K", "I_com - 2 * mass * (K"),
        'qddot.load("two_link")',
    ),
    "every lever arm negated": NamedError(
        *("model.tree", "Tree.poses", "[body.X_PB(q_J) for body in self.bodies]"),
        "[Pose(X.R, -X.p) for X in [body.X_PB(q_J) for body in self.bodies]]",
        'qddot.load("two_link")',
    ),
    "gravity times −2": NamedError(
        *("model.folding", "fold", "gravity=model.gravity"),
        *("gravity=tuple(-2 * x for x in model.gravity)", 'qddot.load("two_link")'),
    ),
    "the rotation of placements transposed": NamedError(
        *("model.link", "Placement.pose", "from_rpy(self.rpy, constant_sincos)"),
        *("from_rpy(self.rpy, constant_sincos).T", dh("[dict(a=1, alpha=0.5, mass=2)] * 2")),
    ),
    "rotor inertia times 3": NamedError(
        *("model.folding", "rotor_inertia", "yield sum(", "yield 3 * sum("),
        dh(f"[dict(a=1, mass=2, motor={MOTOR})]"),
    ),
    "gears not squared": NamedError(
        *("model.joint", "Motor.reflected", "self.gear * self.gear *", "self.gear *"),
        dh(f"[dict(a=1, mass=2, motor={MOTOR})]"),
    ),
    "motors of couplings left out": NamedError(
        *("model.folding", "shared_shafts", "if coupling.is_shaft", "if not coupling.is_shaft"),
        dh("[dict(a=1, mass=2), dict(a=1, mass=1)]", COUPLING),
    ),
    "followers moved backwards": NamedError(
        *("model.folding", "coordinates", "ratio = ratio *", "ratio = -ratio *"),
        dh(f"[{SLIDE}, {FOLLOWER}]"),
    ),
    "the offset of followers left out": NamedError(
        *("model.folding", "coordinates", "offset = ratio * joint.mimic.offset + offset"),
        "offset = offset",
        dh(f"[{SLIDE}, {FOLLOWER}]"),
    ),
    "the last payload left out": NamedError(
        *("model.folding", "fold", "for load in model.payloads", "for load in model.payloads[:-1]"),
        dh("[dict(a=1, mass=1)]", TOOL, LOAD),
    ),
    "bodies not moved to the frames that carry them": NamedError(
        *("model.folding", "fold", "about_origin().seen_from(X_BF)", "about_origin()"),
        dh("[dict(a=1, mass=1)]", TOOL, LOAD),
    ),
}
NEGATED = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: ">=", ast.GtE: "<", ast.Gt: "<=", ast.LtE: ">",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
# executed lines are appended here: one write of a short line is atomic
HITS = """
import os
seen = set()
def hit(site):
    key = site, os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    if key not in seen:
        seen.add(key)
        with open(os.environ["MUTATION_HITS"], "a", encoding="utf-8") as file:
            file.write("%s\\t%s\\n" % key)
"""


@dataclass(frozen=True)
class Site:
    """A place in the source, and the text that makes it wrong."""

    path: Path
    function: str
    kind: str
    ordinal: int
    start: int  # [bytes]
    end: int
    text: str

    @property
    def module(self) -> str:
        return ".".join(self.path.relative_to(SRC.parent).with_suffix("").parts)

    @property
    def package(self) -> str:
        parts = self.path.relative_to(SRC).parts
        return parts[0] if len(parts) > 1 else "qddot"

    @property
    def name(self) -> str:
        return f"{self.module}:{self.function}:{self.kind}:{self.ordinal}"

    @property
    def rank(self) -> str:
        return sha256(self.name.encode()).hexdigest()


def sites(path: Path) -> Iterator[Site]:
    """Return all sites of a file."""
    source = path.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def span(node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            starts[node.lineno - 1] + node.col_offset,
            starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def text(node: ast.expr) -> str:
        start, end = span(node)
        return f"({source[start:end].decode()})"

    numbers: dict[str, Mapping[str, Iterator[int]]] = {}  # functions may share a name

    def visit(node: ast.AST, function: str, counts: Mapping[str, Iterator[int]]) -> Iterator[Site]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            name = f"{function}.{node.name}".lstrip(".")
            counted = numbers.setdefault(name, {kind: count() for kind in KINDS})
            for child in node.body:
                yield from visit(child, name, counted)
            return
        if isinstance(node, ast.ClassDef):
            for child in node.body:
                yield from visit(child, f"{function}.{node.name}".lstrip("."), {})
            return
        if isinstance(node, ast.JoinedStr):
            return  # positions inside an f-string are not those of the file
        if counts and (found := wrong(node, text)):
            kind, changed = found
            assert isinstance(node, ast.expr | ast.stmt)
            yield Site(path, function, kind, next(counts[kind]), *span(node), changed)
        for child in ast.iter_child_nodes(node):
            yield from visit(child, function, counts)

    yield from visit(ast.parse(source), "", {})


KINDS = ("sign", "factor", "product", "transpose", "comparison", "condition", "raise")


def wrong(node: ast.AST, text) -> tuple[str, str] | None:
    """Return the kind of a change and the text that replaces the node; None where there is none."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return "sign", f"(+{text(operand)})"
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            if any(isinstance(x, ast.JoinedStr | ast.List | ast.Tuple) for x in (left, right)):
                return None
            if any(isinstance(getattr(x, "value", None), str) for x in (left, right)):
                return None
            sign = "-" if isinstance(op, ast.Add) else "+"
            return "sign", f"({text(left)} {sign} {text(right)})"
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div() | ast.Pow(), right=right):
            if any(isinstance(x, ast.JoinedStr | ast.List | ast.Tuple) for x in (left, right)):
                return None
            if any(isinstance(getattr(x, "value", None), str) for x in (left, right)):
                return None
            return "factor", f"(2 * {text(node)})"
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            return "product", f"({text(right)} @ {text(left)})"
        case ast.Attribute(value=value, attr="T", ctx=ast.Load()):
            return "transpose", text(value)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return "comparison", f"({text(left)} {NEGATED[type(op)]} {text(right)})"
        case ast.BoolOp(op=op, values=values):
            other = " and " if isinstance(op, ast.Or) else " or "
            return "condition", f"({other.join(map(text, values))})"
        case ast.Call() | ast.Name() | ast.Attribute() | ast.UnaryOp(op=ast.Not()):
            if getattr(node, "is_test", False):
                return "condition", f"(not {text(node)})"
            return None
        case ast.If(test=test) | ast.IfExp(test=test):
            test.is_test = True  # type: ignore[attr-defined]  # read when it is visited
            return None
        case ast.Raise():
            return "raise", "pass"
    return None


def chosen() -> dict[str, list[Site]]:
    """Return the sites of every package."""
    packages: dict[str, list[Site]] = {}
    for path in sorted(SRC.rglob("*.py")):
        if "vendored" not in path.parts:
            for site in sites(path):
                packages.setdefault(site.package, []).append(site)
    return {
        package: sorted(found, key=lambda site: site.rank)[:SITES]
        for package, found in sorted(packages.items())
    }


def copied(folder: Path) -> Path:
    """Return a copy of the package, of links to its files."""
    shutil.copytree(
        SRC.parent, folder / "src", copy_function=os.link, ignore=shutil.ignore_patterns("*.pyc")
    )
    return folder / "src"


def rewritten(path: Path, source: bytes) -> None:
    path.unlink()  # it is a link to the file of the package
    path.write_bytes(source)


def tests_by_site(found: Sequence[Site], folder: Path, jobs: int) -> dict[str, list[str]]:
    """Run all tests once and return which of them execute each site."""
    src = copied(folder)
    (src / "mutation_hits.py").write_text(HITS)
    for path in {site.path for site in found}:
        edits = []
        for k, site in enumerate(found):
            if site.path == path:
                call = f"__import__('mutation_hits').hit({k})"
                if site.kind == "raise":
                    edits.append((site.start, 0, -site.end, f"{call}; "))
                else:  # outer sites open first and close last
                    edits.append((site.start, 0, -site.end, f"({call} or ("))
                    edits.append((site.end, -1, -site.start, "))"))
        source, at, parts = path.read_bytes(), 0, []
        for place, _, _, text in sorted(edits):
            parts += [source[at:place], text.encode()]
            at = place
        rewritten(src.parent / path.relative_to(ROOT), b"".join([*parts, source[at:]]))
    hits = folder / "hits"
    hits.touch()
    every = ("-n", str(jobs), "--dist", "worksteal")
    done = pytest(every, src, 3600, MUTATION_HITS=str(hits))
    print(done.stdout.splitlines()[-1])
    failed = {line.split(" - ")[0].split(" ", 1)[1] for line in failures(done.stdout)}
    known: dict[str, list[str]] = {site.name: [] for site in found}
    for line in sorted(set(hits.read_text(encoding="utf-8").splitlines())):
        k, _, test = line.partition("\t")
        if test.startswith("tests/") and test not in failed:
            known[found[int(k)].name].append(test)
    return known


def pytest(
    words: Sequence[str], src: Path, seconds: float, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run tests with the package in another folder."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(src), **environment},
        capture_output=True,
        text=True,
        timeout=seconds,
    )


def failures(output: str) -> list[str]:
    return [line for line in output.splitlines() if line.startswith(("FAILED ", "ERROR "))]


def in_order(site: Site, tests: Sequence[str]) -> list[str]:
    """Return the tests of a site: those of its own package first, then some of all files."""
    own = [test for test in tests if test.startswith(f"tests/{site.package}/")]
    others = [test for test in tests if test not in set(own)]
    random.Random(site.rank).shuffle(own)
    random.Random(site.rank).shuffle(others)
    return [*own, *others][:MOST_TESTS]


def detected(site: Site, tests: Sequence[str], before: str) -> str:
    """Return the test that fails where the site is wrong; nothing where all pass."""
    with tempfile.TemporaryDirectory(prefix="qddot-mutation-") as folder:
        src = copied(Path(folder))
        source = site.path.read_bytes()
        source = source[: site.start] + site.text.encode() + source[site.end :]
        rewritten(src.parent / site.path.relative_to(ROOT), source)
        own = {"QDDOT_CACHE_DIR": str(Path(folder) / "cache")} if site.package in OWN_CACHE else {}
        ordered = in_order(site, tests)
        for some in ([before] if "::" in before else [], ordered[:40], ordered[40:]):
            try:
                names = Path(folder) / "tests"  # more than fit on a command line
                names.write_text("\n".join(some), encoding="utf-8")
                done = pytest(["-x", f"@{names}"], src, TIMEOUT, **own) if some else None
            except subprocess.TimeoutExpired:
                return "it does not end"
            if done is not None and done.returncode in (1, 2):  # 4: a test that is no more
                failed = failures(done.stdout)
                return failed[0].split(" - ")[0].split(" ", 1)[1] if failed else "it does not start"
    return ""


def not_proved(error: NamedError) -> bool:
    """Return whether `qddot.prove` alone finds a named error, in a copy of the package."""
    with tempfile.TemporaryDirectory(prefix="qddot-mutation-") as folder:
        path = copied(Path(folder)) / "qddot" / f"{error.module.replace('.', '/')}.py"
        rewritten(path, error.applied(path.read_text(encoding="utf-8")).encode())
        code = f"import qddot; print('holds:', qddot.prove({error.robot}).holds)"
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(Path(folder) / "src")},
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
    return done.stdout == "holds: False\n"


def tried(
    found: Sequence[Site], tests: Mapping[str, Sequence[str]], known: Mapping[str, str], jobs: int
) -> dict[str, str]:
    """Return the failing test of each site, or nothing; print them as they come."""
    results = {}
    with ThreadPoolExecutor(jobs) as pool:
        each = pool.map(lambda s: detected(s, tests.get(s.name, ()), known.get(s.name, "")), found)
        for site, test in zip(found, each, strict=True):
            results[site.name] = test
            print(f"{'detected' if test else 'NOT     '} {site.name}  {test}", flush=True)
    return results


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=("record", "check"))
    parser.add_argument("packages", nargs="*", help="all, if none is named")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="tests at the same time")
    given = parser.parse_args()
    known = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    every = [site for some in chosen().values() for site in some]
    found = [site for site in every if not given.packages or site.package in given.packages]
    if given.command == "check":  # the test that failed before is the only one that is needed
        asked = [site for site in found if known.get(site.name)]
        results = tried(asked, {}, known, given.jobs)
    else:
        asked, results = [site for site in found if site.name not in known], {}
    if left := [site for site in asked if not results.get(site.name)]:
        with tempfile.TemporaryDirectory(prefix="qddot-mutation-") as folder:
            tests = tests_by_site(left, Path(folder), given.jobs)
        results |= tried(left, tests, {}, given.jobs)
    print(f"{sum(map(bool, results.values()))} of {len(results)} changes are detected")
    lost = [name for name, test in results.items() if known.get(name) and not test]
    if given.command == "check":
        unseen = [name for name, error in NAMED.items() if not not_proved(error)]
        print(f"{len(NAMED) - len(unseen)} of {len(NAMED)} named errors are found by prove alone")
        lost += unseen
    if lost:
        print("detected before and not now:", *lost, sep="\n  ")
    if given.command == "record":
        kept = {site.name: known[site.name] for site in every if site.name in known}
        text = json.dumps(dict(sorted({**kept, **results}.items())), indent=0, ensure_ascii=False)
        RECORD.write_text(text + "\n", encoding="utf-8")
    return int(given.command == "check" and bool(lost))


if __name__ == "__main__":
    sys.exit(main())
