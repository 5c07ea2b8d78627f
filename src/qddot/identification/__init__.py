"""Parameters from measurements: what can be known, what is, how well, and back into a robot."""
