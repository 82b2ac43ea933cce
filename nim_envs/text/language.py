"""Games in words: plain, or disguised."""

import re
from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from nim_envs.caches import LimitedCache
from nim_envs.envs.arguments import is_seed
from nim_envs.errors import InvalidGameError
from nim_envs.game import Game
from nim_envs.graph import Part
from nim_envs.text.disguise import Disguise
from nim_envs.text.grammar import ComponentForms, Grammar
from nim_envs.text.phrases import NUMBER, PLACEHOLDER, Phrase, form_of
from nim_envs.typing import IntArray, Position

GivenPosition = Sequence[int] | IntArray

CACHED_POSITIONS = 1 << 12
"""Maximum number of positions whose moves are cached."""

MOST_MOVES_EXAMINED = 1 << 14
"""Maximum number of moves of a part that are searched for forms."""

LABEL_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")

MOST_FORMS = 12
"""Maximum number of forms of moves; of a game with more, labels such as ``w2`` share a form."""

ARGUMENTS_NOT_NAMED = ("heaps", "misere", "start", "tokens")
"""Arguments left out of a game's name: already in it, or without effect on the rules."""

LONGEST_ARGUMENT = 40
"""Maximum length of an argument in the name of a game, in characters."""


class Names(NamedTuple):
    """The legal moves of a position by name: as text, and as phrases of the grammar.

    Where that is unambiguous, also by name without the part.
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


class Language:
    """A game and its words; the functions of this package take it in place of a game.

    Args:
        game: the game.
        disguise: replacements of the words of :meth:`nim_envs.game.Game.describe`; ``None``: none.
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
        self._named: LimitedCache[tuple[int, Position], MoveNames] = LimitedCache(CACHED_POSITIONS)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the game and its words without caches, for pickles and copies."""
        return type(self), (self.game, self.disguise, self.rules)

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
        """The number shown for each part."""
        disguise = self.disguise
        return tuple(range(len(self.game.parts))) if disguise is None else disguise.labels

    def position_text(self, part: Part, position: Position) -> str:
        """Return the position of a part as text: its number, or its coordinates in brackets."""
        if len(position) == 1:
            return self.renumbered(part, str(position[0]))
        return f"({', '.join(map(str, position))})"

    def renumbered(self, part: Part, text: str) -> str:
        """Return ``text`` with other numbers where they name nodes, and the disguise has them."""
        disguise = self.disguise
        if disguise is None or not part.words.names_states:
            return text
        return NUMBER.sub(lambda found: str(disguise.node_label(part, int(found[0]))), text)

    def move(self, position: Position, action: int) -> str:
        """Return the name of a legal action."""
        index, option = self.part_and_option(action)
        here = self.game.split(position)[index]
        words = self._option_alone(self.game.parts[index], option, here)
        return f"{self.part_name(index)}: {words}" if self.names_parts else words

    @property
    def names_parts(self) -> bool:
        """Whether moves are named with their part, as there are several."""
        return len(self.game.parts) > 1

    def part_and_option(self, action: int) -> tuple[int, int]:
        """Return the index of the part that an action moves in, and the option."""
        return divmod(action, self.game.num_actions // len(self.game.parts))

    def part_name(self, index: int) -> str:
        """Return the name of a part, such as ``"heap 0"``."""
        return f"{self.translated(self.game.parts[index].words.kind)} {self.labels[index]}"

    def _option_alone(self, part: Part, option: int, position: Position) -> str:
        """Return the name of a legal option without that of its part."""
        return self.translated(self.renumbered(part, part.describe(option, position)))

    @cached_property
    def _forms(self) -> dict[Part, tuple[str, list[str]]]:
        """The form of each part's name, and those of its options without that name."""
        forms = {}
        for part in dict.fromkeys(self.game.parts):
            options = [
                form_of(self._option_alone(part, option, position))
                for option, position in _moves_of_each_form(part)
            ]
            name = form_of(self.part_name(self.game.parts.index(part)))
            forms[part] = name, list(dict.fromkeys(options))
        return forms

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """The forms of moves, such as ``"heap <number>: take <number>"``."""
        forms = [(name, form) for name, options in self._forms.values() for form in options]
        if len(forms) > MOST_FORMS:  # the labels of moves too are given by their form
            forms = [(name, LABEL_NUMBER.sub(PLACEHOLDER, form)) for name, form in forms]
        if not self.names_parts:
            return tuple(dict.fromkeys(option for _, option in forms))
        return tuple(dict.fromkeys(": ".join(form) for form in forms))

    @cached_property
    def grammar(self) -> Grammar:
        """The grammar by which replies are read."""
        forms = [
            ComponentForms(
                name,
                tuple(text for form in options for text in _spellings(part, form)),
                tuple(index for index, other in enumerate(self.game.parts) if other == part),
                part.words.is_unordered,
            )
            for part, (name, options) in self._forms.items()
        ]
        plain = ("leave", "split", "object", "objects", "square", "squares")
        return Grammar(forms, {word: self.translated(word) for word in plain})

    def position(self, given: GivenPosition) -> Position:
        """Return one position of the game as a tuple of coordinates.

        Raises:
            InvalidPositionError: it is something else.
        """
        # Checked before.
        if type(given) is tuple and set(map(type, given)) == {int} and given in self._names:
            return given
        board: Any = self.game.board
        return tuple(board.position(self.game.checked_state(given)))

    def names(self, position: Position) -> Names:
        """Return the legal moves of a position by name."""
        return self._names.get_or_create(position, lambda: self._compute_names(position))

    def outcomes(self, position: Position) -> Outcomes:
        """Return the solution of a position and of all its legal moves.

        Raises:
            SearchTooLargeError: the game cannot be solved.
        """

        def solved() -> Outcomes:
            solution = self.game.solution
            return Outcomes(
                solution.value(position),
                dict(self.game.moves(position)),
                frozenset(solution.keeping_actions(position).tolist()),
            )

        return self._outcomes.get_or_create(position, solved)

    def _compute_names(self, position: Position) -> Names:
        exact: dict[str, int] = {}
        phrases: dict[Phrase, int] = {}
        unclear = set()
        parts = self.game.split(position)
        for action in self.game.actions(position):
            index, option = self.part_and_option(action)
            named = self._named.get_or_create(
                (action, parts[index]), partial(self._name_move, index, option, parts[index])
            )
            name, *short = named.texts
            exact[name] = action
            for text in short:
                exact.setdefault(text, action)
            for phrase in named.phrases:
                if phrases.setdefault(phrase, action) != action:
                    unclear.add(phrase)
        return Names(exact, {key: phrases[key] for key in phrases if key not in unclear})

    def _name_move(self, index: int, option: int, position: Position) -> MoveNames:
        """Return the names of a move of a part that is at a position."""
        part, grammar = self.game.parts[index], self.grammar
        short = self._option_alone(part, option, position)
        name = f"{self.part_name(index)}: {short}"
        texts = [name] if self.names_parts else [short, name]
        phrases = [grammar.phrase(text) for text in _spellings(part, name)]
        if grammar.component_of:
            for text in _spellings(part, short):
                phrase = grammar.phrase(text)
                if phrase is None or grammar.component_of.get(phrase.shape) != index:
                    continue
                if text == short and self.names_parts:
                    texts.append(text)
                phrases.append(phrase)
        return MoveNames(tuple(texts), tuple(filter(None, phrases)))


