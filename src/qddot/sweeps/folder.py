"""The folder of a sweep: a manifest, the robot, one Parquet part a finished unit.

    sweep.json              the manifest: plan, digests, columns, versions
    robot.toml              the robot, as it was when the sweep began
    parts/part-00000012.parquet
    failed.json             units that raised, with their words, if there are any

A part is written under another name, synced and renamed: what has its name is whole.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from qddot.errors import BadArgument, CannotWrite, printable
from qddot.saving import put_whole

MANIFEST, ROBOT, FAILED, PARTS, LOCK = (
    "sweep.json", "robot.toml", "failed.json", "parts", ".lock",
)  # fmt: skip
PART = re.compile(r"part-(\d{8,})\.parquet")
HALF = re.compile(r"\.new-([0-9]+-)?[0-9a-f]{12}(\.\w+)?")  # whose, and a name of its own
MAGIC = b"PAR1"  # with which a Parquet file begins and ends


class Folder:
    """Where a sweep is kept."""

    def __init__(self, path: str | Path):
        self.path = Path(path)
        self.parts = self.path / PARTS

    def part(self, unit: int) -> Path:
        return self.parts / f"part-{unit:08d}.parquet"

    def make(self) -> None:
        """Make the folder, or say why there can be none."""
        try:
            self.parts.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadArgument(
                f"{self} cannot be made: {error.strerror}.\n"
                "  Choose a folder that you may write to."
            ) from None
        if not os.access(self.parts, os.W_OK | os.X_OK):
            raise BadArgument(
                f"{self} cannot be written to.\n  Choose a folder that you may write to."
            )

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other sweeps out of the folder; even a killed process lets go of it."""
        try:
            import fcntl
        except ImportError:  # not POSIX: nobody is kept out
            yield
            return
        with open(self.path / LOCK, "wb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BadArgument(
                    f"Another sweep is running in {self}.\n"
                    "  Wait until it is done, or name another folder."
                ) from None
            except OSError:  # a file system without locks
                pass
            yield

    def put(self, path: Path, data: bytes) -> None:
        """Write a file whole, such that a crash leaves it out or leaves it whole."""
        try:
            put_whole(path, data, lasting=True)
        except OSError as error:
            raise CannotWrite(
                f"{printable(str(path))} cannot be written: {error.strerror or error}.\n"
                "  Everything that was finished is kept. Make room, then give the same command "
                "again: it goes on."
            ) from None

    def put_json(self, name: str, content: Any) -> None:
        text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
        self.put(self.path / name, f"{text}\n".encode())

    def read_json(self, name: str) -> Any:
        """Return what a JSON file holds; None where there is none."""
        try:
            text = (self.path / name).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise BadArgument(f"{self}/{name} cannot be read: {error.strerror}.") from None
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise BadArgument(
                f"{self}/{name} is damaged: it is not JSON.\n"
                "  The parts beside it may be whole; name another folder to begin anew."
            ) from None

    def clear_halves(self, writer: int | None = None) -> None:
        """Remove what killed writers left behind; of one process, or of all that there were."""
        whose = ".new-*" if writer is None else f".new-{writer}-*"
        for folder in (self.path, self.parts):
            for path in folder.glob(whose):
                if HALF.fullmatch(path.name):
                    with suppress(OSError):
                        path.unlink()

    def found(self) -> tuple[dict[int, Path], list[str]]:
        """Return the parts that are there by unit, and the names of files that are none."""
        parts, strange = {}, []
        try:
            with os.scandir(self.parts) as entries:
                names = sorted(entry.name for entry in entries)
        except OSError:
            names = []
        for name in names:
            match = PART.fullmatch(name)
            if match and name == f"part-{int(match[1]):08d}.parquet":
                parts[int(match[1])] = self.parts / name
            elif not HALF.fullmatch(name):
                strange.append(name)
        return parts, strange

    def __str__(self) -> str:
        return printable(str(self.path))


def is_whole(path: Path, about: Mapping[str, str], rows: int) -> bool:
    """Return whether a part is whole and belongs to a sweep, as far as its two ends tell."""
    import pyarrow.parquet as parquet

    try:
        with open(path, "rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                return False
        found = parquet.read_metadata(path)
    except Exception:  # whatever Arrow makes of rubbish
        return False
    said = found.metadata or {}
    return found.num_rows == rows and all(
        said.get(key.encode()) == value.encode() for key, value in about.items()
    )
