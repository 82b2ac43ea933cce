"""The command line ``python -m agents``."""
