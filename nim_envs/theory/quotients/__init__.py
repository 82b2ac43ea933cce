"""Misère quotients: found heap by heap, proven by other code, and of all heaps where periodic."""
