"""What each peer is given to load: the user's own file where it can, else qddot's URDF of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from qddot.doctor.peers import Job, Peer
from qddot.model.model import Model
from qddot.readers.files import read_bytes
from qddot.readers.read import looks_like_mjcf

GEOMETRY = ("visual", "collision")  # meshes may be missing, and change nothing here


@dataclass(frozen=True)
class Material:
    """The robot as the user has it: a URDF or MJCF file, or something that only qddot reads."""

    model: Model
    path: Path
    kind: str  # "urdf", "mjcf" or "other"

    def reads_file(self, peer: Peer) -> bool:
        """Return whether a peer loads the user's own file."""
        return self.kind in peer.reads

    def job(self, peer: Peer, positions: Sequence[dict[str, float]]) -> Job:
        """Return what to ask of a peer."""
        root, given = self.model.links[0].name, list(positions)
        if self.kind == "mjcf" and self.reads_file(peer):
            return Job(peer.name, "mjcf", "", str(self.path.resolve()), root, given)
        if self.reads_file(peer):
            text = without_geometry(read_bytes(self.path))
            return Job(peer.name, "urdf", text, "", root, given)
        from qddot.writers.urdf import to_urdf

        # URDF has no words for gravity and rotors, so they are handed over beside the text
        moving = [joint for joint in self.model.joints if joint.kind != "fixed"]
        return Job(
            peer.name,
            "urdf",
            to_urdf(self.model),
            "",
            root,
            given,
            [float(x) for x in self.model.gravity],
            {joint.name: float(joint.motor.reflected) for joint in moving},
        )


def material(model: Model, path: Path) -> Material:
    """Return the robot as the peers can be given it."""
    ending = path.suffix.lower()
    kind = "other"
    if ending in (".urdf", ".xml", ".mjcf"):
        kind = "mjcf" if looks_like_mjcf(read_bytes(path)) else "urdf"
    return Material(model, path, kind)


def without_geometry(data: bytes) -> str:
    """Return a URDF's text without its shapes: no peer then looks for a mesh."""
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError:  # a prefix that nobody declares, which other readers allow
        return data.decode("utf-8", errors="replace")
    for link in root.iter("link"):
        for tag in GEOMETRY:
            for element in link.findall(tag):
                link.remove(element)
    return ElementTree.tostring(root, encoding="unicode")
