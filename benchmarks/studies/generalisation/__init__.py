"""Learners trained on small boards and scored on unseen boards."""
