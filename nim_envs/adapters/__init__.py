"""Adapters for libraries that train on these games, one module each.

A library that is not here takes the environments as they are: Tianshou, SuperSuit. What any of
them has trained, :func:`nim_envs.optimality` scores as a function. Nothing here is imported with
the package.
"""
