"""Motion from torques: one arm accurately, many arms quickly, with an account of every joule.

One `equation` of motion for all of them, whose parameters may be given later (`varied`).

One run, `simulate`: what acts on the arm (`signals`, `law`), the recorded equation bound to it
(`plant`), which joints are held or slip (`switching`, `complementarity`),
smooth pieces and what happens between them (`run`, `crossing`), stepped by a `method` (`solvers`),
kept as a `trajectory` (`result`) whose energy is accounted for (`energy`, `audit`).

Many runs, `rollout`: steps of fixed length (`steps`) that compiled code repeats.
"""

from qddot.on_demand import on_demand

__getattr__, __dir__ = on_demand(__name__, {}, ("audit", "energy", "trajectory"))
