"""Names and lines of everything in a compiled model, also where the file gives none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qddot.errors import Problem, Severity, shorten
from qddot.readers.mjcf.source import Source

# what a spec calls the elements of each kind, and where the file has them
KINDS = {
    "body": ("bodies", "body"),
    "joint": ("joints", "joint"),
    "site": ("sites", "site"),
    "constraint": ("equalities", "equality"),
    "tendon": ("tendons", "tendon"),
    "actuator": ("actuators", "actuator"),
}
NEED_A_NAME = ("body", "joint")


@dataclass
class Names:
    """What each element is called and where it stands, by its kind and MuJoCo's number of it."""

    names: dict[tuple[str, int], str]
    places: dict[tuple[str, int], tuple[str, int | None]]  # the file, if an included one; the line
    taken: set[str]

    def body(self, i: int) -> str:
        """Return the name of a body."""
        return self.names["body", i]

    def joint(self, i: int) -> str:
        """Return the name of a joint."""
        return self.names["joint", i]

    def line(self, kind: str, i: int) -> int | None:
        """Return the line of an element, if it is in the file itself."""
        file, line = self.places.get((kind, i), ("", None))
        return None if file else line

    def problem(self, severity: Severity, kind: str, i: int, message: str, remedy: str) -> Problem:
        """Return a problem of an element."""
        file, line = self.places.get((kind, i), ("", None))
        name = self.names.get((kind, i))
        where = f"{kind} {shorten(name)!r}" if name else f"{kind} number {i + 1}"
        return Problem(severity, where, message, remedy, line, file)

    def new(self, wanted: str) -> str:
        """Return a name that nothing has yet: the wanted one, or one like it."""
        while wanted in self.taken:
            wanted += "_"
        self.taken.add(wanted)
        return wanted


def names_of(spec: Any, source: Source) -> Names:
    """Return the names of a compiled spec's elements; bodies and joints without one get one."""
    names, places = {}, {}
    for kind, (group, section) in KINDS.items():
        for element in getattr(spec, group):
            names[kind, element.id] = element.name
            places[kind, element.id] = source.line(section, element.name, element.info)
    result = Names(names, places, set(names.values()))
    for kind, i in names:
        if kind in NEED_A_NAME and not names[kind, i]:
            names[kind, i] = result.new(f"{kind}{i}")
    return result
