"""Exercises: made arms with questions, solutions and a key that grades answers."""

from typing import TYPE_CHECKING

from qddot.on_demand import on_demand

if TYPE_CHECKING:
    from qddot.exercises.questions import Exercise as Exercise, exercise as exercise

__getattr__, __dir__ = on_demand(__name__, {"qddot.exercises.questions": "Exercise exercise"})
