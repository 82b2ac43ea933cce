"""Learners of other libraries on the same boards, scored exactly."""
