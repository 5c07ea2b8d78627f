"""Where the meshes of a robot may be: places that the user has named, and nowhere else.

These are the folder of the robot's file, the ROS package that the file is in, the folders of
`package_paths`, and those of ROS's own AMENT_PREFIX_PATH and ROS_PACKAGE_PATH. A name in a robot's
file is a wish of whoever wrote it: what it leads to must be within one of these once every link
of the file system is followed. Nothing is opened here but `package.xml`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath, PureWindowsPath

from qddot.errors import BadArgument, QddotError, shorten
from qddot.model.geometry import MeshShape
from qddot.readers.files import read_bytes

PACKAGE, FILE = ("package://", "model://"), "file://"
MARK = "package.xml"  # a folder that has it is a ROS package
LONGEST = 1000  # characters of a file's name
PART = 255  # bytes, of one folder or file: what disks take
NAME_THEM = "name its folder: package_paths=[...], or --package-path"
MISSING, OUTSIDE = "does not exist", f"is outside of the robot's folder; {NAME_THEM}"


@dataclass(frozen=True)
class Places:
    """The places of one robot file."""

    folder: Path | None = None  # of the robot's file; None: it is no file
    package_paths: tuple[Path, ...] = ()
    anywhere: bool = False  # a Python program describes the robot, and names its own files

    def mesh(self, file: str, scale: tuple = (1, 1, 1), folder: str = "") -> MeshShape:
        """Return the mesh that a robot's file names, found or not.

        Plain names start from `folder`, within the folder of the robot's file.
        """
        path, why = self.find(file, folder)
        return MeshShape(file, scale, path, why)

    def find(self, file: str, folder: str = "") -> tuple[Path | None, str]:
        """Return where a file is; or None and why not."""
        try:
            return self._found(file, folder)
        except (OSError, ValueError):  # a name that no disk can hold
            return None, "is no name of a file"

    def _found(self, file: str, folder: str) -> tuple[Path | None, str]:
        parts = file.replace("\\", "/").split("/")
        too_long = len(file) > LONGEST or any(len(x.encode(errors="replace")) > PART for x in parts)
        if not file.strip() or too_long or "\0" in file:
            return None, "is no name of a file"
        if file.startswith(PACKAGE):
            package, _, rest = file.partition("://")[2].lstrip("/").partition("/")
            return self._in_package(package, rest)
        if file.startswith(FILE):
            from urllib.parse import unquote  # slow to load

            file = unquote(file.removeprefix(FILE))
        elif "://" in file:
            return None, "is not on this disk, and nothing is fetched"
        if self.anywhere:
            return (Path(file), "") if Path(file).is_file() else (None, MISSING)
        if is_absolute(file) or is_absolute(folder):
            return self._allowed(Path(folder) / file)
        if self.folder is None:
            return None, "is beside a file, and the robot came without one"
        return self._allowed(self.folder / folder / file.replace("\\", "/"))

    def _in_package(self, package: str, rest: str) -> tuple[Path | None, str]:
        if not is_plain(package):
            return None, "does not name a package"
        why = f"is in the ROS package {shorten(package, 60)!r}, which is not here; {NAME_THEM}"
        for root in self.packages(package):
            found, told = inside(root, root / rest)
            if found is not None:
                return found, ""
            why = told
        return None, why

    def _allowed(self, path: Path) -> tuple[Path | None, str]:
        why = OUTSIDE
        for root in self._roots(path):
            found, told = inside(root, path)
            if found is not None:
                return found, ""
            why = told if told == MISSING else why
        return None, why

    def _roots(self, path: Path) -> Iterator[Path]:
        """Yield the folders that a path may be in."""
        if self.folder is not None:
            yield self.folder
            yield from self.own_packages
        yield from self.package_paths
        yield from ros_prefixes()
        if self.folder is not None:  # a package beside the one that the file is in
            above = os.path.normpath(path)
            for parent in self.folder.resolve().parents:
                if Path(above).is_relative_to(parent):
                    beside = parent / Path(above).relative_to(parent).parts[0]
                    if (beside / MARK).is_file():
                        yield beside

    @cached_property
    def own_packages(self) -> tuple[Path, ...]:
        """The ROS packages that the robot's file is in, the innermost first."""
        if self.folder is None:
            return ()
        here = self.folder.resolve()
        return tuple(each for each in (here, *here.parents) if (each / MARK).is_file())

    def packages(self, name: str) -> list[Path]:
        """Return the folders that a ROS package may be, those that the user named first.

        One without package.xml may be the repository that holds the package: it comes last.
        """
        return sorted(self._packages(name), key=lambda each: not (each / MARK).is_file())

    def _packages(self, name: str) -> Iterator[Path]:
        for root in self.package_paths:
            if root.resolve().name == name or package_name(root) == name:
                yield root
            yield from existing(root / name, root / name / name, root / "share" / name)
        for own in self.own_packages:
            if own.name == name or package_name(own) == name:
                yield own
        if self.folder is not None:
            for parent in self.folder.resolve().parents:
                if (parent / name / MARK).is_file():
                    yield parent / name
        for prefix in ros_prefixes():
            if prefix.name == name:
                yield prefix
            yield from existing(prefix / "share" / name, prefix / name)


def places(path: Path, package_paths: Sequence[str | Path] = ()) -> Places:
    """Return the places of a robot's file.

    Raises:
        BadArgument: If one of the package paths is no folder.
    """
    if isinstance(package_paths, (str, Path)):
        package_paths = [package_paths]
    for each in package_paths:
        if not isinstance(each, (str, Path)) or not Path(each).is_dir():
            raise BadArgument(
                f"package_paths has {shorten(repr(each))}, which is no folder. Give folders that "
                "are ROS packages, or that hold them."
            )
    return Places(path.parent, tuple(Path(each) for each in package_paths))


def inside(root: Path, path: Path) -> tuple[Path | None, str]:
    """Return the file that a path leads to if that is within a folder; or None and why not."""
    found, top = path.resolve(), root.resolve()
    if not found.is_relative_to(top):
        return None, OUTSIDE
    if not found.is_file():
        return None, MISSING
    return found, ""


def package_name(folder: Path) -> str:
    """Return what the package.xml of a folder calls the package, or nothing."""
    if not (folder / MARK).is_file():
        return ""
    try:
        from qddot.readers.xml import read_xml

        root = read_xml(read_bytes(folder / MARK), MARK)
    except QddotError:
        return ""
    return next((child.text for child in root.children if child.tag == "name"), "")


def ros_prefixes() -> Iterator[Path]:
    """Yield the folders of AMENT_PREFIX_PATH and ROS_PACKAGE_PATH."""
    for variable in ("AMENT_PREFIX_PATH", "ROS_PACKAGE_PATH"):
        for name in os.environ.get(variable, "").split(os.pathsep):
            if is_absolute(name):
                yield Path(name)


def existing(*folders: Path) -> Iterator[Path]:
    """Yield those of some folders that are there."""
    for folder in folders:
        if folder.is_dir():
            yield folder


def is_absolute(name: str) -> bool:
    """Return whether a file name starts from the root of a disk, on any system."""
    return PurePosixPath(name).is_absolute() or PureWindowsPath(name).anchor != ""


def is_plain(name: str) -> bool:
    """Return whether a name is that of one folder, and of none above."""
    return bool(name) and PurePosixPath(name).name == name and name not in (".", "..")
