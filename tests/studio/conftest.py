"""A studio that the tests of all modules share, and a page of it."""

import pytest


@pytest.fixture(scope="session")
def studio():
    from studio_page import studio_of

    with studio_of(port=0) as running:
        yield running


@pytest.fixture
def page(studio):
    from studio_talk import talking

    with talking(studio) as talk:
        yield talk
