"""Answers as JSON: arrays as lists, and null for every number that is not finite."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np


def encoded(answer: Mapping[str, Any]) -> str:
    """Return an answer as text, in ASCII, so that no name in it can upset a decoder."""
    try:
        return json.dumps(answer, default=_listed, allow_nan=False, separators=(",", ":"))
    except ValueError:  # something in it is not finite, which is rare
        return json.dumps(_finite(answer), allow_nan=False, separators=(",", ":"))


def _listed(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x.tolist()
    if isinstance(x, np.generic):
        return x.item()
    raise TypeError(f"{type(x).__name__} is not for JSON")


def _finite(x: Any) -> Any:
    """Return the same with None for what is not finite."""
    if isinstance(x, (np.ndarray, np.generic)):
        x = x.tolist()
    if isinstance(x, Mapping):
        return {key: _finite(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [_finite(value) for value in x]
    return None if isinstance(x, float) and not math.isfinite(x) else x
