"""A robot file that somebody dropped on the page: read alone, in a private folder, by a helper.

It is written under a name of ours, so that its own name is never a path. URDF, TOML and JSON
name no other files that are read; of MJCF, what names others is refused before MuJoCo sees it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path, PurePosixPath

from qddot.errors import BadArgument, BadFile, printable, shorten
from qddot.model import Model
from qddot.readers.read import format_of, read
from qddot.readers.xml import read_xml
from qddot.robot_formats import read_endings

ENDINGS = read_endings(programs=False)
OUR_NAME = "dropped_file"
LONGEST = 80  # characters of a name that are shown
# attributes of MJCF that name files or the folders they are in
FILES = ("file", "meshdir", "assetdir", "texturedir", "fileright", "fileup", "fileleft")
FILES = (*FILES, "filedown", "filefront", "fileback")
WHERE_IT_LIES = "Start the studio with it, which reads it where it lies: qddot studio FILE."


def check_name(name: str) -> tuple[str, str]:
    """Return what a dropped robot file is called, for people, and the ending of its name."""
    words, ending = shown_name(name), ending_of(name)
    if ending == ".xacro":
        raise BadArgument(
            f"{words} is a xacro file: a program, which is not run for a page.\n"
            f"  Expand it first: xacro {words} > robot.urdf. Or start the studio with it, if you "
            f"trust it: qddot studio {words}."
        )
    if ending not in ENDINGS:
        raise BadArgument(
            f"{words} does not end like a robot file: {', '.join(ENDINGS)}.\n"
            "  A log, to be replayed, ends in .csv, .tsv, .txt, .npz or .parquet."
        )
    return words, ending


def shown_name(name: str) -> str:
    """Return the last part of a file's name, printable and short."""
    words = printable(last_part(name)).replace("\n", " ")
    ending = PurePosixPath(words).suffix
    if len(words) > LONGEST > 2 * len(ending):  # the ending says what it is
        words = shorten(words, LONGEST - len(ending)) + ending
    return shorten(words, LONGEST) or "the file"


def ending_of(name: str) -> str:
    """Return the ending of a file's name, in small letters."""
    return PurePosixPath(last_part(name).lower()).suffix


def last_part(name: str) -> str:
    return name.replace("\\", "/").rstrip("/").rpartition("/")[2]


def read_dropped(name: str, data: bytes, *, tell: Callable[..., None]) -> Model:
    """Return the model in a dropped file. Runs in a helper, in its private folder."""
    words, ending = check_name(name)
    tell(f"Reading {words}", None)
    path = Path(f"{OUR_NAME}{ending}")

    def named(text: str) -> str:
        """Return words about the file with its own name in place of ours."""
        return text.replace(path.name, words).replace(OUR_NAME, PurePosixPath(words).stem)

    try:
        path.write_bytes(data)
        check_alone(path, data)
        model = read(path)
    except ValueError as error:  # as BadFile and BadRobot are
        raise BadArgument(named(str(error))) from None
    finally:
        path.unlink(missing_ok=True)
    problems = tuple(
        replace(p, file=named(p.file), message=named(p.message), remedy=named(p.remedy))
        for p in model.warnings
    )
    return replace(model, name=named(model.name), warnings=problems)


def check_alone(path: Path, data: bytes) -> None:
    """Refuse MJCF that would have other files read."""
    if format_of(path).name != "MJCF":
        return
    waiting = [read_xml(data, str(path))]
    while waiting:
        element = waiting.pop()
        waiting += element.children
        # MuJoCo takes <INCLUDE> as well, though every other element in its own case alone
        includes = element.tag.lower() == "include"
        if includes or (element.tag == "model" and "file" in element.attributes):
            what = shorten(element.attributes.get("file", ""), 60)
            why = f"<{element.tag}> names {what!r}, and a dropped file is read alone"
            raise BadFile(path, why, WHERE_IT_LIES, element.line)
        for key in FILES:
            if ".." in element.attributes.get(key, "").replace("\\", "/").split("/"):
                why = f"{key} of <{shorten(element.tag, 40)}> leads out of the file's own folder"
                raise BadFile(path, why, WHERE_IT_LIES, element.line)
