"""What a release promises: one version everywhere, every licence named, the Pythons that are tried.

What needs a package index (bounds of dependencies, wheels in a clean place) is in release.py.
"""

import re
import tomllib
from pathlib import Path

import pytest
from release import oldest_allowed

import qddot
from qddot.readers.read import library
from qddot.vendored import katex_script

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
THIRD_PARTY = (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8")
# files that people seldom write by hand
MADE_ELSEWHERE = {".woff2", ".woff", ".ttf", ".otf", ".wasm", ".stl", ".dae", ".obj", ".glb"}
NOTICE = re.compile(rb"copyright (\(c\)|\d{4})|spdx-license", re.IGNORECASE)


def test_the_version_is_one():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    cited, on = re.findall(r"^(?:version|date-released): (\S+)", citation, re.MULTILINE)
    assert [cited, PROJECT["version"]] == [qddot.__version__] * 2
    sections = re.findall(r"^## (.*)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert sections[:2] == ["[Unreleased]", f"[{cited}] - {on}"]


def test_everything_that_others_made_is_listed_with_its_licence():
    places = re.findall(r"\| `(src/[^`]+|docs/[^`]+)` \|", THIRD_PARTY)
    vendored = {f.parent for f in (ROOT / "src/qddot/vendored").rglob("*") if f.suffix != ".py"}
    # the folder of the package itself holds what reads them
    folders = {f.relative_to(ROOT).as_posix() for f in vendored if f.name not in ("", "vendored")}
    assert folders - {"src/qddot/vendored/__pycache__"} == set(places)
    assert not [place for place in places if not (ROOT / place / "LICENSE").is_file()]
    own = [
        f
        for room in ("src", "docs", "examples")
        for f in (ROOT / room).rglob("*")
        if f.is_file() and "__pycache__" not in f.parts and f.suffix not in (".svg", ".png")
        if not f.relative_to(ROOT).as_posix().startswith(tuple(places))
    ]
    assert len(own) > 500
    assert not [f for f in own if f.suffix in MADE_ELSEWHERE or ".min." in f.name]
    assert not [f for f in own if NOTICE.search(f.read_bytes())]


@pytest.mark.parametrize("name", sorted(library()))
def test_the_licence_of_every_robot_is_listed(name):
    rows = [
        line for line in THIRD_PARTY.splitlines() if line.startswith("|") and f"`{name}`" in line
    ]
    assert len(rows) == 1
    assert rows[0].rstrip("| ").endswith(f"| {qddot.load(name).model.licence}")


def test_the_licences_travel_with_the_package_and_with_pages():
    kept = {f for pattern in PROJECT["license-files"] for f in ROOT.glob(pattern)}
    licences = {*(ROOT / "src").rglob("LICENSE*"), ROOT / "LICENSE", ROOT / "THIRD_PARTY.md"}
    assert kept == licences
    assert katex_script().startswith("/*! KaTeX\nThe MIT License (MIT)\n\nCopyright (c)")


def test_the_pythons_that_are_promised_are_those_that_are_tried():
    named = re.findall(r":: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    jobs = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    tried = re.search(r"python: \[(.*)\]", jobs)[1]
    page = (ROOT / "docs" / "versions.md").read_text(encoding="utf-8")
    assert named == re.findall(r"[\d.]+", tried)
    assert all(f"| {python} |" in page for python in named)
    assert PROJECT["requires-python"] == f">={named[0]}"


def test_every_dependency_has_a_bound_that_can_be_tried():
    oldest = oldest_allowed(PROJECT)
    assert {"numpy", "llvmlite", "mujoco", "dask[distributed]"} < set(oldest)
    with pytest.raises(SystemExit, match="'numpy' has no lower bound"):
        oldest_allowed(PROJECT | {"dependencies": ["numpy"]})
    with pytest.raises(SystemExit, match="jax two lower bounds"):
        oldest_allowed(PROJECT | {"dependencies": ["jax>=0.4"]})


def test_all_is_every_extra_that_installs_everywhere():
    extras = PROJECT["optional-dependencies"]
    (line,) = extras["all"]
    assert {*re.search(r"\[(.*)\]", line)[1].split(",")} == set(extras) - {"all", "cuda", "test"}
