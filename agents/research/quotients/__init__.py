"""Quotients of sums, learned from self-play: classes of positions equivalent in every sum."""
