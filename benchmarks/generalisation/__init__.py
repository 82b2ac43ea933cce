"""Learners trained on small boards and scored on boards that they have not seen."""
