"""What is wrong with a robot's description, and whether other engines read it the same."""

from qddot.doctor.compare import Comparison
from qddot.doctor.examine import Examination, examine
from qddot.on_demand import on_demand

__all__ = ["Comparison", "Examination", "examine"]
SHOWN = "qddot.present.terminal.examination"
__getattr__, __dir__ = on_demand(__name__, {"print_examination": SHOWN, "report_lines": SHOWN})
