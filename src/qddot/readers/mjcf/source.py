"""An MJCF file and the files it is made of, checked before MuJoCo reads them.

MuJoCo opens whatever a file names and repeats whatever it is asked to repeat, until the memory is
gone. What could do harm is refused here; and the lines of what has a name are kept, because
MuJoCo forgets those of included files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from qddot.errors import BadFile, shorten
from qddot.model.structure import MOST_LINKS
from qddot.readers.files import read_bytes
from qddot.readers.places import is_absolute
from qddot.readers.xml import Element, read_xml

MOST_FILES = 200
MOST_ELEMENTS = 20_000  # MuJoCo's time for many of them is their square
MOST_HEIGHTS = 10_000_000
MODEL, PART = "mujoco", "mujocoinclude"


@dataclass
class MjcfSource:
    """The files of a robot: where their named elements stand, and how much they hold."""

    path: Path
    files: list[Path] = field(default_factory=list)
    lines: dict[tuple[str, str], tuple[Path, int]] = field(default_factory=dict)
    submodels: list[tuple[Element, Path]] = field(default_factory=list)
    absolute: set[str] = field(default_factory=set)  # paths that start from the root of a disk
    # once everything is repeated as often as it says
    elements: float = 0
    bodies: float = 0
    attached: float = 0

    @property
    def folders(self) -> list[Path]:
        """The folders that the names of further files may start from."""
        return list(dict.fromkeys(file.parent for file in self.files))

    def line(self, kind: str, name: str, info: str) -> tuple[str, int | None]:
        """Return the file, if it is an included one, and the line of an element.

        Its kind is "body", "joint", "site", or its section; `info` is what MuJoCo says about it:
        its line, unless it was included.
        """
        if (kind, name) in self.lines:
            file, line = self.lines[kind, name]
            return ("" if file == self.path else str(file)), line
        number = info.removeprefix("line ")
        known = len(self.files) == 1 and number.isdecimal()
        return "", int(number) if known else None


def read_source(path: Path) -> MjcfSource:
    """Return the files of a robot, each checked.

    Raises:
        BadFile: If one of them is missing, is not XML, or asks for more than a robot can need.
    """
    source = MjcfSource(path)
    root = _root(source, path)
    if root.tag == PART:
        remedy = "Name the file that includes it."
        raise BadFile(path, f"it is a part of a model (<{PART}>), not a model", remedy, root.line)
    if root.tag != MODEL:
        remedy = f"An MJCF file begins with <{MODEL}>."
        raise BadFile(path, f"it begins with <{shorten(root.tag, 40)}>", remedy, root.line)
    _walk(source, root, path)
    own = list(source.files)
    for element, file in list(source.submodels):
        size = source.elements
        asset = _named_file(source, element, file)
        if any(asset.samefile(each) for each in own):
            why = f"<model> names {shorten(asset.name)!r}, which is the model itself"
            raise BadFile(file, why, "Attach another file.", element.line)
        _walk(source, _root(source, asset), asset, is_submodel=True)
        # it may be placed many times
        source.elements += source.attached * (source.elements - size)
        _check_size(source, element, file)
    return source


def _walk(source: MjcfSource, root: Element, file: Path, is_submodel: bool = False) -> None:
    """Take note of every element from a root on, those of included files in their place."""
    waiting = [(child, file, "", 1.0) for child in reversed(root.children)]
    while waiting:
        element, file, section, times = waiting.pop()
        if element.tag.lower() == "include":  # MuJoCo takes it in any case, and no other element
            part = _named_file(source, element, file)
            inner = _root(source, part)
            waiting += [(child, part, section, times) for child in reversed(inner.children)]
            continue
        section = section or element.tag
        if element.tag == "flexcomp":
            why = "<flexcomp> makes a body that bends, but every link here is rigid"
            raise BadFile(file, why, "Remove it, or replace it by bodies and joints.", element.line)
        if element.tag == "model" and section == "asset":
            if is_submodel:  # one inside another could multiply without end
                why = "a submodel names a further submodel, which is not read"
                raise BadFile(file, why, "Put them into one file.", element.line)
            source.submodels.append((element, file))
        if element.tag in ("replicate", "composite"):
            times *= _product(element.attributes.get("count", "1").split())
        if element.tag == "hfield":
            sides = [element.attributes.get(side, "1") for side in ("nrow", "ncol")]
            if not _product(sides) <= MOST_HEIGHTS:
                why = f"a height field has more than {MOST_HEIGHTS} points"
                raise BadFile(file, why, "Remove it: it is no part of the robot.", element.line)
        source.elements += times
        source.bodies += times if element.tag in ("body", "composite") else 0
        source.attached += times if element.tag == "attach" else 0
        _check_size(source, element, file)
        _check_values(element, file)
        named = [element.attributes.get(key, "") for key in ("file", "meshdir", "assetdir")]
        source.absolute.update(path for path in named if is_absolute(path))
        name = element.attributes.get("name")
        if name and not is_submodel:  # the names of a submodel change when it is placed
            kind = element.tag if section == "worldbody" else section
            kind = "joint" if kind == "freejoint" else kind
            source.lines.setdefault((kind, name), (file, element.line))
        waiting += [(child, file, section, times) for child in reversed(element.children)]


def _check_values(element: Element, file: Path) -> None:
    """Refuse what MuJoCo takes and stumbles over later."""
    for key, value in element.attributes.items():
        where = f"{shorten(key, 40)} of <{shorten(element.tag, 40)}>"
        if "%" in value:  # MuJoCo prints it as a format, and then reads beyond it
            raise BadFile(file, f"{where} holds a %, which upsets MuJoCo", "Drop it.", element.line)
        if key != "name" and "nan" in value.lower().split():
            raise BadFile(file, f"{where} is not a number", "Give finite numbers.", element.line)


def _check_size(source: MjcfSource, element: Element, file: Path) -> None:
    """Refuse what is beyond any robot."""
    for count, most, what in (
        (source.bodies, MOST_LINKS, "bodies"),
        (source.elements, MOST_ELEMENTS, "elements"),
    ):
        if not count <= most:
            why = f"it describes more than {most} {what}"
            remedy = "Lower the counts, or leave out what is no part of the robot."
            raise BadFile(file, why, remedy, element.line)


def _named_file(source: MjcfSource, element: Element, file: Path) -> Path:
    """Return the file that an element names, looked for where MuJoCo looks for it."""
    name = element.attributes.get("file", "")
    what = f"<{element.tag}> names {shorten(name)!r}"
    if is_absolute(name):
        remedy = "Name it relative to the model, so that the model can be moved."
        raise BadFile(file, f"{what}, an absolute path", remedy, element.line)
    top = os.path.abspath(source.path.parent)
    for folder in (source.path.parent, file.parent):
        place = os.path.abspath(folder / name)  # by its name: nothing is opened to find out
        if name and os.path.commonpath([top, place]) != top:
            remedy = "Put it into the model's folder, or below."
            raise BadFile(file, f"{what}, which leaves the model's folder", remedy, element.line)
        if name and is_file(folder / name):
            return folder / name
    raise BadFile(file, f"{what}, which does not exist", "Put it there.", element.line)


def _root(source: MjcfSource, path: Path) -> Element:
    """Return the root element of one of the files."""
    if len(source.files) >= MOST_FILES:
        remedy = "Put them into one file. Does one include itself?"
        raise BadFile(path, f"the model is made of more than {MOST_FILES} files", remedy)
    source.files.append(path)
    return read_xml(read_bytes(path), str(path))


def is_file(path: Path) -> bool:
    """Return whether there is such a file; a name that no disk can hold names none."""
    try:
        return path.is_file()
    except OSError:
        return False


def _product(counts: Iterable[str]) -> float:
    """Return the product of whole numbers in a text; MuJoCo has its own words for other text."""
    result = 1.0
    for count in counts:
        try:
            result *= max(1.0, float(count))
        except ValueError:
            return 1.0
    return result
