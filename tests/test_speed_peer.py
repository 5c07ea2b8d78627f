"""What is timed beside qddot is the same robot, also where a link has no mass."""

import numpy as np
import pytest

import qddot
from qddot.speed import pinocchio

FINGER = """<robot name="finger">
  <link name="base"/>
  <link name="arm"><inertial><origin xyz="0 0 0.2"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="jaw"/>
  <joint name="j1" type="continuous"><parent link="base"/><child link="arm"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="j2" type="continuous"><parent link="arm"/><child link="jaw"/>
    <origin xyz="0 0 0.4"/><axis xyz="0 1 0"/></joint>
</robot>"""


@pytest.mark.filterwarnings("ignore")
def test_pinocchio_gets_a_link_without_mass_as_it_is(tmp_path):
    pytest.importorskip("pinocchio")
    (tmp_path / "finger.urdf").write_text(FINGER)
    robot = qddot.load(tmp_path / "finger.urdf")
    peer = pinocchio(robot)
    if peer is None:
        pytest.skip("another package is called pinocchio here")
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 2))
    assert peer.agrees("inverse_dynamics", [q, qd, qdd], robot.inverse_dynamics(q, qd, qdd))
