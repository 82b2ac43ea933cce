"""Observation table of sums, filled by self-play: the algorithm L* for commutative words."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from agents.base import HypothesisError
from agents.research.quotients.generators import Counts, Generators
from agents.research.quotients.outcomes import GameBudget, OutcomeFinder
from nim_envs.cgt.misere_quotients.parts import Word
from nim_envs.typing import BoolArray, IntArray


class ObservationTable:
    """A table of sums of generators: its entries are their outcomes with *experiments* added.

    There is a row for each class found so far, and for each class with a generator added.
    Experiments are added until the class after two generators does not depend on their order.

    Attributes:
        steps: the class after a generator is added, ``(classes, generators)``.

    References:
        D. Angluin, "Learning regular sets from queries and counterexamples", *Information and
        Computation* 75 (1987), 87-106; a counterexample adds one experiment, after R. L. Rivest
        and R. E. Schapire, "Inference of finite automata using homing sequences", *Information
        and Computation* 103 (1993), 299-347.
    """

    def __init__(
        self,
        generators: Generators,
        experiments: Iterable[Word],
        lost: dict[bytes, bool],
        budget: GameBudget,
        most_classes: int,
    ) -> None:
        self.generators = generators
        self._most_classes = most_classes
        size = len(generators.chosen)
        empty = np.zeros(size, dtype=np.uint8)
        self._play = OutcomeFinder(
            lambda position: budget.random_rotation(generators.options(position)),
            lost,
            budget,
        )
        self._experiments = [empty.astype(np.int64)]
        self._lengths = [0]
        for word in experiments:
            self._add(generators.of(word).astype(np.int64))
        self._rows: dict[bytes, list[bool]] = {}
        self._examples = [empty]
        self.steps: IntArray = np.zeros((1, size), dtype=np.int64)
        self._single = np.eye(size, dtype=np.int64)

    def experiments(self) -> list[Word]:
        """Return experiments that distinguish all classes, those with short play first."""
        by_length = sorted(range(len(self._experiments)), key=self._lengths.__getitem__)
        rows = np.array([self._row(example) for example in self._examples])
        number, needed = np.zeros(len(rows), dtype=np.int64), []
        for place in by_length:
            finer = np.unique(2 * number + rows[:, place], return_inverse=True)[1].reshape(-1)
            if finer.max() > number.max():
                number = finer
                needed.append(self.generators.word(self._experiments[place]))
        return needed

    def _add(self, experiment: npt.NDArray[np.int64]) -> bool:
        """Add an experiment; return whether it is new."""
        folded = self.generators.folded(experiment).astype(np.int64)
        if any((folded == known).all() for known in self._experiments):
            return False
        self._experiments.append(folded)
        self._lengths.append(self.generators.length(folded))
        return True

    def is_lost(self, counts: Counts) -> bool:
        """Return whether a sum of generators is lost, playing games until that is known."""
        return self._play.is_lost(counts.tobytes())

    def _row(self, counts: Counts) -> list[bool]:
        """Return the outcomes of a sum with each experiment added."""
        row = self._rows.setdefault(counts.tobytes(), [])
        if len(row) < len(self._experiments):
            more = self._experiments[len(row) :]
            for position in self.generators.folded(np.array(more) + counts):
                row.append(self._play.is_lost(position.tobytes()))
        return row

    def close(self) -> None:
        """Add classes and experiments until the table defines the sums of classes."""
        self._find_classes()
        while self._add_experiment():
            self._find_classes()

    def _find_classes(self) -> None:
        """Compute the rows of all classes with a generator added; new rows are new classes."""
        classes = {tuple(self._row(example)): index
                   for index, example in enumerate(self._examples)}  # fmt: skip
        steps: list[list[int]] = []
        while len(steps) < len(self._examples):
            example = self._examples[len(steps)]
            step = []
            for longer in self.generators.folded(example + self._single):
                row = tuple(self._row(longer))
                if row not in classes:
                    classes[row] = len(self._examples)
                    self._examples.append(longer)
                    if len(self._examples) > self._most_classes:
                        raise HypothesisError(f"there are more than {self._most_classes} classes")
                step.append(classes[row])
            steps.append(step)
        self.steps = np.array(steps, dtype=np.int64)

    def _add_experiment(self) -> bool:
        """Add an experiment if the class after two generators depends on their order."""
        for one in range(len(self._single)):
            # steps[steps[:, one], other] against steps[steps[:, other], one], for all others.
            first, second = self.steps[self.steps[:, one]], self.steps[:, one][self.steps]
            differing = np.argwhere(first != second)
            if not len(differing):
                continue
            start, other = differing[0].tolist()
            by_one = self._examples[self.steps[start, one]] + self._single[other]
            by_other = self._examples[self.steps[start, other]] + self._single[one]
            rows = [self._row(self.generators.folded(counts)) for counts in (by_one, by_other)]
            place = min(
                (place for place, pair in enumerate(zip(*rows, strict=True)) if pair[0] != pair[1]),
                key=self._lengths.__getitem__,
            )
            experiment = self._experiments[place]
            both = self._examples[start] + self._single[one] + self._single[other] + experiment
            truth = self.is_lost(self.generators.folded(both))
            wrong = other if rows[0][place] != truth else one
            return self._add(experiment + self._single[wrong])
        return False

    def class_of(self, counts: Counts) -> int:
        """Return the class of a sum of generators, by ``steps``."""
        return int(self._after(np.array(0), counts))

    def _after(self, classes: IntArray, counts: Counts) -> IntArray:
        """Return the classes after a sum of generators is added to each of ``classes``."""
        for column in _columns(counts):
            classes = self.steps[classes, column]
        return classes

    def lost(self) -> BoolArray:
        """Return whether each class is lost, ``(classes,)``."""
        return np.array([self._row(example)[0] for example in self._examples])

    def products(self) -> IntArray:
        """Return the class of the sum of two classes, ``(classes, classes)``."""
        table = np.empty((len(self._examples),) * 2, dtype=np.int64)
        for index, example in enumerate(self._examples):
            table[:, index] = self._after(np.arange(len(self._examples)), example)
        return table

    def learn_from(self, counts: Counts) -> bool:
        """Add the experiment that a sum shows to be missing, if any; return whether one was."""
        number, before = 0, self.is_lost(counts)
        rest = counts.astype(np.int64)
        for column in _columns(counts):
            rest = rest - self._single[column]
            number = int(self.steps[number, column])
            after = self.is_lost(self.generators.folded(self._examples[number] + rest))
            if after != before:
                return self._add(rest)
        return False


def _columns(counts: Counts) -> list[int]:
    """Return the columns of the generators in a sum, each repeated once per copy."""
    return np.repeat(np.arange(len(counts)), counts).tolist()
