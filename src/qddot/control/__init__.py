"""Control: where an arm should go, laws that take it there, and why they do."""

from qddot.control.closed_loop import ClosedLoop, closed_loop

__all__ = ["ClosedLoop", "closed_loop"]
