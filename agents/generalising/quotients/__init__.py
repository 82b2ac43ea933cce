"""Quotients of sums, learned from self-play: classes of positions that can stand for each other."""
