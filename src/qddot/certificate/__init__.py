"""Properties and bounds of a robot's dynamics that one can rely on, with how each is known."""
