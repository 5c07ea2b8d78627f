# %% [markdown]
# # In JAX: vmap, grad, and a motion of least effort
#
# The same quantities as functions of JAX arrays, to be jitted, mapped and differentiated.
# Derivatives are programs of their own, so none is traced through a recursion.
# You shape a motion by its gradient until the motors work as little as they can.
# Install it with `pip install '.[jax]'`.

# %%
import jax
import jax.numpy as jnp
import numpy as np
from scipy.optimize import minimize

import qddot

jax.config.update("jax_enable_x64", True)  # else JAX computes in float32

robot = qddot.load("panda")
panda = qddot.to_jax(robot)
q, qd, qdd = jnp.asarray(np.random.default_rng(0).normal(size=(3, 1000, 7)))

tau = jax.jit(jax.vmap(panda.inverse_dynamics))(q, qd, qdd)
print("a batch of torques:", tau.shape, tau.dtype)
assert np.allclose(tau, robot.inverse_dynamics(*map(np.asarray, (q, qd, qdd))), atol=1e-10)
robot

# %% [markdown]
# Derivatives of any order, forward and in reverse: the gradient of the potential energy is the
# torque of gravity, and its Hessian is how stiff gravity is.

# %%
gravity = jax.vmap(jax.grad(panda.potential_energy))(q)
assert np.allclose(gravity, jax.vmap(panda.gravity_torque)(q), atol=1e-10)
stiffness = jax.vmap(jax.hessian(panda.potential_energy))(q)
slope = jax.vmap(jax.jacfwd(panda.gravity_torque))(q)
assert np.allclose(stiffness, slope, atol=1e-9)
print("stiffness of gravity [N·m/rad]:", np.linalg.eigvalsh(stiffness[0]).round(2))

# %% [markdown]
# A motion from rest to rest in 2 s: a straight line in the joints, and waves that vanish with their
# rates at both ends. Their 21 amplitudes are to be found. Effort is the mean square of the torques,
# each in parts of what its motor may give; amplitudes have a small price, to stay near the line.

# %%
start = jnp.array([0.0, -0.3, 0.0, -2.2, 0.0, 2.0, 0.8])
goal = jnp.array([1.0, 0.8, 0.0, -1.5, 0.0, 1.0, 0.0])
motors, duration = jnp.array([87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0]), 2.0  # [N·m], [s]
instants = jnp.linspace(0.0, duration, 101)


def motion(t, amplitudes):
    s = t / duration
    line = start + (goal - start) * s**3 * (10 - 15 * s + 6 * s**2)
    waves = jnp.sin(jnp.pi * s) ** 2 * jnp.sin(jnp.pi * jnp.arange(1, 4) * s)
    return line + waves @ amplitudes.reshape(3, 7)


@jax.jit
def torques(amplitudes):
    """JAX differentiates the motion by time; the dynamics take a batch as they are."""
    rate = jax.jacfwd(motion)
    each = [jax.vmap(f, (0, None)) for f in (motion, rate, jax.jacfwd(rate))]
    return panda.inverse_dynamics(*(f(instants, amplitudes) for f in each))


def effort(amplitudes):
    return ((torques(amplitudes) / motors) ** 2).sum(axis=1).mean()


def price(amplitudes):
    return effort(amplitudes) + 0.05 * (amplitudes**2).sum()


found = minimize(jax.jit(jax.value_and_grad(price)), np.zeros(21), jac=True, method="BFGS")
before, after = effort(np.zeros(21)), effort(found.x)
print(f"effort {before:.4f} on the line, {after:.4f} after {found.nit} steps: {found.message}")
assert after < 0.8 * before

# %% [markdown]
# Most of it was won by folding the elbow on the way. Every joint stays within its range:

# %%
path = np.asarray(jax.vmap(motion, (0, None))(instants, found.x))
print("amplitudes [rad]:", np.abs(found.x.reshape(3, 7)).max(axis=0).round(2))
print("largest torque [N·m]:", np.abs(np.asarray(torques(found.x))).max(axis=0).round(1))
assert (path > robot.limits.lower).all()
assert (path < robot.limits.upper).all()
