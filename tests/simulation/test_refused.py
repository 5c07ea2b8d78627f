"""Runs and rollouts that are refused: the rows of refusals/simulation.toml."""

from refused import calls, check


@calls("simulation")
def test_what_cannot_be_right_is_refused(call, error, said):
    check("simulation", call, error, said)
