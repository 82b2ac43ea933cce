"""Games in words: plain, or disguised."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from nim_envs.caches import LimitedCache
from nim_envs.envs.reset_arguments import is_seed
from nim_envs.errors import InvalidActionError, InvalidGameError
from nim_envs.game import Game
from nim_envs.rules.component import NO_MOVE, Component
from nim_envs.rules.convention import AnyConvention
from nim_envs.rules.cram_game import CramBoard
from nim_envs.rules.euclid_game import NumberPair
from nim_envs.rules.graph_game import Token
from nim_envs.rules.heaps import SplittingHeap
from nim_envs.rules.legality import illegal_move_error
from nim_envs.rules.moores_game import HeapGroup
from nim_envs.rules.rules import Rules
from nim_envs.rules.wythoff_game import Queen
from nim_envs.text.disguise import Disguise
from nim_envs.text.grammar import ComponentForms, Grammar
from nim_envs.text.phrases import NUMBER, PLACEHOLDER, Phrase, form_of
from nim_envs.typing import IntArray
from nim_envs.validation import check_bytes, checked_integer

Position = tuple[int, ...]
GivenPosition = Sequence[int] | IntArray

CACHED_POSITIONS = 1 << 12
"""Maximum number of positions whose moves are cached."""

MOST_MOVES_EXAMINED = 1 << 14
"""Maximum number of moves of a component that are searched for forms."""

UNORDERED = (SplittingHeap, HeapGroup, CramBoard)
"""Components whose moves join parts by "and" in any order."""

REPEATING = (Queen, NumberPair)
"""Components whose moves state their result after a comma, as in ``left 3, to (5, 8)``."""

LABEL_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")

MOST_FORMS = 12
"""Maximum number of forms of moves; of a game with more, labels such as ``w2`` share a form."""

BYTES_OF_MOVE = 512
"""Bytes per move, upper bound: the tables by which replies are read and judged."""

ARGUMENTS_NOT_NAMED = ("heaps", "misere", "start", "tokens")
"""Arguments left out of a game's name: already in it, or without effect on the rules."""

LONGEST_ARGUMENT = 40
"""Maximum length of an argument in the name of a game, in characters."""


class Names(NamedTuple):
    """The legal moves of a position by name: as text, and as phrases of the grammar.

    Where that is unambiguous, also by name without the component.
    """

    exact: dict[str, int]
    phrases: dict[Phrase, int]


class MoveNames(NamedTuple):
    """The names of one move, first the full one: as texts, and as phrases of the grammar."""

    texts: tuple[str, ...]
    phrases: tuple[Phrase, ...]


class Outcomes(NamedTuple):
    """The solution of a position: its value, and the result of each legal action."""

    value: int  # to the player to move: 1, 0 or -1
    after: dict[int, Position]
    keeping: frozenset[int]  # the actions that keep the value of a position that is not lost

    @property
    def is_decisive(self) -> bool:
        """Whether some move loses value: neither lost, nor with right moves alone."""
        return 0 < len(self.keeping) < len(self.after)


