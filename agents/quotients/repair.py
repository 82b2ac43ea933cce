"""Repair of classes that were too coarse."""

from __future__ import annotations

from collections import Counter

from agents.quotients.exam import Exam
from agents.quotients.generators import Generators
from agents.quotients.observation_table import ObservationTable
from agents.quotients.parts import Word
from agents.quotients.quotient import Quotient
from agents.quotients.self_play import Games


def repaired(
    before: Quotient, last: int, empty_lost: bool, games: Games, most_classes: int
) -> tuple[Quotient, Exam]:
    """Return classes of sums of the first parts, and an exam that they passed.

    What of the old classes is kept at first is that some parts are as good as sums of others,
    the generators, and some numbers of copies as good as fewer. A sum that the exam finds either
    shows the observation table what it has to tell apart, or contradicts one of these equations;
    then others take its place that hold of the classes found by then.

    Args:
        before: classes that were found too coarse.
        last: the last of the parts.
        empty_lost: whether the empty position is lost.
        games: the games that may be played.
        most_classes: the most classes.

    Raises:
        NoMoreGamesError: there are no more games.
        HypothesisError: there are too many classes, or too much to read.
    """
    parts = before.parts
    quotient, experiments = before, list[Word]()
    refuted: set[tuple[Word, Word]] = set()
    while True:
        equations = _equations(quotient, refuted)
        generators = Generators(parts, last, equations)
        table = ObservationTable(
            generators, experiments, 2 * before.order + 64, empty_lost, games, most_classes
        )
        while True:
            contradicted = table.close()
            if contradicted is not None:
                break
            elements = [table.class_of(generators.of((part,))) for part in range(last + 1)]
            quotient = Quotient(parts, table.products(), tuple(elements), table.lost())
            exam = Exam(quotient, games)
            wrong = exam.counterexample(quotient, 0)
            if wrong is None:
                return quotient, exam
            if not _learned(table, [wrong, *_options(quotient, wrong)]):
                # The sum contradicts an equation that was used for it.
                contradicted = [left for left in equations if not Counter(left) - Counter(wrong)][
                    -1
                ]
                break
        refuted.add((contradicted, equations[contradicted]))
        experiments = table.experiments()


def _equations(quotient: Quotient, refuted: set[tuple[Word, Word]]) -> dict[Word, Word]:
    """Return sums that are as good as others of earlier parts, or as fewer copies of a part.

    First those of copies, then those of single parts, in ascending order; none that is refuted.
    """
    found: dict[Word, Word] = {}
    generators: list[int] = []
    words = quotient.words_of(generators)
    for part, element in enumerate(quotient.elements):
        if element in words and ((part,), words[element]) not in refuted:
            found[part,] = words[element]
        else:
            generators.append(part)
            words = quotient.words_of(generators)
    copies: dict[Word, Word] = {}
    for part in generators:
        start, period = quotient.powers(quotient.elements[part])
        left, right = (part,) * (start + period), (part,) * start
        if (left, right) not in refuted:
            copies[left] = right
    return copies | found


def _learned(table: ObservationTable, words: list[Word]) -> bool:
    """Return whether a table has learned something from one of several sums."""
    return any(table.learn_from(table.generators.of(word)) for word in words)


def _options(quotient: Quotient, word: Word) -> list[Word]:
    """Return the options of a sum."""
    return [
        tuple(sorted((*word[:place], *left, *word[place + 1 :])))
        for place, part in enumerate(word)
        for left in quotient.parts.options[part]
    ]
