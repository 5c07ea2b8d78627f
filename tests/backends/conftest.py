"""A cache of compiled code for a test alone."""

from pathlib import Path

import pytest


@pytest.fixture
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of an empty cache that nobody else uses; it does not exist yet."""
    monkeypatch.setenv("QDDOT_CACHE_DIR", str(tmp_path))
    return tmp_path / "qddot"