class Language:
    """A game and its words; the functions of this package take it in place of a game.

    Args:
        game: rules, convention and start.
        disguise: replacements of the words of :meth:`nim_envs.Rules.describe_action`; ``None``:
            none.
        rules: sentences that say what a move is, for the rules in :func:`rules_text` and prompts in
            sentences, such as ``"In each turn take any number of objects from one heap"``;
            ``None``: those of the game, which games of one's own may not have. In games with an
            outcome of their own the sentences also say who wins, and when the game is drawn.

    Raises:
        InvalidGameError: ``rules`` are not text.
    """

    def __init__(
        self, game: Game, disguise: Disguise | None = None, rules: str | None = None
    ) -> None:
        if rules is not None and (not isinstance(rules, str) or not rules.strip(" .")):
            raise InvalidGameError(
                f"rules must be sentences that say what a move is, not {rules!r}"
            )
        self.game = game
        self.disguise = disguise
        self.rules = rules
        self._names: LimitedCache[Position, Names] = LimitedCache(CACHED_POSITIONS)
        self._outcomes: LimitedCache[Position, Outcomes] = LimitedCache(CACHED_POSITIONS)
        # Positions have most of their moves in common with others.
        self._named: LimitedCache[tuple[int, int, int], MoveNames] = LimitedCache(CACHED_POSITIONS)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without caches, for pickles and copies."""
        return {"game": self.game, "disguise": self.disguise, "rules": self.rules}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the game and its words, with empty caches."""
        self.__init__(**state)  # type: ignore[misc]

    def __repr__(self) -> str:
        """Return the game in short."""
        return f"Language({self.name})"

    @cached_property
    def name(self) -> str:
        """The game in short, with its arguments, and the seed of its disguise if it has one."""
        parts = [self.game.summary, *_named_arguments(self.game)]
        if self.disguise is not None:
            parts.append(f"disguised by seed {self.disguise.seed}")
        return ", ".join(parts)

    def translated(self, text: str) -> str:
        """Return ``text``, in plain words, in those of this language."""
        return text if self.disguise is None else self.disguise.translated(text)

    @cached_property
    def labels(self) -> tuple[int, ...]:
        """The number shown for each component."""
        if self.disguise is None:
            return tuple(range(len(self.game.rules.components)))
        return self.disguise.labels

    def state_label(self, index: int, state: int) -> int:
        """Return the number shown for a state of a component."""
        return state if self.disguise is None else self.disguise.state_label(index, state)

    def state_text(self, index: int, state: int) -> str:
        """Return a component's state as text: its coordinates if it has them, else its number."""
        component = self.game.rules.components[index]
        if not component.has_coordinates:
            return str(self.state_label(index, state))
        return f"({', '.join(map(str, component.coordinate_system.of(np.array(state)).tolist()))})"

    def move(self, position: Position, action: int) -> str:
        """Return the name of a legal action."""
        index, option = divmod(action, self.game.rules.num_options)
        return f"{self.component_name(index)}: {self._option_alone(index, option, position[index])}"

    def component_name(self, index: int) -> str:
        """Return the name of a component, such as ``"heap 0"``."""
        kind = self.game.rules.components[index].kind
        return f"{self.translated(kind)} {self.labels[index]}"

    def _option_alone(self, index: int, option: int, state: int) -> str:
        """Return the name of a legal option without that of its component."""
        component = self.game.rules.components[index]
        words = component.words.describe(option, state)
        if isinstance(component, Token):
            words = NUMBER.sub(lambda found: str(self.state_label(index, int(found[0]))), words)
        return self.translated(words)

    @cached_property
    def _forms(self) -> dict[Component, tuple[str, list[str]]]:
        """The form of each component's name, and those of its options without that name."""
        components = self.game.rules.components
        forms = {}
        for component in dict.fromkeys(components):
            index = components.index(component)
            options = (
                form_of(self._option_alone(index, option, state))
                for option, state in _moves_of_each_form(component)
            )
            forms[component] = form_of(self.component_name(index)), list(dict.fromkeys(options))
        return forms

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """The forms of moves, such as ``"heap <number>: take <number>"``."""
        forms = [(name, form) for name, options in self._forms.values() for form in options]
        if len(forms) > MOST_FORMS:  # the labels of moves too are given by their form
            forms = [(name, LABEL_NUMBER.sub(PLACEHOLDER, form)) for name, form in forms]
        return tuple(dict.fromkeys(": ".join(form) for form in forms))

    @cached_property
    def grammar(self) -> Grammar:
        """The grammar by which replies are read."""
        components = self.game.rules.components
        forms = [
            ComponentForms(
                name,
                tuple(text for form in options for text in _spellings(component, form)),
                tuple(index for index, other in enumerate(components) if other == component),
                isinstance(component, UNORDERED),
            )
            for component, (name, options) in self._forms.items()
        ]
        plain = ("leave", "split", "object", "objects", "square", "squares")
        return Grammar(forms, {word: self.translated(word) for word in plain})

    def position(self, given: GivenPosition) -> Position:
        """Return one position of the game as a tuple of integers, state numbers.

        Raises:
            InvalidPositionError: it is something else.
        """
        # Checked before.
        if type(given) is tuple and set(map(type, given)) == {int} and given in self._names:
            return given
        return tuple(self.game.rules.checked_position(given).tolist())

    def action(self, position: Position, given: Any) -> int:
        """Return an action that is legal at ``position``.

        Raises:
            InvalidActionError: not an action of the game.
            IllegalMoveError: not legal there.
        """
        rules, here = self.game.rules, np.array(position, dtype=np.int64)
        checked = checked_integer(
            "action", given, 0, rules.num_actions - 1, error=InvalidActionError
        )
        if not rules.action_mask(here)[checked]:
            raise illegal_move_error(rules, here, checked)
        return checked

    def names(self, position: Position) -> Names:
        """Return the legal moves of a position by name.

        Raises:
            SearchTooLargeError: they are too many to be listed.
        """
        return self._names.get_or_create(position, lambda: self._compute_names(position))

    def outcomes(self, position: Position) -> Outcomes:
        """Return the solution of a position and of all its legal moves.

        Raises:
            SearchTooLargeError: the game cannot be solved, or the moves cannot be listed.
        """
        return self._outcomes.get_or_create(position, lambda: self._compute_outcomes(position))

    def _legal(self, position: Position) -> tuple[IntArray, list[int]]:
        rules, here = self.game.rules, np.array(position, dtype=np.int64)
        check_bytes(f"the {rules.num_actions} moves", BYTES_OF_MOVE * rules.num_actions)
        return here, np.flatnonzero(rules.action_mask(here)).tolist()

    def _compute_names(self, position: Position) -> Names:
        _, legal = self._legal(position)
        exact: dict[str, int] = {}
        phrases: dict[Phrase, int] = {}
        unclear = set()
        for action in legal:
            index, option = divmod(action, self.game.rules.num_options)
            named = self._named.get_or_create(
                (index, option, position[index]),
                partial(self._name_move, index, option, position[index]),
            )
            name, *short = named.texts
            exact[name] = action
            for text in short:
                exact.setdefault(text, action)
            for phrase in named.phrases:
                if phrases.setdefault(phrase, action) != action:
                    unclear.add(phrase)
        return Names(exact, {key: phrases[key] for key in phrases if key not in unclear})

    def _name_move(self, index: int, option: int, state: int) -> MoveNames:
        """Return the names of a move of a component that is in a state."""
        component, grammar = self.game.rules.components[index], self.grammar
        short = self._option_alone(index, option, state)
        name = f"{self.component_name(index)}: {short}"
        texts = [name]
        phrases = [grammar.phrase(text) for text in _spellings(component, name)]
        if grammar.component_of:
            for text in _spellings(component, short):
                phrase = grammar.phrase(text)
                if phrase is None or grammar.component_of.get(phrase.shape) != index:
                    continue
                if text == short:
                    texts.append(text)
                phrases.append(phrase)
        return MoveNames(tuple(texts), tuple(filter(None, phrases)))

    def _compute_outcomes(self, position: Position) -> Outcomes:
        rules, solution = self.game.rules, self.game.old_solution
        here, legal = self._legal(position)
        after = rules.step(np.broadcast_to(here, (len(legal), len(here))), np.array(legal, int))
        value = int(solution.value(here))
        keeping = (np.asarray(solution.value(after)) == -value) & (value >= 0)
        return Outcomes(
            value,
            dict(zip(legal, map(tuple, after.tolist()), strict=True)),
            frozenset(action for action, keeps in zip(legal, keeping, strict=True) if keeps),
        )


