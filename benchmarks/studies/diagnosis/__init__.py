"""Agents with known faults, and right ones, as the diagnosis by probe games judges them."""
