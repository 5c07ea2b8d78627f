"""The public names: what each is, its members, and where on the site it is documented."""

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

import qddot
from website.reference.contents import CHAPTERS, OTHER_ROOMS, Chapter
from website.reference.docstrings import Docstring, docstring_of

SPECIAL = ("__call__", "__getitem__", "__len__", "__matmul__", "__eq__")  # shown if explained


@dataclass(frozen=True)
class Member:
    """A method or a property of a class."""

    name: str
    function: Any
    kind: str  # "method", "static method" or "property"


@dataclass(frozen=True)
class Entry:
    """A public function or class."""

    name: str  # as users write it: "qddot.load", "qddot.control.PD"
    thing: Any
    chapter: Chapter
    members: tuple[Member, ...] = field(default=(), compare=False)
    inherited: tuple[type, ...] = ()  # the classes, documented too, that it is made from

    @property
    def short(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def is_class(self) -> bool:
        return inspect.isclass(self.thing)

    @property
    def is_error(self) -> bool:
        return self.is_class and issubclass(self.thing, BaseException)

    @cached_property
    def docstring(self) -> Docstring:
        return docstring_of(self.thing)


def entries() -> list[Entry]:
    """Return everything that the reference holds, in its order."""
    listed = [(chapter, name) for chapter in CHAPTERS for name in unfolded(chapter)]
    named = {name for _, name in listed}
    places = {room: chapter for chapter in CHAPTERS for room in chapter.rooms}
    for name in qddot.__all__:
        if f"qddot.{name}" not in named and not inspect.ismodule(getattr(qddot, name)):
            room = getattr(qddot, name).__module__.split(".")[1]
            listed.append((places.get(room, places[OTHER_ROOMS]), f"qddot.{name}"))
    order = {chapter: k for k, chapter in enumerate(CHAPTERS)}
    listed.sort(key=lambda pair: order[pair[0]])  # stable: the order of the lists stays
    things: dict[int, tuple[str, Any, Chapter]] = {}
    for chapter, name in listed:
        thing = found(name)
        things.setdefault(id(thing), (name, thing, chapter))  # once, where it is named first
    documented = {key for key, (_, thing, _) in things.items() if inspect.isclass(thing)}
    return [made(name, thing, chapter, documented) for name, thing, chapter in things.values()]


def unfolded(chapter: Chapter) -> Iterator[str]:
    """Yield the names of a chapter, "module.*" written out."""
    for name in chapter.names:
        if not name.endswith(".*"):
            yield name
            continue
        module = import_module(name[:-2])
        package = import_module(module.__name__.rpartition(".")[0])
        for inside in getattr(module, "__all__", None) or vars(module):
            thing = getattr(module, inside)
            own = getattr(thing, "__module__", "").startswith(module.__name__)
            if not inside.startswith("_") and own and callable(thing):
                # where users import it from: the package, if that offers it
                offered = inside in package.__all__ and getattr(package, inside) is thing
                yield f"{(package if offered else module).__name__}.{inside}"


def found(name: str) -> Any:
    """Return what a name stands for."""
    module, _, last = name.rpartition(".")
    return getattr(import_module(module), last)


def made(name: str, thing: Any, chapter: Chapter, documented: set[int]) -> Entry:
    if not inspect.isclass(thing) or issubclass(thing, BaseException):
        return Entry(name, thing, chapter)
    bases = tuple(base for base in thing.__mro__[1:] if id(base) in documented)
    covered = {above for base in bases for above in base.__mro__}
    members: dict[str, Member] = {}
    for owner in thing.__mro__:
        if owner in covered or not owner.__module__.startswith("qddot"):
            continue
        for key, value in vars(owner).items():
            member = member_of(key, value, owner)
            if member and key not in members and is_shown(member, owner is thing, bases):
                members[key] = member
    return Entry(name, thing, chapter, tuple(members.values()), bases)


def member_of(name: str, value: Any, owner: type) -> Member | None:
    """Return the member that a class has under a name, or None where it is no method."""
    if name.startswith("_") and name not in SPECIAL:
        return None
    if isinstance(value, (property, cached_property)):
        function = value.fget if isinstance(value, property) else value.func
        # one that is no function of its own explains itself
        return Member(name, function if inspect.isfunction(function) else value, "property")
    if isinstance(value, (staticmethod, classmethod)):
        return Member(name, value.__func__, "static method")
    function = value if inspect.isfunction(value) else getattr(value, "method", None)
    if not inspect.isfunction(function) or (name in SPECIAL and not function.__doc__):
        return None
    return Member(name, function, "method")


def is_shown(member: Member, own: bool, bases: tuple[type, ...]) -> bool:
    """A method that says no more than the documented one it replaces is shown there alone."""
    new = not any(hasattr(base, member.name) for base in bases)
    return new or (own and bool(member.function.__doc__))
