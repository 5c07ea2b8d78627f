"""How results look: in a notebook, on a terminal, as a figure, as a page, as a report of a robot.

Results do not import this room: they name what they need of it to `qddot.results`.
"""
