"""The experiments: a small board to learn on, unseen boards, and the learners."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from nim_envs import Game, make_game

LEARNED = "as learned"
"""Name of the board that a learner has learned on."""


@dataclass(frozen=True)
class ExperimentBoard:
    """A board of a registered game, of which every N-position is scored, or a sample."""

    game: str
    arguments: Mapping[str, Any]
    enumerated: bool = True

    def make(self) -> Game:
        """Return the game."""
        return make_game(self.game, **self.arguments)


@dataclass(frozen=True)
class LearnerBudget:
    """A learner, its largest number of games, and its expected time relative to the others."""

    learner: str
    games: int
    arguments: Mapping[str, Any] = field(default_factory=dict)
    needs: str = ""
    weight: float = 1.0


@dataclass(frozen=True)
class Experiment:
    """A board to learn on, unseen boards by what is larger, and the learners by name."""

    learned: ExperimentBoard
    held_out: Mapping[str, ExperimentBoard]
    contenders: Mapping[str, LearnerBudget]


def _nim(
    name: str, heaps: tuple[int, ...], start: str = "fixed", **arguments: Any
) -> ExperimentBoard:
    return ExperimentBoard(name, {"heaps": heaps, "start": start, **arguments})


def _sampled(name: str, heaps: tuple[int, ...], **arguments: Any) -> ExperimentBoard:
    return ExperimentBoard(name, {"heaps": heaps, **arguments}, enumerated=False)


def _larger(name: str, more: tuple[int, ...], **arguments: Any) -> dict[str, ExperimentBoard]:
    """Boards with more heaps than the one learned, with larger heaps, and with both."""
    return {
        "more heaps": _sampled(name, more, **arguments),
        "larger heaps": _sampled(name, (63,) * 5, **arguments),
        "20 heaps < 64": _sampled(name, (63,) * 20, **arguments),
        "10 heaps < 1024": _sampled(name, (1023,) * 10, **arguments),
    }


TABLES = {
    "q-learning": LearnerBudget("q-learning", 20_000, {"epsilon": 0.3}),
    "real-time-dynamic-programming": LearnerBudget(
        "real-time-dynamic-programming", 20_000, {"epsilon": 0.3}
    ),
    "random": LearnerBudget("random", 0),
}
"""Baselines: a table, which knows the positions of its own board only, and random play."""


def _automata(games: int, q_games: int, play_from: str = "anywhere") -> dict[str, LearnerBudget]:
    where = {"play_from": play_from}
    return {
        "column-automaton": LearnerBudget("column-automaton", games, where),
        "column-automaton-with-zeros": LearnerBudget(
            "column-automaton", games, {"letters": "0 1 |", **where}
        ),
        "column-automaton-of-q-learning": LearnerBudget(
            "column-automaton", q_games, {"labels": "q-learning"}, weight=3
        ),
    }


ABLATIONS: dict[str, dict[str, Any]] = {
    "unsigned-products": {"factors": "unsigned"},
    "signed-products-not-rounded": {"rounding": False},
    "mlp": {"architecture": "mlp"},
}


ABLATION_GAMES = 2_000
"""Games of ablations: three times the number that the full network needs on the same board."""


def _networks(games: int, ablations: Mapping[str, dict[str, Any]]) -> dict[str, LearnerBudget]:
    whole = LearnerBudget("signed-products", games, needs="torch", weight=50)
    return {
        "signed-products": whole,
        **{
            name: replace(whole, games=ABLATION_GAMES, arguments=arguments)
            for name, arguments in ablations.items()
        },
    }


def _odd_heaps(count: int) -> tuple[int, ...]:
    return tuple(range(1, 2 * count, 2))


EXPERIMENTS: dict[str, Experiment] = {
    **{
        f"nim-{count}": Experiment(
            _nim("nim", _odd_heaps(count)),
            _larger("nim", _odd_heaps(count + 3)),
            {
                **_automata(100, 1_000, "start"),
                "quotient": LearnerBudget("quotient", 20_000),
                **_networks(8_000, ABLATIONS if count == 5 else {}),
                **TABLES,
            },
        )
        for count in (5, 6, 7)
    },
    "misere-nim": Experiment(
        _nim("misere_nim", (15,) * 4, "uniform"),
        _larger("misere_nim", (15,) * 8),
        {
            **_automata(5_000, 2_000_000),
            "quotient": LearnerBudget("quotient", 20_000),
            **_networks(20_000, {}),
            **TABLES,
        },
    ),
    **{
        f"{'misere-' if misere else ''}take-{most}": Experiment(
            _nim("nim", (15, 15, 15), "uniform", max_take=most, misere=misere),
            _larger("nim", (15,) * 6, max_take=most, misere=misere),
            {
                "column-automaton": LearnerBudget("column-automaton", 5_000),
                "quotient": LearnerBudget("quotient", 20_000),
                **TABLES,
            },
        )
        for most in (3, 7)
        for misere in (False, True)
    },
    "addition-10": Experiment(
        ExperimentBoard("addition", {"k": 10, "n": 100}),
        {
            "n = 10,000": ExperimentBoard("addition", {"k": 10, "n": 10_000}),
            "n = 1,000,000": ExperimentBoard(
                "addition", {"k": 10, "n": 1_000_000}, enumerated=False
            ),
        },
        {"column-automaton": LearnerBudget("column-automaton", 5_000), "random": TABLES["random"]},
    ),
    **{
        name: Experiment(
            ExperimentBoard(game, {"heaps": (heap,), **arguments}),
            {f"{count} heaps": _sampled(game, (heap,) * count, **arguments) for count in numbers},
            {"quotient": LearnerBudget("quotient", 100_000), "random": TABLES["random"]},
        )
        for name, game, heap, numbers, arguments in (
            ("misere-kayles", "kayles", 12, (3, 5), {"misere": True}),
            ("misere-dawsons-kayles", "dawsons_kayles", 15, (3, 4), {"misere": True}),
            ("misere-grundy", "grundy", 20, (2, 3), {"misere": True}),
            ("take-2-5-7", "subtraction", 40, (3, 6), {"subtraction_set": (2, 5, 7)}),
        )
    },
}
"""The experiments by name; larger heaps and more heaps never occur in training."""
