"""What table learners share: indices, selection, schedules, replay, symmetry."""
