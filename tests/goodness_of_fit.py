"""The chi-squared test, without the rest of SciPy's statistics, which take long to import."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc


def p_value(counts: ArrayLike, expected: ArrayLike | None = None) -> float:
    """Return the probability of counts that are as far from the expected ones, or farther."""
    counts = np.asarray(counts, float)
    expected = np.full(len(counts), counts.mean()) if expected is None else np.asarray(expected)
    assert counts.shape == expected.shape
    assert np.isclose(counts.sum(), expected.sum())
    return float(chdtrc(len(counts) - 1, ((counts - expected) ** 2 / expected).sum()))
