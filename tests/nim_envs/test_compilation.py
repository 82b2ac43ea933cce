"""Numba's cache where no folder can be written."""

PROGRAM = """
import warnings
from nim_envs.compilation import compiled

with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    def twice(x):
        return 2 * x
    assert compiled(twice)(3) == 6
print(sum(issubclass(each.category, RuntimeWarning) for each in warned))
"""


def test_without_a_folder_for_the_cache_one_warning_is_given_and_all_works(forks):
    # Code that is in no file has no folder for its cache.
    assert forks.output(PROGRAM) == ["1"]
