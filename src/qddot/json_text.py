"""Results for machines: JSON that every reader takes; null for what is not finite."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def json_text(data: Any, **how: Any) -> str:
    """Return plain values and arrays as JSON.

    Args:
        data: The values.
        how: What `json.dumps` takes: indent, separators, ensure_ascii.
    """
    try:
        return json.dumps(data, default=_listed, allow_nan=False, **how)
    except ValueError:  # something in it is not finite, which is rare
        return json.dumps(json_ready(data), allow_nan=False, **how)


def _listed(x: Any) -> Any:
    if hasattr(x, "tolist"):  # of NumPy
        return x.tolist()
    raise TypeError(f"{type(x).__name__} is not for JSON")


def json_ready(x: Any) -> Any:
    """Return the same with None for what is not finite."""
    if hasattr(x, "tolist"):
        x = x.tolist()
    if isinstance(x, Mapping):
        return {key: json_ready(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [json_ready(value) for value in x]
    return None if isinstance(x, float) and not math.isfinite(x) else x
