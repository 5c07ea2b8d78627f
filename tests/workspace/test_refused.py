"""Questions about a workspace that are refused: the rows of refusals/workspace.toml."""

from refused import calls, check


@calls("workspace")
def test_what_cannot_be_right_is_refused(call, error, said):
    check("workspace", call, error, said)
