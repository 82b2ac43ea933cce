"""Shared parts of table learners: indices, selection, schedules, replay, sorted positions."""