def _spellings(part: Part, text: str) -> tuple[str, ...]:
    """Return the name of a move, and without the result that it states, if it states one."""
    first, comma, _ = text.partition(", ")
    return (text, first) if comma and part.words.states_result else (text,)


def _moves_of_each_form(part: Part) -> Iterable[tuple[int, Position]]:
    """The first legal pair of option and position of each form in plain words.

    Of the first ``MOST_MOVES_EXAMINED`` moves, from the last position: a form that only earlier
    positions have is missed.
    """
    first: dict[str, tuple[int, Position]] = {}
    left = MOST_MOVES_EXAMINED
    for state in reversed(range(part.num_positions)):
        position = part.position(state)
        options = np.flatnonzero(part.after[state] >= 0)[:left].tolist()
        for option in options:
            form = form_of(part.describe(option, position))
            first.setdefault(form, (option, position))
        left -= len(options)
        if not left:
            break
    return first.values()


_plain: LimitedCache[Hashable, Language] = LimitedCache(64)


def as_language(game: Any) -> Language:
    """Return a game as a language in plain words; return a language as it is.

    Equal games share one language, whose tables are made once.

    Raises:
        TypeError: ``game`` is neither.
    """
    if isinstance(game, Language):
        return game
    if isinstance(game, Game):
        key = game.name, game.parts, game.start, game.misere, _named_arguments(game)
        return _plain.get_or_create(key, lambda: Language(game))
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


def disguised(game: Game, seed: int, rules: str | None = None) -> Language:
    """Return a game in other words, so that having memorised it helps less.

    Words are replaced, and heaps (or tokens, and the nodes of graphs) are renumbered from 1; both
    are bijections, drawn from the seed. Rules, prompts and moves use the new words, and replies are
    read in these alone. The language's ``disguise`` has the replacements.

    Args:
        game: the game.
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
    return Language(game, Disguise(game.parts, seed), rules)


def language_of(game: Game, disguise: int | None = None, rules: str | None = None) -> Language:
    """Return the language of a game with the rules given, disguised if there is a seed.

    Raises:
        InvalidGameError: ``disguise`` is not such a seed, or ``rules`` are not text.
    """
    if disguise is not None:
        return disguised(game, disguise, rules)
    return as_language(game) if rules is None else Language(game, rules=rules)
