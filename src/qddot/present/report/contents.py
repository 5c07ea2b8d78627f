"""What a report consists of: its sections, in order, each with a sentence for everybody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

from qddot.errors import BadArgument, did_you_mean, printable
from qddot.present.report.chapter import Chapter
from qddot.present.report.subject import Subject


@dataclass(frozen=True)
class Section:
    """One section: what it is called, and what it means to somebody who is no expert."""

    key: str  # also the module that writes it
    title: str
    words: str
    share: float = 0.3  # of the report's time that it may take at most

    def write(self, subject: Subject) -> Chapter:
        """Return the chapter."""
        return import_module(f"qddot.present.report.sections.{self.key}").write(subject)


SECTIONS = (
    Section(
        "robot",
        "The robot",
        "A robot arm is a chain of rigid bodies with a motor in every joint. Move the sliders: the "
        "numbers beside the arm are computed in your browser by this robot's own equations.",
    ),
    Section(
        "equations",
        "Its equations of motion",
        "They say which torques make the arm move in a certain way: M for its inertia, c for what "
        "speed costs, g for what gravity costs. They are exact, not a fit.",
    ),
    Section(
        "certificate",
        "What is certain",
        "Statements about the equations, each with how it is known. Proved: an exact identity. "
        "Certified: an inequality with every rounding accounted for. Sampled: looked at in many "
        "positions, which is the weakest.",
        share=0.75,
    ),
    Section(
        "maps",
        "Inertia and gravity, position by position",
        "A motor feels a different arm in every position: stretched out it is heavy and hard to "
        "accelerate, folded it is neither.",
    ),
    Section(
        "effective_mass",
        "What a hand feels at the tip",
        "Push the tip of the arm: in some directions it gives way easily, in others it resists as "
        "if it weighed far more. The effective mass says how much.",
    ),
    Section(
        "simulation",
        "A motion, with its energy accounted for",
        "The arm moves as its equations say. Energy cannot come from nowhere, so whatever is left "
        "over in the account is the error of the computation, and nothing else is.",
    ),
    Section(
        "identifiability",
        "What measurements could tell",
        "Masses and inertias of a real arm are found from measured torques. Some can be known by "
        "themselves, some only as sums, some not at all.",
    ),
    Section(
        "speed",
        "How fast it is",
        "A controller asks for these numbers a thousand times a second, a study millions of times.",
    ),
    Section(
        "provenance",
        "How this page was made",
        "What a careful reader needs to trust the page or to make it again.",
    ),
)
KEYS = tuple(section.key for section in SECTIONS)


def chosen(wanted: Sequence[str] | None) -> tuple[Section, ...]:
    """Return the sections that are wanted, in the page's own order; all if nobody says."""
    if wanted is None:
        return SECTIONS
    if isinstance(wanted, str) or not wanted:
        raise BadArgument(f"sections is {wanted!r}; give some of: {', '.join(KEYS)}.")
    for key in wanted:
        if key not in KEYS:
            raise BadArgument(
                f"There is no section {printable(str(key))!r}.{did_you_mean(str(key), KEYS)}\n"
                f"  There are: {', '.join(KEYS)}."
            )
    return tuple(section for section in SECTIONS if section.key in wanted)
