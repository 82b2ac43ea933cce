"""The learners, one in each file."""
