"""The learner of column automata: it finds an automaton that claims who wins, and proves it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from agents.base import AfterGame, HypothesisError
from agents.learners.q_learning import QLearning
from agents.research.base import GeneralisingLearner
from agents.research.column_automata import (
    ColumnAutomaton,
    Outcome,
    Verdict,
    move_to_lost,
    prove,
)
from agents.research.column_automata.contradictions import (
    by_size,
    contradicts,
    examine,
    random_board,
)
from agents.research.column_automata.heaps import HeapRules, Heaps, heap_rules
from agents.research.column_automata.labels import (
    LookAheadLabels,
    labels_from_values,
    play_game,
)
from agents.research.column_automata.state_merging import (
    ContradictionError,
    labelled_words,
    merged_automaton,
)
from agents.research.look_ahead import LookAheadPolicy
from agents.self_play import SelfPlay
from nim_envs import Game, GameEnv
from nim_envs.typing import FloatArray, IntArray
from nim_envs.validation import checked_choice

MOST_STATES, MOST_GUESSES = 50, 200
"""States of a guess, and guesses without a proof, after which learning is given up."""

GAMES_FROM_A_CONTRADICTION = 5
"""Most games played from a position at which the guess contradicts itself."""

CONTRADICTIONS_PLAYED = 3
"""Most contradictions of an exam from which games are played."""

FIRST_BLOCK = 64
"""Games of Q-learning before the first guess; each further block is half of the games so far."""

MOST_LABELS = 4000
"""Most positions whose labels by Q-learning are used; the smallest are taken first."""

EXAM_POSITIONS = 25
"""Most positions that an exam reads."""

LEAST_HEAPS, LEAST_BITS = 4, 4
"""Smallest limits on the heaps, and on the bits of a heap, of the boards of an exam."""

NO_AUTOMATON = ColumnAutomaton(np.zeros((1, 2), np.int64), np.zeros(1, np.bool_), True)
"""The automaton before anything is learned: it claims that no position is lost."""


class ColumnAutomatonPolicy(LookAheadPolicy):
    """Moves to a position that a column automaton claims to be lost; else to any."""

    def __init__(self, game: Game, automaton: ColumnAutomaton, rules: HeapRules) -> None:
        super().__init__(game)
        self.automaton = automaton
        self._rules = rules

    def loss_scores(self, positions: IntArray) -> FloatArray:
        """Return 1 where a position is claimed to be lost, else 0."""
        return self.automaton.is_lost(self._rules.sizes(positions)).astype(np.float64)

    def move(self, position: Sequence[int]) -> tuple[int, ...]:
        """Return the position after its move, for any number of heaps of any size.

        If no move leads to a position that is claimed to be lost, it takes one object from the
        largest heap.
        """
        sizes: list[int] = self._rules.sizes(position).tolist()
        if not any(sizes):
            raise ValueError(f"there is no move at {tuple(position)}")
        after = move_to_lost(self.automaton, self._rules.relation, sizes)
        if after is None:
            largest = sizes.index(max(sizes))
            after = (*sizes[:largest], sizes[largest] - 1, *sizes[largest + 1 :])
        return self._rules.position(after)


def _given(rules: HeapRules, labels: str) -> Iterator[str]:
    """Yield the learner's knowledge and assumptions, in words."""
    if labels == "look-ahead":
        yield "the rules, to look ahead"
    else:
        yield "the rules, in exam and proof alone: labels by Q-learning"
    yield "heaps are read as aligned bits, column by column"
    yield f"{'' if rules.ordered else 'the order of heaps and '}empty heaps do not count"
    if rules.ordered:
        yield "that zeros change nothing is tried first"
    if any(limit is not None for limit in rules.limits):
        yield "a total is read as the objects left until its limit is exceeded"
    if rules.one_heap:
        yield "there is one of them on every board"


