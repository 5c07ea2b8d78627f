"""Compiled code is kept in a folder of the test, never in the user's."""

from pathlib import Path

import pytest

import qddot


@pytest.fixture(autouse=True, scope="session")
def own_cache_for_all(tmp_path_factory: pytest.TempPathFactory):
    """Share compiled code between tests that do not ask for a cache of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QDDOT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


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
