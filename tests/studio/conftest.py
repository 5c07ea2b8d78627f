"""A studio that the tests of a module share, and a page of it."""

import pytest


@pytest.fixture(scope="module")
def studio():
    from qddot.studio import Studio

    with Studio(port=0) as running:
        yield running


@pytest.fixture
def page(studio):
    from studio_talk import talking

    with talking(studio) as talk:
        yield talk
