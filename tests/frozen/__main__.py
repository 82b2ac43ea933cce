"""Compare with the frozen files: ``python -m tests.frozen [NAME ...]``.

``python -m tests.frozen --write [NAME ...]`` writes them anew: only for an issue that says which
behaviour changes.
"""

import sys
import time

from tests.frozen.files import NAMES, differences, write


def main(arguments: list[str]) -> int:
    """Compare or write the records of some names, or of all; return the number of differences."""
    names = [argument for argument in arguments if argument != "--write"] or list(NAMES)
    count = 0
    for name in names:
        began = time.process_time()
        if "--write" in arguments:
            found, done = [], "written"
            write((name,))
        else:
            found, done = differences(name), "equal"
        count += len(found)
        said = f"{len(found)} fields differ" if found else done
        print(f"{name}: {said} ({time.process_time() - began:.2f} s CPU)", flush=True)
        for difference in found:
            print(f"  {difference}", flush=True)
    return count


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
