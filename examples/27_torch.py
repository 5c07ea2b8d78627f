# %% [markdown]
# # In PyTorch: a network learns friction through the dynamics
#
# The arm is known, its friction is not: there is no formula for it, only measured motions.
# A small network stands for friction, and its error is seen through forward dynamics, which are
# differentiated by programs of their own. What was learnt is then held against the truth, and
# predicts a motion that nobody measured. Install it with `pip install '.[torch]'`.

# %%
import numpy as np
import torch

import qddot

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)  # tensors as small as these gain nothing from more

robot = qddot.load("two_link").without("friction")
arm = qddot.to_torch(robot)
robot

# %% [markdown]
# What is measured: states, torques, and the accelerations that follow, with noise. The true
# friction is largest at low speed and falls before it rises (Stribeck's curve). Nobody tells the
# network.


# %%
def true_friction(qd):
    stribeck = 30 + 40 * torch.exp(-((qd / 0.3) ** 2))
    return stribeck * torch.tanh(qd / 0.05) + 15 * qd


states = 4000
q = torch.rand(states, 2) * 6 - 3
qd = torch.rand(states, 2) * 4 - 2
tau = torch.randn(states, 2) * 200
measured = arm.forward_dynamics(q, qd, tau - true_friction(qd)) + 0.05 * torch.randn(states, 2)

# %% [markdown]
# One network for both joints, odd because friction is. It learns from accelerations alone: the
# gradient comes back through M⁻¹.

# %%
network = torch.nn.Sequential(
    torch.nn.Linear(1, 32), torch.nn.Tanh(), torch.nn.Linear(32, 32), torch.nn.Tanh(),
    torch.nn.Linear(32, 1),
)  # fmt: skip


def friction(qd):
    rate = qd.unsqueeze(-1)
    return 50 * (network(4 * rate) - network(-4 * rate)).squeeze(-1)


optimiser = torch.optim.Adam(network.parameters(), lr=1e-2)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, 300)
for _ in range(300):
    some = torch.randint(states, (512,))
    predicted = arm.forward_dynamics(q[some], qd[some], tau[some] - friction(qd[some]))
    loss = (predicted - measured[some]).square().mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    schedule.step()
print(f"accelerations off by {loss.sqrt():.3f} rad/s² (RMS); the noise is 0.05")
assert loss.sqrt() < 0.15

# %%
rates = torch.linspace(-2, 2, 81)
with torch.no_grad():
    error = (friction(rates) - true_friction(rates)).abs()
print(f"friction off by {error.mean():.2f} N·m on average, of up to 60 N·m")
assert error.mean() < 3

# %% [markdown]
# A motion that was not measured: the arm falls from rest for half a second.
# A PyTorch loop over steps is slow beside `qddot.rollout`, but a gradient passes through it.


# %%
def fall(q, qd, resistance, steps=250, h=2e-3):
    for _ in range(steps):
        qd = qd + h * arm.forward_dynamics(q, qd, -resistance(qd))
        q = q + h * qd
    return q


start = torch.tensor([[0.3, 0.4], [1.0, -0.5]], requires_grad=True)
truth = fall(start, torch.zeros(2, 2), true_friction)
learnt = fall(start, torch.zeros(2, 2), friction)
without = fall(start, torch.zeros(2, 2), torch.zeros_like)
off, ignorant = (learnt - truth).abs().max(), (without - truth).abs().max()
print(f"after 0.5 s: {off:.4f} rad off with what was learnt, {ignorant:.4f} rad without friction")
assert off < 0.1 * ignorant

(slope,) = torch.autograd.grad(learnt[0, 0], start)
print("how the first angle depends on where both started:", np.round(slope[0].numpy(), 3))
assert (slope[1] == 0).all()  # the other arm has no part in it
