"""What some libraries need to train on these games; each module is for one library.

A library that is not here takes the environments as they are: Tianshou, Stable-Baselines3 with
sb3-contrib, SuperSuit. Nothing here is imported with the package.
"""
