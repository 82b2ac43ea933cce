"""The command line ``python -m nim_envs``."""
