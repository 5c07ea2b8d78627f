"""The robot: the arm to move, its joints, its links, and what is doubtful about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from qddot.doctor.compare import PeerComparison, compare
from qddot.doctor.examination import Examination, examine, ordered
from qddot.errors import Problem, listing
from qddot.model.joint import Joint
from qddot.model.model import Model
from qddot.present.pages import page
from qddot.present.report.chapter import OWN_FILE, Chapter, Subject, again, count, heading, wordy
from qddot.present.report.explorer import explorer
from qddot.present.terminal import robots as show
from qddot.present.terminal.examination import differing, grouped

MOST = 60  # problems of one kind that are listed


def write(subject: Subject) -> Chapter:
    """Return the chapter."""
    model, live = subject.robot.model, subject.live
    parts = []
    if live is not None:
        parts.append(explorer(subject.robot, live))
    elif model.symbols:
        parts.append(
            page.paragraph(
                f"The robot has symbols without a value ({listing(model.symbols, 12)}), so it has "
                "equations but no numbers. Given values, this page has both: "
                f"qddot report ... --set {model.symbols[0]}=1.0"
            )
        )
    parts += [heading("In short"), about(model)]
    parts += joints(model)
    parts += health(examination(subject))
    parts.append(again(subject, "doctor {robot}", "robot.show()\nprint(robot.warnings)"))
    return Chapter(tuple(parts), glance=in_short(model))


def in_short(model: Model) -> str:
    """Return the robot in a line."""
    mass = show.number(model.mass)
    warnings = sum(problem.severity == "warning" for problem in model.warnings)
    doubts = f", {count(warnings, 'thing')} to look at" if warnings else ""
    return f"{count(model.n, 'joint')}, {mass} kg{doubts}"


def about(model: Model) -> str:
    """Return the robot in a few facts."""
    kinds = [joint.kind for joint in model.free_joints]
    told = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    gravity = ", ".join(show.number(x) for x in model.gravity)
    facts = {
        "joints": f"{len(kinds)} ({told})" if kinds else "none that moves",
        "mass": f"{show.number(model.mass)} kg in {count(len(model.links), 'link')}",
        "gravity": f"({gravity}) m/s²",
        "symbols": ", ".join(model.symbols),
        "source": model.source,
        "licence": model.licence,
    }
    return page.facts((name, said) for name, said in facts.items() if said)


def joints(model: Model) -> Iterator[str]:
    """Yield the table of joints and the tree of links."""
    moving = [joint for joint in model.joints if joint.kind != "fixed"][: show.MOST_ROWS]
    yield heading("Joints and links")
    if moving:
        yield f'<div data-angles="rad">{_joint_table(model, moving, False)}</div>'
        # the switch of the page shows this one instead
        yield f'<div data-angles="deg" hidden>{_joint_table(model, moving, True)}</div>'
    frames = listing(model.frame_names, 200)
    yield page.folded(
        f"The tree of links, and {count(len(model.frame_names), 'frame')}",
        page.code(show.written([show.tree(model)])),
        page.paragraph(f"Frames: {frames}."),
    )


def _joint_table(model: Model, moving: list[Joint], degrees: bool) -> str:
    cells = [show.row(model, joint, degrees) for joint in moving]
    used = [k for k in range(2, len(show.HEADINGS)) if any(row[k] for row in cells)]
    rows = [[f"{row[0]}  {row[1]}".strip(), *(row[k] for k in used)] for row in cells]
    head = ["joint", *(show.HEADINGS[k] for k in used)]
    return page.table(head, rows, caption="   ".join(show.legend(moving, degrees)))


def health(found: Examination) -> Iterator[str]:
    """Yield what the doctor says: problems with remedies, and how other engines see the robot."""
    yield heading("Is the description sound?")
    problems = [p for p in found.problems if p.severity != "note"]
    notes = [p for p in found.problems if p.severity == "note"]
    if problems:
        yield page.paragraph(f"{count(len(problems), 'thing')} to look at:", "warn")
        yield page.bullets(sentences(problems))
    else:
        yield page.paragraph("Nothing to complain about.", "good")
    if notes:
        yield page.folded(f"{count(len(notes), 'note')}", page.bullets(sentences(notes)))
    compared = [c for c in found.comparisons if c.compared]
    if compared:
        rows = [[f"{c.peer} {c.version}", agreement(c), c.read] for c in compared]
        bad = {k for k, c in enumerate(compared) if not c.agrees}
        caption = "M(q) and g(q) in other engines, friction and springs aside"
        yield wordy(["engine", "M and g", "given"], rows, bad=bad, caption=caption)
        said = [f"{c.peer}: {words}" for c in compared for words in (*c.reasons, *c.asides)]
        if said:
            yield page.bullets(said)
    missing = [f"{c.peer}: {c.why_not}." for c in found.comparisons if not c.compared]
    if missing:
        yield page.paragraph("Not compared with " + " ".join(missing), "quiet")


def examination(subject: Subject) -> Examination:
    """Return the doctor's findings, from the file where the robot is as it is there."""
    model = subject.robot.model
    if subject.source:
        found = examine(subject.source)
        if found.model == model:
            return found
    compared = compare(model, Path(OWN_FILE))
    return Examination(subject.typed, model, ordered(model.warnings), compared)


def sentences(problems: list[Problem]) -> list[str]:
    """Return problems as sentences, those that say the same together."""
    lines = []
    for alike in grouped(problems)[:MOST]:
        first = alike[0]
        places = listing([p.place for p in alike if p.place], 6)
        numbers = listing([str(p.line) for p in alike if p.line], 6)
        where = ", ".join(part for part in (f"line {numbers}" if numbers else "", places) if part)
        what = f"{where}: {first.message}." if where else f"{first.message}."
        lines.append(f"{what} {first.remedy}".strip())
    return lines


def agreement(comparison: PeerComparison) -> str:
    """Return whether M and g are the same, in words."""
    if not comparison.agrees:
        return differing(comparison)
    size = max(comparison.difference_M or 0.0, comparison.difference_g or 0.0)
    return f"the same to {size:.0e} of their size" if size else "exactly the same"