def _spellings(component: Component, text: str) -> tuple[str, ...]:
    """Return the name of a move, and without the result that it states, if it states one."""
    first, comma, _ = text.partition(", ")
    return (text, first) if comma and isinstance(component, REPEATING) else (text,)


def _some_moves(component: Component) -> list[tuple[int, int]]:
    """The first ``MOST_MOVES_EXAMINED`` legal pairs of option and state, from the largest state.

    A form of move that only smaller states have is missed.
    """
    moves: list[tuple[int, int]] = []
    states = (
        range(component.states)
        if component.listed_states is None
        else component.listed_states.tolist()
    )
    for state in reversed(states):
        options = component.successors(np.array([state], dtype=np.int64))[0]
        legal = np.flatnonzero(options != NO_MOVE)[: MOST_MOVES_EXAMINED - len(moves)]
        moves += [(int(option), state) for option in legal]
        if len(moves) >= MOST_MOVES_EXAMINED:
            break
    return moves


def _moves_of_each_form(component: Component) -> Iterable[tuple[int, int]]:
    """The first legal pair of option and state of each form in plain words."""
    first: dict[str, tuple[int, int]] = {}
    for option, state in _some_moves(component):
        first.setdefault(form_of(component.words.describe(option, state)), (option, state))
    return first.values()


