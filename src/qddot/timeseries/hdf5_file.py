"""HDF5 files, and MATLAB's since version 7.3, whose arrays lie with their dimensions reversed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from qddot.timeseries import Table
from qddot.timeseries.foreign import most_bytes, need, plain, table_in, too_much

SIGNATURE = b"\x89HDF\r\n\x1a\n"
OWN = ("#refs#", "#subsystem#")  # groups that MATLAB keeps for itself
MOST = 10_000  # datasets


def read_hdf5(path: Path, doing: str = "Reading an HDF5 file", what: str = "an HDF5 file") -> Table:
    """Return the table of a file: its datasets, those in groups too, as "data/q"."""
    need("h5py", doing)
    return table_in(path, "qddot.timeseries.hdf5_file:arrays", what)


def arrays(name: str) -> dict[str, Any]:
    """Return the datasets of a file, as a worker does."""
    import h5py

    path, most = Path(name), most_bytes(Path(name))
    found: dict[str, np.ndarray] = {}
    texts: dict[str, list[str]] = {}
    elsewhere: list[str] = []
    with h5py.File(path, "r") as file:
        datasets = list(walk(file, h5py, elsewhere))
        total = sum(data.nbytes for _, data in datasets if data.dtype.kind in "fiuV")
        if total > most:
            return too_much(path, total)
        for at, data in datasets:
            kind = data.attrs.get("MATLAB_class", b"")
            matlab = kind.decode(errors="replace") if isinstance(kind, bytes) else str(kind)
            if matlab == "cell" or matlab == "char" or data.dtype.kind in "OSU":
                if words := text_of(file, data, matlab, h5py):
                    texts[at] = words
                elif data.dtype.kind not in "fiu":
                    found[at] = np.zeros(data.shape[:2] or 1, dtype=bool)
            elif "MATLAB_empty" not in data.attrs and data.shape is not None:
                x = np.asarray(data[()])
                found |= parts(at, x.T if matlab else x)
    notes = []
    if elsewhere:
        said = ", ".join(elsewhere[:8])
        notes.append(("arrays", f"links to other places or files are not followed: {said}"))
    return plain(found, texts=texts, notes=notes)


def walk(group: Any, h5py: Any, elsewhere: list[str], path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the datasets of a group and of those in it; links out of the file are not followed."""
    waiting, seen, count = [(path, group)], set(), 0
    while waiting:
        path, group = waiting.pop()
        if (address := h5py.h5o.get_info(group.id).addr) in seen:  # a group may hold itself
            continue
        seen.add(address)
        for name in group:
            at = f"{path}/{name}" if path else str(name)
            if name == "value" and "OCTAVE_NEW_FORMAT" in group.attrs:  # beside its "type"
                at = path
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                elsewhere.append(at)
                continue
            item = group[name]
            if isinstance(item, h5py.Group) and name not in OWN:
                waiting.append((at, item))
            elif isinstance(item, h5py.Dataset):
                if item.is_virtual or item.external:
                    elsewhere.append(at)
                elif (count := count + 1) > MOST:
                    raise ValueError(f"it has more than {MOST} datasets")
                else:
                    yield at, item


def parts(path: str, x: np.ndarray) -> dict[str, np.ndarray]:
    """Return an array, or those that the fields of a compound one are."""
    if x.dtype.names is None:
        return {path: x}
    return {f"{path}/{name}" if path else str(name): x[name] for name in x.dtype.names}


def text_of(file: Any, data: Any, matlab: str, h5py: Any) -> list[str]:
    """Return the words in a dataset of text, or in MATLAB's cells of characters; or none."""
    if data.size > MOST or not data.size:
        return []
    values = np.ravel(data[()])
    if matlab == "char":
        return ["".join(chr(int(code)) for code in values)]
    if matlab == "cell":
        cells = [file[ref] for ref in values]
        if any(cell.attrs.get("MATLAB_class") != b"char" or cell.size > MOST for cell in cells):
            return []
        return ["".join(chr(int(code)) for code in np.ravel(cell[()])) for cell in cells]
    if h5py.check_string_dtype(data.dtype) is None and data.dtype.kind == "O":
        return []
    return [
        word.decode(errors="replace") if isinstance(word, bytes) else str(word) for word in values
    ]
