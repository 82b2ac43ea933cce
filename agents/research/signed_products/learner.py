"""Signed products: a network over bits that learns by self-play and plays larger boards."""

from typing import Any, Literal

import numpy as np

from agents.base import AfterGame, HypothesisError
from agents.research.base import GeneralisingLearner
from agents.research.look_ahead import LookAheadPolicy
from agents.research.signed_products.larger_boards import check_exam, with_larger_heaps
from agents.research.signed_products.value_networks import (
    PlainNetwork,
    SignedProductsNetwork,
    ValueNetwork,
)
from agents.research.signed_products.value_state import ValueState
from agents.research.signed_products.visited_positions import HeapBoard, heap_options
from agents.tables import check_same_arrays
from nim_envs import Game
from nim_envs.optional import needed
from nim_envs.typing import FloatArray, IntArray
from nim_envs.validation import checked_choice, checked_number


class SignedProductsPolicy(LookAheadPolicy):
    """Moves to the position with the opponent's lowest probability of a win, by the network."""

    def __init__(self, game: Game, state: ValueState) -> None:
        super().__init__(game)
        self.state = state
        self._board = HeapBoard(heap_options(game), len(game.parts), state.network)

    def loss_scores(self, positions: IntArray) -> FloatArray:
        """Return the logit of a loss for the player to move; see :class:`LookAheadPolicy`."""
        board = self._board
        return -self.state.logits(board.keys(positions), board.heaps, board.columns)


class SignedProducts(GeneralisingLearner):
    """A small network that reads the bits of heaps, and generalises to more and larger heaps.

    In each column of bits, factors between -1 and 1 are multiplied over the heaps; a recurrent
    network reads the products from the most significant column to the least. Factors may be
    negative, so that a product can distinguish odd from even; after 40 % of the games they are
    rounded to -1, 0 and 1. It learns by self-play, smallest positions first, from targets of a
    one-move look-ahead. Learning ends when its values have no contradictions, neither at the
    positions visited nor in an exam on random larger boards. If there are some after an eighth of
    the games (at least 1,000), it begins again with new weights. Nothing is proved.

    Use it for comparison with other networks: it assumes less than the learner of automata does.
    Learning needs PyTorch; playing does not. The other options are ablations: unsigned factors, no
    rounding, and a plain network on the bits of its own board.

    Args:
        game: game of heaps with the same options in the same states.
        factors: ``"signed"``, in [-1, 1], or ``"unsigned"``, in [0, 1].
        rounding: whether factors are rounded.
        architecture: ``"signed-products"``; or ``"mlp"``, two hidden layers on the bits of all
            heaps, with about as many weights.

    Raises:
        HypothesisError: the parts are not heaps with the same options.
        ValueError: an unknown option, or a board too large for keys of 64 bits.

    References:
        R. Grazzi, J. Siems, A. Zela, J. K. H. Franke, F. Hutter & M. Pontil, "Unlocking
        state-tracking in linear RNNs through negative eigenvalues", ICLR 2025, arXiv:2411.12537.
    """

    def __init__(
        self,
        game: Game,
        *,
        factors: Literal["signed", "unsigned"] = "signed",
        rounding: bool = True,
        architecture: Literal["signed-products", "mlp"] = "signed-products",
    ) -> None:
        checked_choice("factors", factors, ("signed", "unsigned"))
        checked_choice("architecture", architecture, ("signed-products", "mlp"))
        super().__init__(
            game, {"factors": factors, "rounding": rounding, "architecture": architecture}
        )
        self.rounding = rounding and architecture == "signed-products"
        network: ValueNetwork = (
            PlainNetwork() if architecture == "mlp" else SignedProductsNetwork(factors == "signed")
        )
        self._board = board = HeapBoard(heap_options(game), len(game.parts), network)
        if network.other_boards:
            check_exam(board)
        rng = np.random.default_rng(0)
        self.state = ValueState(network, board.heaps, board.columns, game.misere, rng)
        self._begun = False  # the first fit draws new weights by its seed
        self.given = (
            "the rules, for one-step look-ahead in games and in exams on larger boards; "
            + (
                "that positions are heaps read in aligned bits, whose order does not matter, and "
                "that empty heaps and an empty highest column of bits change nothing"
                if network.other_boards
                else "that the order of heaps does not matter"
            )
        )

    def _fit(self, game: Game, games: int, rng: np.random.Generator, after_game: AfterGame) -> None:
        training = needed("agents.research.signed_products.self_play_values", "SignedProducts")
        if not self._begun:
            self.state.begin_again(rng)
            self._begun = True
        run = training.ValueTraining(
            self.state, self._board, game.starts.sampler(game), rng, self.rounding
        )
        try:
            run.learn(games, after_game)
        finally:
            self.positions_read += run.positions_read

    def greedy(self, game: Game | None = None) -> SignedProductsPolicy:
        """Return the current greedy policy; see :class:`GeneralisingLearner`."""
        board = self.game if game is None else game
        if not self.plays(board):
            raise ValueError(
                f"what was learned of {self.game.summary} says nothing of {board.summary}"
            )
        return SignedProductsPolicy(board, self.state.copy())

    def plays(self, game: Game) -> bool:
        """Return whether ``game`` is the learned game, on a board that the network can read."""
        if self.fits(game):
            return True
        if game.misere != self.game.misere or not self.state.network.other_boards:
            return False
        try:
            options = heap_options(game)
        except HypothesisError:
            return False
        sizes = max(len(options), len(self._board.options))
        return np.array_equal(
            with_larger_heaps(options, sizes), with_larger_heaps(self._board.options, sizes)
        )

    @property
    def size(self) -> str:
        """Number of weights."""
        return f"{sum(array.size for array in self.state.weights.values()):,} weights"

    def describe(self) -> str:
        """Return the factors of the products and the result of the last exam, as text."""
        lines = []
        network = self.state.network
        if isinstance(network, SignedProductsNetwork):
            factors = network.factors(self.state.weights)
            if self.state.rounded:
                factors = np.round(factors) + 0.0
            lines += [
                f"factors of bit {bit}: " + ", ".join(f"{factor:.3g}" for factor in row)
                for bit, row in enumerate(factors)
            ]
        lines.append(
            "the last exam found no contradiction"
            if self.state.contradictions == 0
            else f"contradictions in the last exam: {100 * self.state.contradictions:.3g} %"
        )
        return "\n".join([*lines, "nothing was proved"])

    def learned(self) -> dict[str, Any]:
        """Return the weights, and results about them, for a file."""
        return {
            "weights": self.state.weights,
            "rounded": self.state.rounded,
            "contradictions": self.state.contradictions,
            "begun": self._begun,
        }

    def restore_learned(self, learned: dict[str, Any]) -> None:
        """Restore the result of :meth:`learned`."""
        check_same_arrays(learned["weights"], self.state.weights)
        checked_number("contradictions", learned["contradictions"], 0, 1)
        self.state.weights = {name: array.copy() for name, array in learned["weights"].items()}
        self.state.rounded = learned["rounded"]
        self.state.contradictions = learned["contradictions"]
        self._begun = learned["begun"]
