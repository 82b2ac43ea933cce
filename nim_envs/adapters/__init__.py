"""What some libraries need to train on these games; each module is for one library.

A library that is not here takes the environments as they are: Tianshou, SuperSuit. What any of
them has trained, :func:`nim_envs.optimality` scores as a function. Nothing here is imported with
the package.
"""
