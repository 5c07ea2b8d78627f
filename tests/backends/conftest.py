"""A cache of compiled code for a test alone, and a robot that does not move."""

from pathlib import Path

import pytest

import qddot


@pytest.fixture
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of an empty cache that nobody else uses; it does not exist yet."""
    monkeypatch.setenv("QDDOT_CACHE_DIR", str(tmp_path))
    return tmp_path / "qddot"


STILL = """<robot name="still"><link name="base"/><link name="tip"/>
<joint name="j" type="fixed"><parent link="base"/><child link="tip"/><origin xyz="1 2 3"/></joint>
</robot>"""


@pytest.fixture
def still(tmp_path: Path) -> qddot.Robot:
    """Return a robot without a joint that moves, and with two frames."""
    path = tmp_path / "still.urdf"
    path.write_text(STILL)
    return qddot.load(path)
