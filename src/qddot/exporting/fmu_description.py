"""The description of an FMU: its variables with names and units, and what depends on what."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version as installed
from typing import Any
from xml.etree import ElementTree as xml

from qddot.errors import printable
from qddot.exporting.fmu_model import FmuModel

# exponents of the base units
UNITS = {
    "s": dict(s=1),
    "rad": dict(rad=1),
    "rad/s": dict(rad=1, s=-1),
    "rad/s²": dict(rad=1, s=-2),
    "m": dict(m=1),
    "m/s": dict(m=1, s=-1),
    "m/s²": dict(m=1, s=-2),
    "N·m": dict(kg=1, m=2, s=-2),
    "N": dict(kg=1, m=1, s=-2),
    "N·m·s/rad": dict(kg=1, m=2, s=-1, rad=-1),
    "N·s/m": dict(kg=1, s=-1),
    "kg": dict(kg=1),
    "kg·m²": dict(kg=1, m=2),
}
NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)  # of the standard's structured names


@dataclass(frozen=True)
class FmiVersion:
    """How one version of the standard names files."""

    source: str
    platform: Callable[[str], str]  # the folder of a library for a machine; "" if it has none


VERSIONS = {
    "2.0": FmiVersion("fmi2.c", lambda machine: {"x86_64": "linux64"}.get(machine, "")),
    "3.0": FmiVersion("fmi3.c", lambda machine: f"{machine}-linux"),
}


@dataclass(frozen=True)
class FmuVariable:
    """A variable: its name, number, unit and what it is to others."""

    name: str
    number: int  # the value reference
    causality: str
    words: str
    unit: str = ""
    start: float | bool | None = None
    initial: str = ""
    least: float = -math.inf
    derivative: int | None = None  # the number of the variable whose rate it is
    depends: tuple[int, ...] = field(default=())

    @property
    def attributes(self) -> dict[str, str]:
        given = {"causality": self.causality}
        if self.causality == "parameter":
            given["variability"] = "tunable"
        if self.initial:
            given["initial"] = self.initial
        return given | {"description": self.words}

    @property
    def value(self) -> dict[str, str]:
        if self.start is None:
            return {}
        start = str(self.start).lower() if self.start is False else repr(self.start)
        return {"start": start} | ({} if math.isinf(self.least) else {"min": repr(self.least)})


def variables(model: FmuModel) -> list[FmuVariable]:
    """Return all of them, in the order of their numbers, as arm.h has them."""
    n, joints = model.robot.n, model.robot.model.free_joints
    start = model.robot.start
    everything = tuple(range(1, 2 * n + 1)) + tuple(range(3 * n + 1, 4 * n + 1))
    rows = [FmuVariable("time", 0, "independent", "time", "s")]

    def add(name: str, causality: str, words: str, **more: Any) -> None:
        rows.append(FmuVariable(name, len(rows), causality, words, **more))

    for kind, words, values in (("q", "position", start.q), ("qd", "velocity", start.qd)):
        for i, joint in enumerate(joints):
            add(
                *(f"{joint.name}.{kind}", "output", f"{words} of joint {joint.name}"),
                unit=getattr(joint.units, words),
                start=float(values[i]),
                initial="exact",
                derivative=None if kind == "q" else len(rows) - n,
                depends=(len(rows),),
            )
    for joint in joints:
        add(
            *(f"{joint.name}.qdd", "output", f"acceleration of joint {joint.name}"),
            unit=joint.units.acceleration,
            initial="calculated",
            derivative=len(rows) - n,
            depends=everything,
        )
    for joint in joints:
        words = f"torque or force of the motor of joint {joint.name}"
        if not joint.actuated:
            words = f"joint {joint.name} has no motor: leave this torque or force at zero"
        add(f"{joint.name}.tau", "input", words, unit=joint.units.effort, start=0.0)
    for p in model.parameters:
        more = {"unit": p.unit, "start": p.start, "least": p.least}
        add(p.name, "parameter", p.words, initial="exact", **more)
    words = "share of its velocity with which a joint leaves a stop, 0 to 1"
    add("restitution", "parameter", words, start=0.0, initial="exact", least=0.0)
    words = "whether joints are stopped at their limits of position"
    add("stops", "parameter", words, start=False, initial="exact")
    for joint in joints:
        for suffix, words in (
            ("grip", "zero where the joint sticks or gives way"),
            ("to_lower", "zero at its lower stop"),
            ("to_upper", "zero at its upper stop"),
        ):
            add(
                *(f"{joint.name}.{suffix}", "local", words),
                initial="calculated",
                depends=everything,
            )
    return rows


def description(
    model: FmuModel, stem: str, token: str, sources: Sequence[str], version: str
) -> bytes:
    """Return modelDescription.xml."""
    two, rows = version == "2.0", variables(model)
    shown = [row for row in rows if not (two and row.causality == "local")]
    joints = model.robot.joint_names
    structured = all(NAME.fullmatch(name) for name in joints)
    root = xml.Element(
        "fmiModelDescription",
        {
            "fmiVersion": version,
            "modelName": printable(model.robot.name) or stem,
            ("guid" if two else "instantiationToken"): token,
            "description": f"The motion of a robot arm with {len(joints)} joints",
            "generationTool": f"qddot {installed('qddot')}",
            "variableNamingConvention": "structured" if structured else "flat",
            **({"numberOfEventIndicators": str(3 * len(joints))} if two else {}),
        },
    )
    state = "FMUstate" if two else "FMUState"
    can = {"modelIdentifier": stem, f"canGetAndSet{state}": "true", f"canSerialize{state}": "true"}
    can[f"providesDirectionalDerivative{'' if two else 's'}"] = "true"
    for kind, more in (
        (
            "ModelExchange",
            {
                "completedIntegratorStepNotNeeded"
                if two
                else "needsCompletedIntegratorStep": "true" if two else "false"
            },
        ),
        ("CoSimulation", {"canHandleVariableCommunicationStepSize": "true"}),
    ):
        element = xml.SubElement(root, kind, can | more)
        if two:
            files = xml.SubElement(element, "SourceFiles")
            for name in sources:
                xml.SubElement(files, "File", name=name)
    units = xml.SubElement(root, "UnitDefinitions")
    for unit in dict.fromkeys(row.unit for row in shown if row.unit):
        exponents = {key: str(k) for key, k in UNITS[unit].items()}
        xml.SubElement(xml.SubElement(units, "Unit", name=_plain(unit)), "BaseUnit", exponents)
    xml.SubElement(root, "DefaultExperiment", startTime="0", stopTime="1", stepSize="0.001")
    place = xml.SubElement(root, "ModelVariables")
    for row in shown:
        _variable(place, row, two)
    _structure(xml.SubElement(root, "ModelStructure"), shown, two)
    xml.indent(root)
    return xml.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _variable(place: xml.Element, row: FmuVariable, two: bool) -> None:
    """Write a variable; FMI 2.0 has its type inside it, and counts from 1."""
    given = {"name": printable(row.name), "valueReference": str(row.number)}
    given |= {key: printable(value) for key, value in row.attributes.items()}
    more = {"unit": _plain(row.unit)} if row.unit else {}
    if row.derivative is not None:
        more["derivative"] = str(row.derivative + two)
    more |= row.value
    truth = isinstance(row.start, bool)
    if two:
        element = xml.SubElement(place, "ScalarVariable", given)
        xml.SubElement(element, "Boolean" if truth else "Real", more)
    else:
        xml.SubElement(place, "Boolean" if truth else "Float64", given | more)


def _structure(place: xml.Element, rows: Sequence[FmuVariable], two: bool) -> None:
    """Write which variables are outputs and derivatives, and what they depend on."""
    outputs = [row for row in rows if row.causality == "output"]
    groups = (
        ("Output", "Outputs", outputs),
        (
            *("ContinuousStateDerivative", "Derivatives"),
            [row for row in rows if row.derivative is not None],
        ),
        ("InitialUnknown", "InitialUnknowns", [r for r in outputs if r.initial == "calculated"]),
        ("EventIndicator", "", [row for row in rows if row.causality == "local"]),
    )
    for kind, plural, members in groups:
        if two and not members:
            continue
        within = xml.SubElement(place, plural) if two else place
        for row in members:
            depends = " ".join(str(k + 1 if two else k) for k in row.depends)
            if two:
                xml.SubElement(within, "Unknown", index=str(row.number + 1), dependencies=depends)
            else:
                xml.SubElement(within, kind, valueReference=str(row.number), dependencies=depends)


def build_description(stem: str, sources: Sequence[str]) -> bytes:
    """Return buildDescription.xml of FMI 3.0: how the sources are compiled."""
    root = xml.Element("fmiBuildDescription", fmiVersion="3.0")
    build = xml.SubElement(root, "BuildConfiguration", modelIdentifier=stem)
    files = xml.SubElement(build, "SourceFileSet", language="C99")
    for name in sources:
        xml.SubElement(files, "SourceFile", name=name)
    xml.SubElement(build, "Library", name="m")
    xml.indent(root)
    return xml.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _plain(unit: str) -> str:
    return unit.replace("·", ".").replace("²", "2")
