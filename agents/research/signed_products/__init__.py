"""Signed products over bits: a network that plays larger boards, and its training."""
