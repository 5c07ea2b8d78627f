"""Where a name is documented: in signatures, in docstrings, and in the code of every page."""

import inspect
import re
import sys
from pathlib import Path
from typing import Any

from website.reference.contents import VARIABLES
from website.reference.entries import Entry, entries

CODE = re.compile(r"^([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(\(.*\))?$", re.DOTALL)


class Index:
    """Every name of the reference, and its address from the root of the site."""

    def __init__(self) -> None:
        self.entries = entries()
        self.addresses: dict[str, str] = {}
        self.by_short: dict[str, list[str]] = {}
        for entry in self.entries:
            for name in (entry.name, *(f"{entry.name}.{m.name}" for m in entry.members)):
                self.addresses[name] = f"{page_of(entry)}#{name}"
            self.by_short.setdefault(entry.short, []).append(entry.name)
            own = f"{entry.thing.__module__}.{entry.thing.__qualname__}"
            self.addresses.setdefault(own, self.addresses[entry.name])
            self.also_inherited(entry)

    def also_inherited(self, entry: Entry) -> None:
        """Let the members that a class has from a documented one lead there."""
        for base in entry.inherited:
            origin = next(other for other in self.entries if other.thing is base)
            for member in origin.members:
                name = f"{entry.name}.{member.name}"
                self.addresses.setdefault(name, f"{page_of(origin)}#{origin.name}.{member.name}")

    def of_code(self, code: str, inside: str = "") -> str | None:
        """Return the address of the name in a piece of code, or None.

        Args:
            code: Such as `qddot.load("panda")`, `robot.mass_matrix(q)`, `Quintic`.
            inside: The entry whose docstring it is in; its own members may go by their name alone.
        """
        found = CODE.match(code.strip())
        if not found:
            return None
        first, _, rest = found[1].partition(".")
        # a word alone may be a command, or a name of another package
        if not (rest or found[2] or inside or first[0].isupper()):
            return None
        known = [found[1], f"qddot.{found[1]}", f"{inside}.{found[1]}" if inside else ""]
        if rest and first in VARIABLES:
            known.append(f"{VARIABLES[first]}.{rest}")
        if found[2] and not found[2].startswith("(robot"):
            known.append(f"{VARIABLES['robot']}.{found[1]}")  # what most calls are of
        address = next((self.addresses[name] for name in known if name in self.addresses), None)
        return address or self.of_short(found[1])

    def of_short(self, name: str) -> str | None:
        """Return the address of a class or a function by its last name, if only one has it."""
        first, _, rest = name.partition(".")
        names = self.by_short.get(first, [])
        if len(names) != 1:
            return None
        return self.addresses.get(f"{names[0]}.{rest}" if rest else names[0])

    def of_type(self, name: str, thing: Any) -> str | None:
        """Return the address of a class that the signature of something names."""
        if not name[:1].isupper():
            return None
        # the name may be another's: Path is a file there, and a path of joints here
        meant = getattr(sys.modules.get(getattr(thing, "__module__", "")), name, None)
        address = self.of_short(name)
        if address is None or meant is None:
            return address
        return address if any(entry.thing is meant for entry in self.entries) else None


def page_of(entry: Entry) -> str:
    return f"reference/{entry.chapter.file}.html"


def source_of(thing: object, root: Path) -> tuple[Path, int] | None:
    """Return the file, from the root of the repository, and the line that define something."""
    thing = inspect.unwrap(thing) if callable(thing) else thing
    try:
        file = inspect.getsourcefile(thing)  # type: ignore[arg-type]
        line = inspect.findsource(thing)[1] + 1  # type: ignore[arg-type]
    except (OSError, TypeError):
        return None
    path = Path(file or "")
    return (path.relative_to(root), line) if path.is_relative_to(root) else None
