"""Adapters for libraries that train on these games, one module each.

Other libraries, such as Tianshou and SuperSuit, take the environments as they are. Policies trained
by any library are scored as functions by :func:`nim_envs.optimality`. Nothing here is imported with
the package.
"""
