"""Published systems under their own settings, beside the learners of ``agents``."""
