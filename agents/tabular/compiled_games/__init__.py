"""The fast path: whole games of self-play in compiled code."""
