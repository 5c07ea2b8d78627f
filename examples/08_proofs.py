# %% [markdown]
# # Proofs, and where a wrong claim fails
#
# What textbooks claim of a robot's equations is an identity of polynomials, so it can be decided.
# You prove all of it for a UR5, exactly.
# A sign that is wrong is found, with a state at which the two sides differ.

# %%
import qddot
from qddot.equations import decided, exact_of

proof = qddot.prove(qddot.load("ur5"))
print(f"{proof.robot}: {len(proof.claims)} claims, all as they should be: {proof.holds}")
assert proof.holds
proof

# %% [markdown]
# A slip in a lecture: is C q̇ still c if one sign of C is wrong?

# %%
robot = exact_of(qddot.load("two_link_point_symbolic"))
eqs = qddot.derive(robot.model)
C = eqs.coriolis_matrices()["transposed"]
C[1, 1] = -C[1, 1]
claim = decided("C q̇ = c with a wrong sign", lambda: (C @ robot.qd, eqs.c))
print(claim)
assert not claim.holds
assert "differ by" in claim.witness
claim
