"""Settings of all tests."""

import signal

from hypothesis import settings

# The first call of a compiled function takes as long as its compilation.
settings.register_profile("default", deadline=None)
settings.load_profile("default")

# A process that a shell starts in the background ignores Ctrl-C, and so would its children.
signal.signal(signal.SIGINT, signal.default_int_handler)
