"""The pages of the manual that are made from the project itself, and the addresses it shows.

The rest of the manual is written by hand in ``docs``; plugins of MkDocs document the API and the
commands, and check links.
"""
