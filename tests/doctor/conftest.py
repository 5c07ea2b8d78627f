"""A healthy arm as URDF text, in which tests plant one fault each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

ARM = """\
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.02 0 0.15" rpy="0.1 0.2 0.3"/>
      <mass value="4"/>
      <inertia ixx="0.04" ixy="0.001" ixz="0.002" iyy="0.042" iyz="-0.001" izz="0.01"/>
    </inertial>
  </link>
  <link name="fore">
    <inertial>
      <origin xyz="0 0.01 0.12"/>
      <mass value="2.5"/>
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.021" iyz="0.0005" izz="0.004"/>
    </inertial>
  </link>
  <link name="hand">
    <inertial>
      <origin xyz="0 0 0.05"/>
      <mass value="0.8"/>
      <inertia ixx="0.0011" ixy="0" ixz="0" iyy="0.0012" iyz="0" izz="0.0008"/>
    </inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 0.1" rpy="1.5707963267948966 0 0"/>
    <parent link="base"/>
    <child link="upper"/>
    <axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="80" velocity="3"/>
  </joint>
  <joint name="elbow" type="revolute">
    <origin xyz="0 0 0.35"/>
    <parent link="upper"/>
    <child link="fore"/>
    <axis xyz="1 0 0"/>
    <limit lower="-2.5" upper="2.5" effort="50" velocity="3"/>
  </joint>
  <joint name="wrist" type="continuous">
    <origin xyz="0 0 0.3"/>
    <parent link="fore"/>
    <child link="hand"/>
    <axis xyz="0 0 1"/>
    <limit effort="10" velocity="6"/>
  </joint>
</robot>
"""

Write = Callable[..., Path]


@pytest.fixture
def arm(tmp_path: Path) -> Write:
    """Return a function that writes the arm with some of its text replaced."""

    def write(*changes: tuple[str, str], name: str = "arm.urdf") -> Path:
        text = ARM
        for old, new in changes:
            assert old in text, f"the arm has no {old!r}"
            text = text.replace(old, new)
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write
