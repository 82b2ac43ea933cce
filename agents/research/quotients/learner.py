"""Quotient learner: classes of positions equivalent in every sum, from self-play."""

from typing import Any, NamedTuple

import numpy as np

from agents.base import AfterGame, HypothesisError
from agents.research.base import GeneralisingLearner
from agents.research.quotients.copies import Copies
from agents.research.quotients.counterexamples import CounterexampleSearch
from agents.research.quotients.description import quotient_in_words
from agents.research.quotients.heap_periods import PeriodOfClasses, classes_of_states, periods
from agents.research.quotients.outcomes import GameBudget, NoMoreGamesError
from agents.research.quotients.parts import Parts
from agents.research.quotients.policy import QuotientPolicy
from agents.research.quotients.quotient import Quotient
from agents.research.quotients.repair import Repair
from nim_envs import Game
from nim_envs.cgt.misere_quotients.parts import Word
from nim_envs.cgt.misere_quotients.proof import refutation
from nim_envs.typing import BoolArray, IntArray

MOST_CLASSES = 1_000
"""Largest number of classes."""

MOST_READ = 1_000_000
"""Most positions whose options are read to learn one state."""


class Claim(NamedTuple):
    """A learned quotient, in the form that a proof takes."""

    options: list[list[Word]]  # of each learned state, as sums of earlier states
    products: IntArray  # (n, n): class of the sum of two classes; 0 is the empty position's
    elements: list[int]  # class of each state
    lost: BoolArray  # (n,): whether each class is lost for the player to move


