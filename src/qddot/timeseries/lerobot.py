"""Recordings of LeRobot: Parquet files of lists, whose entries `meta/info.json` names.

A dataset is a folder with `meta/info.json` and `data/chunk-000/episode_000000.parquet` (version
2), or `data/chunk-000/file-000.parquet` with several episodes one after the other (version 3).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qddot.errors import BadFile, listing
from qddot.timeseries import Table
from qddot.timeseries.parquet_file import read_parquet

INFO = Path("meta") / "info.json"
ABOVE = 4  # folders in which it is looked for
LARGEST = 4 * 2**20  # bytes of it


def is_dataset(path: Path) -> bool:
    """Return whether a folder is a dataset of LeRobot."""
    return (path / INFO).is_file()


def read_dataset(path: Path) -> Table:
    """Return the table of a dataset that has one file of rows."""
    files = sorted((path / "data").rglob("*.parquet"))
    if len(files) != 1:
        names = [str(file.relative_to(path)) for file in files]
        raise BadFile(
            path,
            f"it is a dataset of LeRobot with {len(files)} files of rows: {listing(names, 3)}",
            "Name one of them.",
        )
    return read_episodes(files[0])


def read_episodes(path: Path) -> Table:
    """Return the table of a Parquet file, with the names of its dataset if it is of one."""
    above = next((each for each in list(path.absolute().parents)[:ABOVE] if is_dataset(each)), None)
    return read_parquet(path, None if above is None else feature_names(above / INFO))


def feature_names(path: Path) -> Mapping[str, list[str]]:
    """Return the names of the entries of every feature of a dataset."""
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError("it is too large")
        features = json.loads(path.read_text(encoding="utf-8"))["features"]
        found = {str(key): _names(feature["names"]) for key, feature in features.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        why = "it does not describe the features of a dataset"
        raise BadFile(path, why, "Copy it again, or move the file of rows elsewhere.") from None
    return {key: names for key, names in found.items() if names}


def _names(said: Any) -> list[str]:
    """Return names given as a list, or by kind: {"motors": [...]}."""
    lists = list(said.values()) if isinstance(said, dict) else [said]
    return [str(name) for each in lists if isinstance(each, list) for name in each]
