"""Motion from torques: one arm accurately, many arms quickly, with an energy balance.

One `equation` of motion for all of them, whose parameters may be given later (`varied`).

One run, `simulate`: what acts on the arm (`signals`, `acting`), the recorded equation bound to it
(`plant`), which joints are held, slip or hit a stop (`contact`), smooth pieces and what happens
between them (`run`, `endings`), stepped by a `method` (`solvers`), kept as a `trajectory`
(`result`) whose energy is accounted for (`energy`).

Many runs, `rollout`: steps of fixed length (`steps`) that compiled code repeats. A controller on a
computer, of one arm or many: `acting.sampled`.
"""

from typing import TYPE_CHECKING

from qddot.on_demand import on_demand

if TYPE_CHECKING:
    from qddot.errors import Interrupted as Interrupted, SimulationWarning as SimulationWarning
    from qddot.simulation.simulation import simulate as simulate
    from qddot.simulation.rollouts import Rollout as Rollout, rollout as rollout
    from qddot.simulation.endings import Watch as Watch
    from qddot.simulation.signals import Samples as Samples
    from qddot.simulation.trajectory import Event as Event, Trajectory as Trajectory
    from qddot.simulation.energy import Energy as Energy
    from qddot.simulation.energy import Audit as Audit

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "qddot.errors": "Interrupted SimulationWarning",
        "qddot.simulation.simulation": "simulate",
        "qddot.simulation.rollouts": "Rollout rollout",
        "qddot.simulation.endings": "Watch",
        "qddot.simulation.signals": "Samples",
        "qddot.simulation.trajectory": "Event Trajectory",
        "qddot.simulation.energy": "Audit Energy",
    },
)
