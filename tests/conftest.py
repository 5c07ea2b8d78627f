"""Hypothesis: no deadline, because kernels compile on first use; fixed examples in CI.

A browser, where tests open one, ends with their module.
"""

import os

import browser
import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture(scope="module", autouse=True)
def browser_ends_with_its_module():
    """Close the browser, if the module's tests opened one, and with it its event loop."""
    yield
    browser.close()
