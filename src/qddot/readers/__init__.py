"""From a name or a file to a checked model."""

from qddot.readers.read import read

__all__ = ["read"]
