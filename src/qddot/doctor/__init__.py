"""What is wrong with a robot's description, and whether other engines read it the same.

`qddot.doctor("arm.urdf")` is `examine`.
"""

from typing import TYPE_CHECKING

from qddot.on_demand import on_demand

if TYPE_CHECKING:
    from qddot.doctor.examination import (
        Examination as Examination,
        examine as examine,
        print_examination as print_examination,
        report_lines as report_lines,
    )
    from qddot.doctor.compare import PeerComparison as PeerComparison

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "qddot.doctor.examination": "Examination examine print_examination report_lines",
        "qddot.doctor.compare": "PeerComparison",
    },
    verb="examine",
)
