"""What a release must pass where there is a package index: `python tests/release.py CHECK ...`.

oldest    the oldest versions of all dependencies that pyproject.toml allows install, and tests pass
newest    the same with the newest versions
packages  wheel and sdist are the same bytes when built twice, and the wheel alone, in a clean place
          and without a network, writes a report

`make test-all` runs all three. Where no index can be reached they say so in one sentence.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TOOLS = ("pytest>=8.2", "hypothesis>=6.100")
# a wheel of a gigabyte, and one that is of use with an NVIDIA GPU only: they are looked up alone
NOT_INSTALLED = ("torch", "cupy-cuda12x")
# what runs with any versions: numbers, kernels and calls into Python, files, and each extra
TESTED = (
    *("spatial", "scalars", "program", "timeseries"),
    *("readers/test_mjcf.py", "readers/test_xacro.py", "readers/test_urdf.py"),
    "readers/meshes",
    *("backends/test_kernels.py", "backends/test_fastcall.py", "backends/test_sincos.py"),
    *("backends/test_casadi.py", "backends/test_jax.py", "robot/test_compiled.py"),
    *("equations/test_ring.py", "identification/test_log_readers.py", "cli/test_reading.py"),
)


def main(checks: Sequence[str]) -> int:
    known = {"oldest": oldest, "newest": newest, "packages": packages}
    unknown = [check for check in checks if check not in known]
    if unknown or not checks:
        print(f"Name some of {', '.join(known)}.", file=sys.stderr)
        return 2
    if not index_answers():
        print(f"{', '.join(checks)}: not checked, because no package index can be reached.")
        return 0
    with tempfile.TemporaryDirectory(prefix="qddot-release-") as folder:
        for check in checks:
            known[check](Path(folder) / check)
    return 0


def oldest(place: Path) -> None:
    """Install the oldest versions that are allowed, and run tests with them."""
    versions = {name: f"{name}=={version}" for name, version in oldest_allowed(PROJECT).items()}
    wanted = [line for name, line in versions.items() if name not in NOT_INSTALLED]
    bare = [line for name, line in versions.items() if name in NOT_INSTALLED]
    tested(place, wanted, bare)


def newest(place: Path) -> None:
    """Install the newest versions that there are, and run tests with them."""
    names = list(oldest_allowed(PROJECT))
    wanted = [name for name in names if name not in NOT_INSTALLED]
    tested(place, wanted, [name for name in names if name in NOT_INSTALLED])


def oldest_allowed(project: Mapping[str, Any]) -> dict[str, str]:
    """Return the oldest version of each dependency, and of those of extras but the tools' one."""
    extras = {k: lines for k, lines in project["optional-dependencies"].items() if k != "test"}
    found: dict[str, str] = {}
    for line in [*project["dependencies"], *(line for lines in extras.values() for line in lines)]:
        if line.startswith("qddot["):
            continue
        bound = re.fullmatch(r"([\w-]+)(\[\w+\])?>=([\d.]+)", line)
        if bound is None:
            raise SystemExit(f"pyproject.toml: {line!r} has no lower bound of the form >=1.2.")
        name, extra, version = bound.groups()
        if found.setdefault(name + (extra or ""), version) != version:
            raise SystemExit(f"pyproject.toml gives {name} two lower bounds.")
    return found


def tested(place: Path, wanted: Sequence[str], looked_up: Sequence[str]) -> None:
    python = environment(place)
    for line in looked_up:
        pip(python, "--dry-run", "--no-deps", line)
    pip(python, *wanted, *TOOLS)
    run(python, "-m", "pip", "list", "--format=freeze")
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "QDDOT_CACHE_DIR": str(place)}
    rooms = [str(ROOT / "tests" / room) for room in TESTED]
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *rooms, cwd=ROOT, env=environ)


def packages(place: Path) -> None:
    """Build wheel and sdist twice, compare them, and use the wheel alone."""
    python = environment(place)
    pip(python, "build", "hatchling>=1.27")
    built = [build(python, place / name) for name in ("once", "again")]
    if built[0] != built[1]:
        raise SystemExit(f"The packages differ from build to build: {built}")
    for name, digest in built[0].items():
        print(f"{digest}  {name}")
    (wheel,) = (place / "once").glob("*.whl")
    clean = environment(place / "clean")
    pip(clean, str(wheel))
    elsewhere = place / "elsewhere"
    elsewhere.mkdir()
    alone = without_network()
    qddot = [*alone, clean.with_name("qddot")]
    environ = {"PATH": os.environ["PATH"], "HOME": str(elsewhere)}
    run(*qddot, "show", "panda", cwd=elsewhere, env=environ)
    run(*qddot, "ik", "ur5", "--position", "0.4,0.2,0.3", cwd=elsewhere, env=environ)
    run(*qddot, "report", "panda", "-o", "panda.html", cwd=elsewhere, env=environ)
    size = (elsewhere / "panda.html").stat().st_size
    print(f"a report of {size / 1e6:.1f} MB" + (", without a network" if alone else ""))


def build(python: Path, folder: Path) -> dict[str, str]:
    """Return the digests of sdist and of the wheel that is built of it, by name."""
    sources = folder / "sources"
    hidden = shutil.ignore_patterns(".git", ".venv", "build", "dist", "shared", "__pycache__")
    shutil.copytree(ROOT, sources, ignore=hidden)
    environ = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    run(python, "-m", "build", "-q", "--no-isolation", "-o", folder, cwd=sources, env=environ)
    made = [*folder.glob("*.whl"), *folder.glob("*.tar.gz")]
    return {file.name: sha256(file.read_bytes()).hexdigest() for file in made}


def environment(place: Path) -> Path:
    """Return the Python of a new virtual environment."""
    run(sys.executable, "-m", "venv", place / "venv")
    return place / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"


def without_network() -> list[str]:
    """Return the command that takes the network from another one, where the system has it."""
    words = ["unshare", "--net", "--map-root-user"]
    done = shutil.which("unshare") and subprocess.run([*words, "true"], capture_output=True)
    return words if done and done.returncode == 0 else []


def index_answers() -> bool:
    """Return whether pip finds a package that everybody has."""
    words = ("download", "-q", "--no-deps", "--timeout", "15", "--retries", "0", "pip")
    with tempfile.TemporaryDirectory() as folder:
        line = [sys.executable, "-m", "pip", *words, "-d", folder]
        return subprocess.run(line, capture_output=True).returncode == 0


def pip(python: Path, *words: str) -> None:
    options = ("--disable-pip-version-check", "--progress-bar", "off", "--only-binary", ":all:")
    run(python, "-m", "pip", "install", "-q", *options, *words)


def run(*words: str | Path, **options: Any) -> None:
    """Run a command and end with its words if it fails."""
    done = subprocess.run([str(word) for word in words], **options)
    if done.returncode:
        raise SystemExit(f"failed with status {done.returncode}: {' '.join(map(str, words))}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
