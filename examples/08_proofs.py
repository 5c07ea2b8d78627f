"""Prove what textbooks claim of a robot, and find where a wrong claim fails."""

import qddot
from qddot.equations.derive import exact_of
from qddot.equations.proofs import decided

proof = qddot.prove(qddot.load("ur5"))
for claim in proof.claims:
    print(claim)
assert proof.holds

# a slip in a lecture: is C q̇ still c if one sign of C is wrong?
robot = exact_of(qddot.load("two_link_point_symbolic"))
eqs = qddot.derive(robot.model)
C = eqs.coriolis_matrices()["transposed"]
C[1, 1] = -C[1, 1]
claim = decided(robot, "C q̇ = c with a wrong sign", lambda: (C @ robot.qd, eqs.c))
print(claim)
assert not claim.holds
assert "differ by" in claim.witness
