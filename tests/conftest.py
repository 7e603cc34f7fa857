"""Settings shared by all Python tests."""

from hypothesis import settings

# The same examples on every run, and no wall-clock limit: a busy machine must not fail a test.
settings.register_profile("cellway", deadline=None, derandomize=True)
settings.load_profile("cellway")
