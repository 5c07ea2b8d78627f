"""Inverse kinematics that is refused: the rows of refusals/kinematics.toml."""

from refused import calls, check


@calls("kinematics")
def test_what_cannot_be_right_is_refused(call, error, said):
    check("kinematics", call, error, said)
