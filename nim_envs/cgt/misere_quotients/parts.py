"""The parts of a sum, each known by its options."""

from collections.abc import Iterable, Iterator

Word = tuple[int, ...]
"""A sum of parts, in ascending order; the empty sum has no move."""


class Parts:
    """The parts of a sum, each by its options; parts with the same options are one part.

    Parts are integers from 0, and an option is a list of earlier parts in ascending order.
    Parts without a move do not change who wins and are left out.
    """

    def __init__(self) -> None:
        self.options: list[tuple[Word, ...]] = []
        self.lengths: list[int] = []  # longest play of each part
        self._indices: dict[tuple[Word, ...], int] = {}

    def index(self, options: Iterable[Word]) -> int:
        """Return the index of the part with these options, a new one if there is none."""
        distinct = tuple(sorted({tuple(sorted(option)) for option in options}))
        index = self._indices.setdefault(distinct, len(self.options))
        if index == len(self.options):
            self.options.append(distinct)
            longest = max(sum(self.lengths[part] for part in option) for option in distinct)
            self.lengths.append(1 + longest)
        return index

    def options_of(self, word: Word) -> Iterator[Word]:
        """Yield the options of a sum of parts, as sums of parts."""
        for place, part in enumerate(word):
            for left in self.options[part]:
                yield tuple(sorted((*word[:place], *left, *word[place + 1 :])))
