# %% [markdown]
# # As fast as the motors allow: optimal control with CasADi
#
# An arm goes from rest to rest in the least time that its motors permit, along whatever path suits.
# The dynamics are a `casadi.Function`, so IPOPT gets exact derivatives of them.
# You then hold the torques that it found against a simulation that knows nothing of CasADi.
# Install it with `pip install '.[casadi]'`.

# %%
import casadi as ca
import numpy as np

import qddot
from qddot.control import Trapezoidal, time_optimal

held = {"panda_joint3": 0.0, "panda_joint5": 0.0, "panda_joint6": 1.8, "panda_joint7": 0.8}
arm = qddot.load("panda").locked(held)  # joints 1, 2 and 4 are left
arm

# %% [markdown]
# Torques are held for one of forty intervals each, within which the method of Runge and Kutta takes
# one step. Unknown are the states between them, the torques, and how long it takes.
# The torques are limited to less than the robot's, so that they matter as much as the speeds.

# %%
start, goal = np.array([0.0, -0.5, -2.4]), np.array([1.2, 0.9, -1.0])
effort, velocity = np.array([20.0, 60.0, 25.0]), 2.1  # [N·m], [rad/s]
pieces = 40

dynamics = qddot.to_casadi(arm)
x, tau, h = ca.MX.sym("x", 6), ca.MX.sym("tau", 3), ca.MX.sym("h")


def rate(x):
    return ca.vertcat(x[3:], dynamics.forward_dynamics(x[:3], x[3:], tau))


k1 = rate(x)
k2 = rate(x + h / 2 * k1)
k3 = rate(x + h / 2 * k2)
k4 = rate(x + h * k3)
step = ca.Function("step", [x, tau, h], [x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)])

problem = ca.Opti()
states, torques = problem.variable(6, pieces + 1), problem.variable(3, pieces)
duration = problem.variable()
problem.minimize(duration)
reached = step.map(pieces)(states[:, :-1], torques, duration / pieces)
problem.subject_to(states[:, 1:] == reached)
problem.subject_to(states[:, 0] == np.r_[start, np.zeros(3)])
problem.subject_to(states[:, -1] == np.r_[goal, np.zeros(3)])
problem.subject_to(problem.bounded(0.1, duration, 5.0))
problem.subject_to(problem.bounded(-velocity, ca.vec(states[3:, :]), velocity))
for joint in range(3):
    problem.subject_to(problem.bounded(-effort[joint], torques[joint, :], effort[joint]))

# %% [markdown]
# It starts from the fastest motion along a straight line in the joints.

# %%
line = time_optimal(arm, np.array([start, goal]), effort=effort, velocity=velocity)
q, qd, qdd = line.sampled(np.linspace(0, line.duration, pieces + 1))
needed = arm.inverse_dynamics(q, qd, qdd)[:-1]
problem.set_initial(duration, line.duration)
problem.set_initial(states, np.vstack([q.T, qd.T]))
problem.set_initial(torques, np.clip(needed, -effort, effort).T)
problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
found = problem.solve()
T, best = float(found.value(duration)), found.value(torques).T
print(f"{T:.3f} s, after {found.stats()['iter_count']} iterations of IPOPT")

# %% [markdown]
# What people use instead is one trapezoidal profile for all joints, with the largest acceleration
# at which no torque leaves its limits.

# %%
profiles = [Trapezoidal(start, goal, velocity=velocity, acceleration=a) for a in range(1, 31)]
usual = profiles[0]
for profile in profiles:
    motion = profile.sampled(np.linspace(0, profile.duration, 500))
    if (np.abs(arm.inverse_dynamics(*motion)) <= effort).all():
        usual = profile
print(f"trapezoid {usual.duration:.2f} s, fastest on a line {line.duration:.2f} s, free {T:.2f} s")
assert T < line.duration < usual.duration

# %% [markdown]
# Is it true? The same torques in qddot's own simulation, by another method and with short steps:

# %%
held_torques = np.vstack([best, best[-1:]])
torque = qddot.Samples(np.linspace(0, T, pieces + 1), held_torques, between="hold")
run = qddot.simulate(arm, start, torque=torque, duration=T)
print(f"{np.abs(run.q[-1] - goal).max():.1e} rad off, at {np.abs(run.qd[-1]).max():.1e} rad/s")
assert np.abs(run.q[-1] - goal).max() < 1e-3
assert np.abs(run.qd[-1]).max() < 1e-2
assert (np.abs(best) <= effort * (1 + 1e-6)).all()
assert (np.abs(run.qd) <= velocity * 1.001).all()
run

# %% [markdown]
# At nearly every instant some motor gives all it has, or some joint is as fast as it may be.

# %%
speeds = found.value(states)[3:, 1:].T
busy = (np.abs(best) > 0.99 * effort).any(axis=1) | (np.abs(speeds) > 0.99 * velocity).any(axis=1)
print(f"some limit is in use for {busy.mean():.0%} of the time")
assert busy.mean() > 0.9
