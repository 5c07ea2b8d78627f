"""The equations of an arm in closed form: read them, follow the derivation, compile them."""

import numpy as np

import qddot

arm = qddot.load("two_link_symbolic")
eqs = qddot.derive(arm, "trace")
print(eqs)

# the way there: transforms, their derivatives, pseudo-inertias, traces
for step in eqs.steps[:4]:
    print(f"\n{step.title}:\n{step.value}")

# the same formula as a compiled function, beside the robot's own kernel
values = dict(m1=3, m2=2, I1=0.1, I2=0.05, a1=0.6, a2=0.4, aC1=0.3, aC2=0.2, d1=0, d2=0, g=9.81)
torque = eqs.to_function("tau", **values)
q, qd, qdd = np.random.default_rng(7).normal(size=(3, 1000, 2))
assert np.allclose(torque(q, qd, qdd), arm.with_values(**values).inverse_dynamics(q, qd, qdd))
