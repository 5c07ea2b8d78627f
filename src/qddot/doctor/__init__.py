"""What is wrong with a robot's description, and whether other engines read it the same."""

from qddot.doctor.compare import Comparison
from qddot.doctor.examine import Examination, examine
from qddot.doctor.text import print_examination, report_lines

__all__ = ["Comparison", "Examination", "examine", "print_examination", "report_lines"]
