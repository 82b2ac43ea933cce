"""Settings of all tests."""

from hypothesis import settings

# The first call of a compiled function takes as long as its compilation.
settings.register_profile("default", deadline=None)
settings.load_profile("default")
