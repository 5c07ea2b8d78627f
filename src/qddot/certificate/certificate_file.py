"""Certificates in files: JSON, with the robot itself and every bound's proof."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qddot.certificate.bound import Bound
from qddot.certificate.box import Box
from qddot.certificate.properties import Property
from qddot.errors import BadFile, QddotError
from qddot.readers.read import read
from qddot.robot import Robot
from qddot.saving import ending, write_whole
from qddot.writers.toml import to_toml

if TYPE_CHECKING:
    from qddot.certificate.certificate import Certificate

FORMAT = 1
MOST_BYTES = 200_000_000


def save(certificate: Certificate, path: str | Path) -> None:
    """Write a certificate."""
    ending(path, "A certificate", (".json",))
    text = json.dumps(to_dict(certificate) | {"format": FORMAT}, ensure_ascii=False, indent=1)
    write_whole(path, text)


def to_dict(certificate: Certificate) -> dict[str, Any]:
    """Return a certificate as plain data."""
    return {
        "robot": certificate.robot.name,
        "model": to_toml(certificate.robot.model),
        "box": asdict(certificate.box),
        "properties": [asdict(property) for property in certificate.properties],
        "bounds": {
            name: asdict(bound) | {"gap": bound.gap} for name, bound in certificate.bounds.items()
        },
    }


def load(path: str | Path) -> Certificate:
    """Return a certificate from a file; whether it is true is for `check` to say."""
    from qddot.certificate.certificate import Certificate

    path = Path(path)
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadFile(path, "it is too large for a certificate", "Name the right file.")
        data = json.loads(path.read_bytes())
        if data["format"] != FORMAT:
            raise ValueError("format")
        robot = Robot(_model(data["model"]))
        box = Box(*(tuple(float(x) for x in data["box"][end]) for end in ("lower", "upper")))
        properties = tuple(Property(**each) for each in data["properties"])
        bounds = {name: _bound(each) for name, each in data["bounds"].items()}
    except OSError as error:
        raise BadFile(path, f"it cannot be read: {error.strerror}", "Check the name.") from None
    except QddotError as error:
        if isinstance(error, BadFile):
            raise
        raise BadFile(path, f"its robot cannot be read: {error}", "Certify again.") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        why = f"it is not a certificate ({type(error).__name__})"
        raise BadFile(path, why, "Save one with certificate.save(path).") from None
    return Certificate(robot, box, properties, bounds)


def _model(text: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.toml"
        path.write_text(text, encoding="utf-8")
        return read(str(path))


def _bound(data: dict[str, Any]) -> Bound:
    fields: dict[str, Any] = {key: value for key, value in data.items() if key != "gap"}
    fields["attained_at"] = tuple(fields["attained_at"])
    return Bound(**fields)