class ColumnAutomatonLearner(GeneralisingLearner):
    """Finds a finite automaton that tells who wins from the bits of all heaps, and proves it.

    Its hypothesis is that the lost positions form a regular language of the heaps' bits, read
    column by column. Labels of positions, lost or won, come from games against itself. An automaton
    that agrees with them is inferred by state merging, examined on larger random boards, and proved
    for every number of heaps of every size (in the addition game, for every limit). If the exam or
    the proof finds a contradiction, further games begin at that position. Learning stops when the
    proof succeeds.

    The games are Nim and bounded Nim, normal and misère, and the addition game, which is treated
    as a heap of the objects left until the limit is exceeded; a move takes 1 to ``k`` of them.

    Use it for games that take objects from heaps, where a solution learned on a small board is to
    be proved for all boards. If the most objects that a move may take is not one less than a power
    of two, no such automaton exists for several heaps, and it raises an error that says so. The
    addition game has a single total; it is learned with any ``k``.

    Args:
        game: Nim, bounded Nim or the addition game.
        letters: bits of a column that the automaton reads: ``"1 |"``, only the ones, so that the
            order of heaps and empty heaps cannot matter; or ``"0 1 |"``, every bit, where it first
            tries whether zeros can be ignored.
        labels: source of the labels: ``"look-ahead"``, by the rules, from the options of the
            positions in games; or ``"q-learning"``, the signs of the values that
            :class:`agents.QLearning` learns on the board of ``game`` without the rules.
        play_from: first positions of games by look-ahead: ``"anywhere"``, contradicted positions
            included; or ``"start"``, only the game's start.

    Attributes:
        automaton: the current guess, which claims which positions are lost.
        verdict: result of the last exam or proof, in words.

    Raises:
        HypothesisError: the moves of the game cannot be read bit by bit.
        ValueError: an argument out of its range.

    References:
        J. E. Hopcroft and J. D. Ullman, *Introduction to Automata Theory, Languages, and
        Computation* (1979), ch. 2 and 3. The idea of asking for a counterexample and going on from
        it: D. Angluin, "Learning regular sets from queries and counterexamples", *Information and
        Computation* 75 (1987), 87-106.

    Example:
        >>> from nim_envs import make_game
        >>> learner = ColumnAutomatonLearner(make_game("nim", heaps=(3, 3)))
        >>> learner.fit(learner.game, games=100, seed=0)
        >>> learner.size, learner.greedy().move((3, 4, 2**60 + 5))
        ('3 states', (3, 4, 7))
    """

    def __init__(
        self,
        game: Game,
        *,
        letters: Literal["1 |", "0 1 |"] = "1 |",
        labels: Literal["look-ahead", "q-learning"] = "look-ahead",
        play_from: Literal["anywhere", "start"] = "anywhere",
    ) -> None:
        checked_choice("letters", letters, ("1 |", "0 1 |"))
        checked_choice("labels", labels, ("look-ahead", "q-learning"))
        checked_choice("play_from", play_from, ("anywhere", "start"))
        super().__init__(game, {"letters": letters, "labels": labels, "play_from": play_from})
        self.rules = heap_rules(game, ordered=letters == "0 1 |")
        self.automaton = NO_AUTOMATON
        self.given = "; ".join(_given(self.rules, labels))
        self.verdict = "nothing was guessed yet"
        self._contradictions: list[Heaps] = []
        self._labels = LookAheadLabels(self.rules.options, self.rules.misere)
        self._examined = 0
        self._values: QLearning | None = None
        if labels == "q-learning":
            self._values = QLearning.for_env(GameEnv(game))

    @property
    def size(self) -> str:
        """Number of states of its automaton."""
        states = self.automaton.states
        return f"{states} state{'s' if states > 1 else ''}"

    def greedy(self, game: Game | None = None) -> ColumnAutomatonPolicy:
        """Return the policy of the current automaton; see :class:`agents.GameChoosingLearner`."""
        if game is None or game is self.game:
            return ColumnAutomatonPolicy(self.game, self.automaton, self.rules)
        rules = heap_rules(game, ordered=self.rules.ordered)
        # On a board without a heap above the bound, the rules do not show it.
        alike = rules.relation == self.rules.relation or (
            rules.relation.max_take is None
            and max(game.fields) - 1 <= (self.rules.relation.max_take or 0)
        )
        several = self.rules.one_heap and len(rules.limits) > 1  # of which one shows nothing
        if not alike or several or rules.misere != self.rules.misere:
            raise ValueError(f"this learner has learned {self._learned_game}, not {game.summary}")
        return ColumnAutomatonPolicy(
            game, self.automaton, replace(rules, relation=self.rules.relation)
        )

    @property
    def _learned_game(self) -> str:
        """The game that it learns, in words."""
        last = "loses" if self.rules.misere else "wins"
        return f"{self.rules.relation.in_words}; who takes the last object {last}"

    def describe(self) -> str:
        """Return the automaton as a diagram, and the proved statement in words."""
        result = f"not proved; last guess: {self.verdict}"
        if self.proof:
            result = f"proved: {self.proof}"
        lines = [f"game: {self._learned_game}", f"given: {self.given}", self.automaton.diagram()]
        return "\n".join([*lines, result])

    __str__ = describe

    def _fit(self, game: Game, games: int, rng: np.random.Generator, after_game: AfterGame) -> None:
        if self.proof is not None:
            return
        # Each plays games, and yields when a guess is to be made.
        play = self._look_ahead if self._values is None else self._q_learning
        self._contradictions = []
        for guess, _ in enumerate(play(game, games, rng, after_game), start=1):
            self._guess(rng)
            if self.proof is not None:
                return
            if self.automaton.states > MOST_STATES or guess == MOST_GUESSES:
                raise HypothesisError(
                    f"no column automaton was found for {game.summary} within {MOST_GUESSES} "
                    f"guesses and {MOST_STATES} states: guess {guess}, after "
                    f"{self.positions_read} positions were read, has {self.size}, and is "
                    f"{self.verdict}"
                )

    def _look_ahead(
        self, game: Game, games: int, rng: np.random.Generator, after_game: AfterGame
    ) -> Iterator[None]:
        """Play games that label positions by look-ahead."""
        sampler = game.starts.sampler(game)
        played, stopped = 0, False
        while played < games and not stopped:
            starts = list(filter(None, self._contradictions))[:CONTRADICTIONS_PLAYED]
            most = GAMES_FROM_A_CONTRADICTION
            if self._arguments["play_from"] == "start" or not starts:
                starts, most = [self.rules.heaps(sampler.draw(rng).tolist())], 1
            for start in starts:
                for _ in range(min(most, games - played)):
                    moves = play_game(start, self._labels, rng)
                    self._count_positions()
                    played += 1
                    last_mover = (moves - 1) % 2
                    winner = 1 - last_mover if self.rules.misere else last_mover
                    stopped = after_game(winner, moves)
                    if stopped or start in self._labels.lost:
                        break
                if stopped:
                    break
            yield

    def _q_learning(
        self, game: Game, games: int, rng: np.random.Generator, after_game: AfterGame
    ) -> Iterator[None]:
        """Let Q-learning play games on the board."""
        assert self._values is not None
        env = GameEnv(game)
        env.reset(seed=int(rng.integers(2**31)))
        self_play = SelfPlay(env, (self._values, self._values), None)
        played, stopped = 0, False
        while played < games and not stopped:
            block = min(max(FIRST_BLOCK, played // 2), games - played)
            winners, lengths = np.empty(block, dtype=np.int8), np.empty(block, dtype=np.int32)
            self_play.play(rng, winners, lengths)
            played += block
            stopped = any(map(after_game, winners.tolist(), lengths.tolist()))
            yield

    def _count_positions(self) -> None:
        self.positions_read = len(self._labels.read) + self._examined

    def _known(self) -> dict[Heaps, bool]:
        """Return the labelled positions, each with whether it is lost."""
        if self._values is None:
            return self._labels.lost
        positions, lost = labels_from_values(self._values.greedy(), self.game)
        sizes = self.rules.sizes(positions).tolist()
        known = dict(zip(map(self.rules.canonical, sizes), lost.tolist(), strict=True))
        return {heaps: known[heaps] for heaps in by_size(known)[:MOST_LABELS]}

    def _guesses(self) -> list[ColumnAutomaton]:
        """Return an automaton that agrees with the labels, for each order of bits."""
        known = self._known()
        guesses = []
        for first in (True, False):
            reading = {"zeros": self.rules.ordered, "most_significant_first": first}
            try:
                words = labelled_words(known, **reading)
            except ContradictionError as error:
                raise HypothesisError(
                    f"{error.lost} and {error.won} are the same to an automaton that reads "
                    f"the letters {self._arguments['letters']}, but one is lost and the other "
                    f"won: it cannot learn {self.game.summary}"
                ) from error
            guesses.append(merged_automaton(words, **reading))
        return sorted(guesses, key=lambda guess: guess.states)

    def _guess(self, rng: np.random.Generator) -> None:
        """Infer automata, examine and prove them; store the contradictions found."""
        guesses = self._guesses()
        self.automaton = guesses[0]
        counterexamples: list[list[Heaps]] = []
        for guess in guesses:
            contradicted = self._examine(guess, rng)
            if not contradicted:
                self.automaton = guess
                verdict = self._prove()
                if verdict.proved:
                    return
                if verdict.position is not None:
                    contradicted = [self.rules.canonical(verdict.position)]
            counterexamples.append(contradicted)
        # Neither contradicted nor proved: more labels may decide.
        self._contradictions = min(
            filter(None, counterexamples), default=[], key=lambda at: sum(at[0])
        ) or [random_board(self.rules, rng, **self._exam_sizes)]

    def _prove(self) -> Verdict:
        """Prove or refute the current automaton."""
        rules = self.rules
        verdict = prove(self.automaton, rules.relation, rules.misere, one_heap=rules.one_heap)
        self.verdict = str(verdict)
        self.proof = f"who wins, {verdict.reason}: {self._learned_game}" if verdict.proved else None
        return verdict

    @property
    def _exam_sizes(self) -> dict[str, int]:
        """Limits on heaps and bits of the boards of an exam: one more than the game has.

        A running total is one heap on every board.
        """
        largest = int(self.rules.sizes(self.game.start).max())
        return {
            "heaps": 1 if self.rules.one_heap else max(LEAST_HEAPS, len(self.game.parts) + 1),
            "bits": max(LEAST_BITS, largest.bit_length() + 1),
        }

    def _examine(self, guess: ColumnAutomaton, rng: np.random.Generator) -> list[Heaps]:
        """Return the positions at which a guess contradicts itself, smallest first."""
        counterexamples = by_size(
            position
            for position, options in self._labels.read.items()
            if position not in self._labels.lost
            and contradicts(guess, self.rules, position, options)
        )
        if not counterexamples:
            counterexamples, read = examine(
                guess, self.rules, rng, positions=EXAM_POSITIONS, **self._exam_sizes
            )
            self._examined += read
            self._count_positions()
        if counterexamples:
            self.verdict = f"contradicted: {counterexamples[0]} breaks the rule of lost positions"
        return counterexamples

    def learned(self) -> dict[str, Any]:
        """Return the automaton, and the data that its labels come from."""
        read = list(self._labels.read)
        longest = max(map(len, read), default=0)
        return {
            "transitions": self.automaton.transitions,
            "lost": self.automaton.lost,
            "most_significant_first": self.automaton.most_significant_first,
            "verdict": self.verdict,
            "read": np.array(
                [(*heaps, *[0] * (longest - len(heaps))) for heaps in read], dtype=np.int64
            ).reshape(len(read), longest),
            "examined": self._examined,
            "values": self._values,
        }

    def restore_learned(self, learned: dict[str, Any]) -> None:
        """Restore the result of :meth:`learned`."""
        read, values = learned["read"], learned["values"]
        if read.ndim != 2 or read.dtype != np.int64 or (read < 0).any():
            raise ValueError(f"the positions that were read are no heaps: {read}")
        if (values is None) != (self._values is None) or (
            values is not None and not values.fits(self.game)
        ):
            raise ValueError(f"its labels, {self._arguments['labels']!r}, come from no such table")
        self.automaton = ColumnAutomaton(
            learned["transitions"], learned["lost"], learned["most_significant_first"]
        )
        self.verdict = learned["verdict"]
        if self.verdict.startswith(Outcome.PROVED.value):  # which only a proof made here may say
            self.verdict = "not examined since it was loaded"
        self._labels = LookAheadLabels(self.rules.options, self.rules.misere)
        for sizes in read.tolist():
            self._labels.options(self.rules.canonical(sizes))
        self._examined = learned["examined"]
        self._values = values