def as_language(game: Any) -> Language:
    """Return a game as a language in plain words; return a language as it is.

    Games with equal rules, convention and name share one language, whose tables are made once.

    Raises:
        TypeError: ``game`` is neither.
    """
    if isinstance(game, Language):
        return game
    if isinstance(game, Game):
        return _plain(_ByRules(game))
    raise TypeError(f"a nim_envs.Game or a Language is expected, not {game!r}")


def _named_arguments(game: Game) -> tuple[str, ...]:
    """Return the arguments of a registered game that appear in its name."""
    if game.registered is None:
        return ()
    return tuple(
        f"{name} {value!r}"
        for name, value in game.registered.arguments.items()
        if name not in ARGUMENTS_NOT_NAMED
        and value is not None
        and len(repr(value)) <= LONGEST_ARGUMENT
    )


class _ByRules:
    """A game that equals every other with the same rules, convention and name."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._key: tuple[Rules, AnyConvention, tuple[str, ...]] = (
            game.rules, game.convention, _named_arguments(game)
        )  # fmt: skip

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByRules) and self._key == other._key


@lru_cache(maxsize=64)
def _plain(by_rules: _ByRules) -> Language:
    return Language(by_rules.game)


def disguised(game: Game, seed: int, rules: str | None = None) -> Language:
    """Return a game in other words, so that having memorised it helps less.

    Words are replaced, and heaps (or tokens, and the nodes of graphs) are renumbered from 1; both
    are bijections, drawn from the seed. Rules, prompts and moves use the new words, and replies are
    read in these alone. The language's ``disguise`` has the replacements.

    Args:
        game: rules, convention and start.
        seed: an integer of at least 0.
        rules: sentences in plain words that say what a move is, as of :class:`Language`.

    Raises:
        TypeError: ``game`` is not a game.
        InvalidGameError: ``seed`` is not such an integer, or ``rules`` are not text.

    Example:
        >>> from nim_envs import make_game
        >>> from nim_envs.text import move_text, prompt
        >>> language = disguised(make_game("nim"), seed=1)
        >>> prompt(language, (3, 4, 5))
        'normal baskets 2:3 1:4 3:5 move'
        >>> move_text(language, (3, 4, 5), 6)
        'basket 1: lift 2'
    """
    if not isinstance(game, Game):
        raise TypeError(f"a nim_envs.Game is expected, not {game!r}")
    if seed is None or not is_seed(seed):
        raise InvalidGameError(f"seed must be a Python integer of at least 0, not {seed!r}")
    return Language(game, Disguise(game.rules, seed), rules)


def language_of(game: Game, disguise: int | None = None, rules: str | None = None) -> Language:
    """Return the language of a game with the rules given, disguised if there is a seed.

    Args:
        game: rules, convention and start.
        disguise: seed, as of :func:`disguised`; ``None``: the game's own names.
        rules: sentences, as of :class:`Language`; ``None``: those of the game.

    Raises:
        InvalidGameError: ``disguise`` is not such a seed, or ``rules`` are not text.
    """
    if disguise is not None:
        return disguised(game, disguise, rules)
    return as_language(game) if rules is None else Language(game, rules=rules)
