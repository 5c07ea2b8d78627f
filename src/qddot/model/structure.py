"""The shape of a robot: one tree, every name once, every reference known."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace

from qddot.errors import Problem, did_you_mean, listing, shorten
from qddot.model.joint import FIXED, Coupling, Joint
from qddot.model.joints import MOTIONS
from qddot.model.model import Model
from qddot.scalars.expressions import Expression, has_value

MOST_LINKS = 2000  # ten times the largest robot we know of
LONGEST_NAME = 200
MOST_NAMED = 6  # joints of a coupling, in messages
MOST_GUESSES = 20  # looking for the nearest name takes its time


def structural_problems(model: Model) -> list[Problem]:
    """Return what keeps a model from being one tree."""
    if not model.links:
        return [Problem("error", "robot", "it has no links", "Add at least a base link.")]
    if len(model.links) > MOST_LINKS:
        message = f"it has {len(model.links)} links; at most {MOST_LINKS} are read"
        return [Problem("error", "robot", message, "Split it, or leave out what does not move.")]
    if len(model.name) > LONGEST_NAME:
        message = f"its name has {len(model.name)} characters; at most {LONGEST_NAME}"
        return [Problem("error", "robot", message, "Shorten it.")]
    names = list(_name_problems(model))
    references = list(_reference_problems(model))
    # the shape means nothing until the names do
    broken = any(problem.severity == "error" for problem in names + references)
    shape = [] if broken else list(_shape_problems(model))
    return names + references + shape + [*_mimic_problems(model), *_rotor_problems(model)]


def depth_first(model: Model) -> Model:
    """Return the model with joints and links in the order of a walk from the root."""
    children = _children(model)
    order: list[Joint] = []
    (root,) = _roots(model)
    waiting = [*reversed(children[root])]
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting.extend(reversed(children[joint.child]))
    links = {link.name: link for link in model.links}
    names = [root, *(joint.child for joint in order)]
    return replace(model, joints=tuple(order), links=tuple(links[name] for name in names))


def place(kind: str, name: str) -> str:
    """Return how a problem names an element."""
    return f"{kind} {shorten(name)!r}"


def _children(model: Model) -> dict[str, list[Joint]]:
    children = defaultdict(list)
    for joint in model.joints:
        children[joint.parent].append(joint)
    return children


def _roots(model: Model) -> list[str]:
    carried = {joint.child for joint in model.joints}
    return [link.name for link in model.links if link.name not in carried]


def _name_problems(model: Model) -> Iterator[Problem]:
    kinds = [("link", model.links), ("joint", model.joints), ("frame", model.frames)]
    for kind, things in kinds:
        seen: dict[str, int | None] = {}
        if kind == "frame":
            seen = {link.name: link.line for link in model.links}
        for thing in things:
            where = place(kind, thing.name)
            if not thing.name:
                yield Problem("error", f"a {kind}", "it has no name", "Give it one.", thing.line)
            elif thing.name in seen:
                first = seen[thing.name]
                before = f" (first at line {first})" if first else ""
                message = f"the name is used twice{before}"
                yield Problem("error", where, message, "Rename one of the two.", thing.line)
            elif len(thing.name) > LONGEST_NAME:
                message = f"the name has {len(thing.name)} characters; at most {LONGEST_NAME}"
                yield Problem("error", where, message, "Shorten it.", thing.line)
            elif not thing.name.isprintable():
                remedy = "Use letters, digits and _ - . / only."
                message = "the name holds control characters"
                yield Problem("error", where, message, remedy, thing.line)
            elif set(thing.name) & set("<>&\"'`$;|{}\\()"):
                message = "the name looks like code or markup; it is used as plain text"
                remedy = "Use letters, digits and _ - . / to be safe in other tools."
                yield Problem("warning", where, message, remedy, thing.line)
            seen.setdefault(thing.name, thing.line)


def _reference_problems(model: Model) -> Iterator[Problem]:
    links = {link.name for link in model.links}
    guesses = 0
    for joint in model.joints:
        where = place("joint", joint.name)
        kinds = (*MOTIONS, FIXED)
        if joint.kind not in kinds:
            message = f"unknown joint type {shorten(str(joint.kind))!r}"
            hint = did_you_mean(str(joint.kind).lower(), kinds)
            remedy = f"{hint.strip()} Types: {', '.join(kinds)}.".strip()
            yield Problem("error", where, message, remedy, joint.line)
        for end, name in (("parent", joint.parent), ("child", joint.child)):
            if not name:
                remedy = f"Name its {end} link."
                yield Problem("error", where, f"it has no {end}", remedy, joint.line)
            elif name not in links:
                message = f"its {end} link {shorten(name)!r} does not exist"
                guesses += 1
                hint = did_you_mean(name, links) if guesses <= MOST_GUESSES else ""
                remedy = f"Add it or correct the name.{hint}"
                yield Problem("error", where, message, remedy, joint.line)
    for frame in model.frames:
        if frame.link not in links:
            message = f"its link {shorten(frame.link)!r} does not exist"
            remedy = f"Correct the name.{did_you_mean(frame.link, links)}"
            yield Problem("error", place("frame", frame.name), message, remedy, frame.line)
    known = {*links, *(frame.name for frame in model.frames)}
    for load in model.payloads:
        if load.frame not in known:
            message = f"its frame {shorten(load.frame)!r} does not exist"
            remedy = f"Correct the name.{did_you_mean(load.frame, known)}"
            yield Problem("error", "payload", message, remedy, load.line)
    movable = {joint.name for joint in model.joints if joint.kind != "fixed"}
    taken = {*movable}
    for coupling in model.couplings:
        wrong = list(_coupling_problems(coupling, movable))
        yield from wrong
        if coupling.is_shaft and not wrong:
            if (name := coupling.combination) in taken:
                message = f"something else with a motor or friction is called {shorten(name)!r}"
                remedy = "Put what acts along the same joints into one coupling."
                yield Problem("error", place_of(coupling), message, remedy, coupling.line)
            taken.add(name)


def place_of(coupling: Coupling) -> str:
    """Return which coupling it is, in words."""
    names = [repr(shorten(str(name))) for name in coupling.joints]
    return f"coupling {'–'.join(names[:MOST_NAMED])}{'–…' * (len(names) > MOST_NAMED)}"


def _coupling_problems(coupling: Coupling, movable: set[str]) -> Iterator[Problem]:
    where, given = place_of(coupling), coupling.joints
    if not isinstance(given, tuple) or not all(isinstance(name, str) for name in given):
        message, remedy = f"its joints are {shorten(repr(given))}", "Give a tuple of their names."
        yield Problem("error", where, message, remedy, coupling.line)
        return
    for name in coupling.joints:
        if name not in movable:
            message = f"there is no moving joint {shorten(name)!r}"
            remedy = f"Correct the name.{did_you_mean(name, movable)}"
            yield Problem("error", where, message, remedy, coupling.line)
    if len(set(coupling.joints)) < max(2, len(coupling.joints)):
        message = "it joins a joint to itself"
        remedy = "Name two joints, or use a spring."
        yield Problem("error", where, message, remedy, coupling.line)
    ratios = coupling.ratios
    kinds = (int, float, Expression)
    numbers = isinstance(ratios, tuple) and all(isinstance(x, kinds) for x in ratios)
    if not numbers or len(ratios) != len(coupling.joints):
        message = f"it has {len(coupling.joints)} joints and ratios {shorten(repr(ratios))}"
        yield Problem("error", where, message, "Give one ratio for each joint.", coupling.line)
    elif any(has_value(ratio) and ratio == 0 for ratio in ratios):
        message = "one of its ratios is zero"
        yield Problem("error", where, message, "Leave that joint out.", coupling.line)


def _shape_problems(model: Model) -> Iterator[Problem]:
    parents = Counter(joint.child for joint in model.joints)
    carriers: dict[str, list[Joint]] = defaultdict(list)
    for joint in model.joints:
        carriers[joint.child].append(joint)
        if joint.parent == joint.child:
            message = "its parent and its child are the same link"
            remedy = "Name two different links."
            yield Problem("error", place("joint", joint.name), message, remedy, joint.line)
    for name, count in parents.items():
        if count > 1:
            joints = listing([f"'{joint.name}'" for joint in carriers[name]])
            message = f"it is the child of {count} joints ({joints})"
            remedy = "A robot is a tree: keep one of them. Closed loops are not supported."
            yield Problem("error", place("link", name), message, remedy, carriers[name][1].line)
    roots = _roots(model)
    lines = {link.name: link.line for link in model.links}
    if len(roots) > 1:
        message = f"it is not connected to the base {shorten(roots[0])!r}"
        remedy = "Add a joint (type fixed will do) from the rest of the robot to it, or remove it."
        for name in roots[1:]:
            yield Problem("error", place("link", name), message, remedy, lines[name])
    reached = set()
    waiting = list(roots)
    children = _children(model)
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting.extend(j.child for j in children[name] if j.child not in reached)
    lost = [link for link in model.links if link.name not in reached]
    if lost:
        what = listing([f"'{link.name}'" for link in lost], most=5)
        message = f"its links form a cycle ({what})"
        remedy = "Reverse or remove one joint of the cycle, so that one link has no parent."
        yield Problem("error", "robot", message, remedy, lost[0].line)


def _rotor_problems(model: Model) -> Iterator[Problem]:
    """Yield what a rotor carries: its frame does not turn with it, so nothing may hang on it."""
    frames = {frame.name: frame.link for frame in model.frames}
    for joint in model.joints:
        if joint.role != "spin":
            continue
        carried = [f"joint {other.name!r}" for other in model.joints if other.parent == joint.child]
        loads = [frames.get(load.frame, load.frame) for load in model.payloads]
        carried += ["a payload"] * (joint.child in loads)
        if carried:
            message = f"it is a {joint.kind} and carries {listing(carried, most=3)}"
            remedy = "Nothing can hang on it: make it continuous."
            yield Problem("error", place("joint", joint.name), message, remedy, joint.line)


def _mimic_problems(model: Model) -> Iterator[Problem]:
    joints = {joint.name: joint for joint in model.joints}
    guesses = 0
    for joint in model.joints:
        if joint.mimic is None:
            continue
        where = place("joint", joint.name)
        leader = joints.get(joint.mimic.joint)
        if leader is None or leader.kind == "fixed":
            what = "does not exist" if leader is None else "is fixed"
            message = f"it mimics {shorten(joint.mimic.joint)!r}, which {what}"
            guesses += 1
            known = [j.name for j in model.joints if j.kind != "fixed" and j is not joint]
            hint = did_you_mean(joint.mimic.joint, known) if guesses <= MOST_GUESSES else ""
            remedy = f"Name a joint that moves.{hint}"
            yield Problem("error", where, message, remedy, joint.line)
            continue
        seen = {joint.name}
        while leader is not None and leader.mimic is not None and leader.name not in seen:
            seen.add(leader.name)
            leader = joints.get(leader.mimic.joint)
        if leader is not None and leader.name in seen:
            message = "it mimics itself, directly or through others"
            remedy = "One joint of the group must move by itself."
            yield Problem("error", where, message, remedy, joint.line)
