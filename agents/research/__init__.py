"""Learners that choose their own games and play boards that they have not seen."""
