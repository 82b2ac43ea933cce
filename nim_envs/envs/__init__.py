"""Environments of a game: turn-based, against an opponent, and batched."""
