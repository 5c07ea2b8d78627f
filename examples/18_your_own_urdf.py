# %% [markdown]
# # Your own URDF, from text to motion
#
# A robot file is text: here a pendulum on a cart, with a mass in kilograms that somebody mistyped.
# You load it, read what is wrong, correct it, and let it swing under the laws of physics.
# With a file of yours, it is `qddot.load("arm.urdf")` and the rest stays the same.

# %%
from pathlib import Path

import numpy as np

import qddot

URDF = """<robot name="cart_pole">
  <link name="rail"/>
  <link name="cart">
    <inertial><mass value="MASS"/>
      <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="pole">
    <inertial><origin xyz="0 0 -0.5"/><mass value="0.3"/>
      <inertia ixx="0.025" iyy="0.025" izz="0.0001" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="slide" type="prismatic">
    <parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/>
    <limit lower="-2" upper="2" effort="50" velocity="5"/>
  </joint>
  <joint name="swing" type="continuous">
    <parent link="cart"/><child link="pole"/><axis xyz="0 1 0"/>
  </joint>
</robot>"""

path = Path("cart_pole.urdf")
path.write_text(URDF.replace("MASS", "-1.0"))
try:
    qddot.load(path)
except qddot.QddotError as problem:
    print(problem)

# %%
path.write_text(URDF.replace("MASS", "1.0"))
robot = qddot.load(path)
robot

# %% [markdown]
# Its equations, in closed form:

# %%
qddot.derive(robot)

# %% [markdown]
# And its motion. Nothing pushes along the rail, so the centre of mass stays where it is along it.

# %%
run = qddot.simulate(robot, [0.0, 2.0], duration=4.0)
along = robot.center_of_mass(run.q)[:, 0]
print(f"energy: {run.audit}; the centre of mass moves by {np.ptp(along):.1e} m")
assert run.good
assert np.ptp(along) < 1e-8
run

# %%
run.animate("cart_pole.html")
path.unlink()