class QuotientLearner(GeneralisingLearner):
    """Learns classes of positions that are equivalent in every sum, and the sums of classes.

    It learns the states of parts one after the other, those with short play first. Games from
    one copy of a new state, added to a position of each class, tell whether the state belongs to a
    known class; if not, games from several copies tell the new classes. An exam searches sums of
    any number of parts for one whose class contradicts the moves. If it finds one, the old
    classes are too coarse, and are learned again from an observation table. Nothing is assumed
    about the classes: misère play is learned in the same way as normal play.

    Use it on sums of any parts with a limited number of states: heaps that split or not,
    tokens on graphs, and sums of different games, in either convention. The learned classes hold
    for any number of parts. It does not fit games with infinitely many classes.

    Args:
        game: the game to learn.

    Attributes:
        quotient: the learned classes, sums of classes, and lost classes.

    Raises:
        HypothesisError: a part has too many states to be learned one by one.

    References:
        T. E. Plambeck and A. N. Siegel, "Misère quotients for impartial games", *Journal of
        Combinatorial Theory A* 115 (2008), 593-622, for quotients; D. Angluin, "Learning regular
        sets from queries and counterexamples", *Information and Computation* 75 (1987), 87-106.

    Example:
        >>> from nim_envs import make_game
        >>> game = make_game("kayles", heaps=(9,), misere=True)
        >>> learner = QuotientLearner(game)
        >>> learner.fit(game, games=1_000, seed=0)
        >>> learner.quotient.order, learner.proof is not None
        (18, True)
        >>> learner.greedy().move((9,) * 7)
        (8, 9, 9, 9, 9, 9, 9)
    """

    given = "the rules, to look up options, and that a position is a sum of parts"

    def __init__(self, game: Game) -> None:
        super().__init__(game, {})
        self.parts = Parts(game)
        self._empty_lost = not game.misere
        nothing = np.zeros((1, 1), dtype=np.int64)
        self.quotient = Quotient(self.parts, nothing, (), np.array([self._empty_lost]))
        # Partial knowledge of the next state: outcomes, and a repair of the classes.
        self._lost: dict[int, bool] = {}
        self._repair: Repair | None = None
        self._refuted: str | None = None  # why the last proof failed

    @property
    def is_complete(self) -> bool:
        """Whether all states are learned."""
        return len(self.quotient.elements) == len(self.parts)

    def _fit(self, game: Game, games: int, rng: np.random.Generator, after_game: AfterGame) -> None:
        if self.is_complete and self.proof is not None:
            return
        self.proof = self._refuted = None  # what is learned now is not proved yet
        budget = GameBudget(games, MOST_READ, rng, after_game)
        try:
            self._learn(budget)
        except NoMoreGamesError:
            pass
        except HypothesisError as error:
            self._prove()
            name = self.parts.name((len(self.quotient.elements),))
            raise HypothesisError(
                f"the classes of sums of {self.game.summary}, with {name} were not found: "
                f"{error}; there may be infinitely many. Without it there are "
                f"{self.quotient.order}, {'which are proved' if self.proof else 'not proved'}"
            ) from None
        finally:
            self.positions_read += budget.read
        self._prove()

    def _learn(self, budget: GameBudget) -> None:
        """Learn the states that are not learned yet."""
        exam = CounterexampleSearch(self.quotient, budget)
        exam.counterexample(self.quotient, 0)
        while not self.is_complete:
            self.quotient, exam = self._with_next(exam, budget)
            self._lost, self._repair = {}, None

    def _with_next(
        self, exam: CounterexampleSearch, budget: GameBudget
    ) -> tuple[Quotient, CounterexampleSearch]:
        """Return the quotient with the next part, and an exam that it has passed."""
        before = self.quotient
        part = len(before.elements)
        budget.next_part()
        budget.count_read(1)
        if self._repair is None:
            copies = Copies(before, self._lost, budget)
            known = copies.known_class()
            if known is not None and exam.counterexample(known, part) is None:
                return known, exam
            merged = copies.merged(MOST_CLASSES)
            if merged is not None:
                exam = CounterexampleSearch(merged, budget)
                if exam.counterexample(merged, 0) is None:
                    return merged, exam
            self._repair = Repair(merged or before, part, self._empty_lost)
        return self._repair.finish(budget, MOST_CLASSES)

    def _prove(self) -> None:
        """Prove the learned quotient by code that is independent of the learner."""
        self.proof = None
        self._refuted = refutation(*self.claim(), self.game.misere)
        if self._refuted is not None:
            return
        known = (
            f"{self.parts.kind_name(kind)} in states 0 to {len(classes) - 1}"
            for kind in range(len(self.parts.kinds))
            if (classes := classes_of_states(self.quotient, kind))
        )
        proof = [
            f"who wins every sum of any number of parts ({'; '.join(known)}) of "
            f"{self.game.name}, {self.game.kind_of_play}, by the transition algebra of "
            f"{self.quotient.order} classes"
        ]
        proof += [period.in_words for period in periods(self.quotient) if period.refuted is None]
        self.proof = "; ".join(proof)

    def claim(self) -> Claim:
        """Return the learned quotient as a claim that independent code can check.

        :func:`nim_envs.cgt.misere_quotients.proof.refutation` takes it.

        Example:
            >>> from nim_envs import make_game
            >>> game = make_game("nim", heaps=(2,))
            >>> learner = QuotientLearner(game)
            >>> learner.fit(game, games=100, seed=0)
            >>> claim = learner.claim()
            >>> claim.elements, claim.products[1, 2].item(), claim.lost.tolist()
            ([0, 1, 2], 3, [True, False, False, False])
        """
        options: list[list[Word]] = []
        elements: list[int] = []
        places: dict[tuple[int, int], int] = {}
        for kind, state in self.parts.states:
            part = self.parts.numbers[kind][state]
            if part is not None and part >= len(self.quotient.elements):
                break
            left = self.parts.kinds[kind].options(state)
            options.append([tuple(places[kind, each] for each in option) for option in left])
            elements.append(0 if part is None else self.quotient.elements[part])
            places[kind, state] = len(places)
        return Claim(options, self.quotient.products, elements, self.quotient.lost)

    def periods(self) -> list[PeriodOfClasses]:
        """Return the periods observed in the classes of heaps, proved or conjectured."""
        return periods(self.quotient, self.proof is not None)

    def greedy(self, game: Game | None = None) -> QuotientPolicy:
        """Return the current policy; see :class:`agents.GameChoosingLearner`."""
        board = self.game if game is None else game
        if board.misere != self.game.misere:
            raise ValueError(f"{self.game.kind_of_play} was learned, not {board.summary}")
        return QuotientPolicy(board, self.quotient)

    @property
    def size(self) -> str:
        """The number of classes."""
        return f"{self.quotient.order} classes"

    def describe(self) -> str:
        """Return the classes, their sums and the proved statement, as text."""
        return quotient_in_words(self.quotient, self.proof, self._refuted)

    def learned(self) -> dict[str, Any]:
        """Return the learned quotient, without the games of the next state, for a file."""
        quotient = self.quotient
        elements = list(quotient.elements)
        return {"products": quotient.products, "elements": elements, "lost": quotient.lost}

    def restore_learned(self, learned: dict[str, Any]) -> None:
        """Restore the result of :meth:`learned`."""
        products, elements, lost = learned["products"], learned["elements"], learned["lost"]
        order = len(lost)
        if (
            products.shape != (order, order)
            or products.dtype != np.int64
            or lost.shape != (order,)
            or lost.dtype != np.bool_
            or not ((products >= 0) & (products < order)).all()
            or not all(0 <= element < order for element in elements)
            or len(elements) > len(self.parts)
        ):
            raise ValueError("the classes of sums that were learned are not those of its parts")
        self.quotient = Quotient(self.parts, products, tuple(elements), lost)
        if len(self.quotient.words_of(range(len(elements)))) < order:
            raise ValueError("a class that was learned is that of no sum")
        self._refuted = None
        self._lost, self._repair = {}, None
