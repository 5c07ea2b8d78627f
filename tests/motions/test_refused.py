"""Motions and paths that are refused: the rows of refusals/motions.toml."""

from refused import calls, check


@calls("motions")
def test_what_cannot_be_right_is_refused(call, error, said):
    check("motions", call, error, said)
