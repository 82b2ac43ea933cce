"""Tests of the packages, the manual and the benchmarks."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The checkout."""
