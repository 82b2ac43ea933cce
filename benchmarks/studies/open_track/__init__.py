"""The open track: learners after few games from one start, on that board and on a larger one."""
