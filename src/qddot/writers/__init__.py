"""From a model back to a file that reads as the same model."""

from qddot.writers.write import write

__all__ = ["write"]
