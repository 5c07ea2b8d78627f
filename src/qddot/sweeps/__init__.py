"""Many runs of one robot: planned, shared out over cores or a cluster, kept as they finish."""

from typing import TYPE_CHECKING

from qddot.on_demand import on_demand

if TYPE_CHECKING:
    from qddot.sweeps.running import sweep as sweep
    from qddot.sweeps.result import Sweep as Sweep, load_sweep as load_sweep
    from qddot.sweeps.plan import Plan as Plan
    from qddot.sweeps.summary import Spread as Spread, Summary as Summary
    from qddot.errors import BadPlan as BadPlan, CannotWrite as CannotWrite, CrewLost as CrewLost

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "qddot.sweeps.running": "sweep",
        "qddot.sweeps.result": "Sweep load_sweep",
        "qddot.sweeps.plan": "Plan",
        "qddot.sweeps.summary": "Spread Summary",
        "qddot.errors": "BadPlan CannotWrite CrewLost",
    },
)
