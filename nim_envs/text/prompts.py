"""Rules, positions and moves in words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from nim_envs.errors import InvalidGameError
from nim_envs.game import Game
from nim_envs.rules.component import NO_MOVE, Component
from nim_envs.rules.graph_game import Token
from nim_envs.rules.heaps import SplittingHeap
from nim_envs.rules.listed_component import ListedComponent
from nim_envs.rules.node_kayles_game import NodeSet
from nim_envs.rules.rules import Rules
from nim_envs.rules.words import listed
from nim_envs.text.answers import ANSWERS, request
from nim_envs.text.language import GivenPosition, Language, Position, as_language
from nim_envs.validation import checked_choice

PROMPT_VERSION = 2
"""Version of the prompts, named in every result; incremented whenever a prompt changes."""

STYLES = ("short", "sentences", "position")
"""Styles of prompts."""

STATES = {
    "heap": ("has {} object", "has {} objects"),
    "total": ("stands at {}", "stands at {}"),
    "token": ("is on node {}", "is on node {}"),
}
"""Phrases for a state by kind of component: for state 1, and for any other."""

OTHER_STATES = ("is in state {}", "is in state {}")

AT_COORDINATES = "is at {}"

MOST_OPTIONS_LISTED = 1000
"""Maximum number of options listed one by one, for a component without a description."""


def move_text(game: Game | Language, position: GivenPosition, action: int) -> str:
    """Return a legal action as text: a reply that is read as this action.

    Args:
        game: the game, or its language.
        position: position before the move, ``(components,)``.
        action: an action that is legal there.

    Raises:
        InvalidPositionError: not a position of the game.
        InvalidActionError: not an action of the game, or (``IllegalMoveError``) not legal there.

    Example:
        >>> from nim_envs import make_game
        >>> move_text(make_game("nim"), (3, 4, 5), 6)
        'heap 1: take 2'
    """
    language = as_language(game)
    here = language.position(position)
    return language.move(here, language.action(here, action))


def prompt(
    game: Game | Language,
    position: GivenPosition,
    style: str = "short",
    *,
    answer: str = "line",
) -> str:
    """Return the prompt for the player to move at a position, one line of text.

    Args:
        game: the game, or its language.
        position: ``(components,)``.
        style: ``"short"``: the convention and the states of the components in order, with their
            numbers where these are not 0, 1, 2 and so on. ``"sentences"``: the rules, the position
            and the form of an answer, for a model that was trained to follow instructions.
            ``"position"``: the position in a sentence, for later turns of a conversation that
            began with a prompt in sentences.
        answer: form of the answer that a prompt in sentences asks for, as :func:`read_move` reads
            it: ``"line"``, ``"tag"``, ``"boxed"`` or ``"json"``.

    Raises:
        InvalidPositionError: not a position of the game.
        InvalidGameError: an unknown ``style`` or ``answer``; or ``"sentences"``, as
            :func:`rules_text`.

    Example:
        >>> from nim_envs import make_game
        >>> prompt(make_game("nim"), (3, 4, 5))
        'normal heaps 3 4 5 move'
        >>> print(prompt(make_game("misere_nim", heaps=(2, 1)), (1, 0), style="sentences"))
        Two players move in turn. There are 2 heaps, numbered 0 and 1. In each turn choose a heap
        and take any number of objects. Whoever makes the last move loses. Now heap 0 has 1 object
        and heap 1 has 0 objects. It is your turn. Answer with one move and nothing else, in this
        form: heap <number>: take <number>
    """
    language = as_language(game)
    here = language.position(position)
    checked_choice("answer", answer, ANSWERS)
    checked_choice("style", style, STYLES)
    if style == "short":
        return _short(language, here)
    now = f"Now {_position_in_words(language, here)}. It is your turn."
    if style == "position":
        return now
    question = request(answer, " or ".join(language.forms))
    return f"{rules_text(language)} {now} {question}"


def _short(language: Language, position: Position) -> str:
    plain = language.labels == tuple(range(len(position)))
    words = [language.game.convention.value]
    for kind, indices in _runs(language.game.rules):
        words.append(language.translated(f"{kind}s" if len(indices) > 1 else kind))
        for index in indices:
            state = language.state_text(index, position[index])
            words.append(state if plain else f"{language.labels[index]}:{state}")
    return " ".join([*words, "move"])


def _runs(rules: Rules) -> list[tuple[str, list[int]]]:
    """Runs of neighbouring components of one kind: the kind and their indices."""
    runs = groupby(enumerate(rules.components), lambda entry: entry[1].kind)
    return [(kind, [index for index, _ in run]) for kind, run in runs]


def _position_in_words(language: Language, position: Position) -> str:
    slots = {index for group in language.game.rules.slot_groups for index in group}
    parts, empty = [], []
    for index, state in enumerate(position):
        kind = language.game.rules.components[index].kind
        name = language.component_name(index)
        if index in slots and not state:
            empty.append(name)
            continue
        one, many = STATES.get(kind, OTHER_STATES)
        if not language.game.rules.components[index].coordinate_system.is_default:
            one = many = AT_COORDINATES
        words = language.translated(one if state == 1 else many)
        parts.append(f"{name} {words.format(language.state_text(index, state))}")
    if empty:
        parts.append(f"{listed(empty, 'and')} {'is' if len(empty) == 1 else 'are'} empty")
    return listed(parts, "and")


def rules_text(game: Game | Language) -> str:
    """Return the rules in sentences: the components, the moves, and who wins. One line of text.

    Args:
        game: the game, or its language, whose ``rules`` say what a move is where the game does not;
            they are needed in games with an outcome of their own, and say who wins, too.

    Raises:
        InvalidGameError: neither says it.

    Example:
        >>> from nim_envs import make_game
        >>> print(rules_text(make_game("addition")))
        Two players move in turn. There is 1 total, numbered 0. In each turn add 1 to 3, until the
        total is over 10. Whoever makes the last move loses.
        >>> print(rules_text(make_game("graph", successors=((), (0,), (0, 1)), tokens=(2,))))
        Two players move in turn. There is 1 token, numbered 0. In each turn move along one arrow.
        Arrows lead from node 1 to 0; from node 2 to 0 and 1. Whoever makes the last move wins.
    """
    language = as_language(game)
    rules = language.game.rules
    moves = _moves(language)
    counts = [
        f"{len(indices)} {kind}{'s' if len(indices) > 1 else ''}, numbered "
        f"{_numbers([language.labels[index] for index in indices])}"
        for kind, indices in _runs(rules)
    ]
    first_is_one = len(_runs(rules)[0][1]) == 1
    sentences = [
        "Two players move in turn",
        f"There {'is' if first_is_one else 'are'} {'; '.join(counts)}",
        *moves,
    ]
    description = f"{language.translated('. '.join(sentences))}."
    if language.game.has_outcome:
        return description  # the rules of the language say who wins
    return f"{description} {_capital(language.game.convention.in_words)}."


def _numbers(numbers: Sequence[int]) -> str:
    """Numbers as a list, or from first to last where they are three or more in a row."""
    if len(numbers) > 2 and list(numbers) == list(range(numbers[0], numbers[0] + len(numbers))):
        return f"{numbers[0]} to {numbers[-1]}"
    return listed(list(map(str, numbers)), "and")


def _moves(language: Language) -> list[str]:
    """Return sentences that say what a move is.

    Raises:
        InvalidGameError: neither the language nor the game has any.
    """
    if language.rules is not None:
        return [language.rules.strip(" .")]
    if language.game.has_outcome:
        raise InvalidGameError(
            f"{language.game.rules.name} does not say in words who wins: say what a move is, who "
            "wins and when the game is drawn with rules=, as in nim_envs.text.Language(game, "
            "rules='In each turn mark an empty cell. Three marks in a row win; a full board "
            "without them is a draw')"
        )
    for component in language.game.rules.components:
        if component.words.is_generic and not _can_be_listed(component):
            raise InvalidGameError(
                f"{language.game.rules.name} does not say what a move of {component.kind} is: say "
                "it with rules=, as in nim_envs.text.Language(game, rules='In each turn take any "
                "number of objects from one heap'), or with move_in_words= of game_from_moves"
            )
    return [*_moves_in_words(language), *_details(language)]


def _can_be_listed(component: Component) -> bool:
    """Return whether a component without a description has few enough options to list them."""
    return (
        not isinstance(component, ListedComponent)
        and component.states * component.options <= MOST_OPTIONS_LISTED
    )


def _moves_in_words(language: Language) -> list[str]:
    """Return sentences that describe the moves."""
    components = language.game.rules.components
    parts = [
        (kind, words, [index for index, _ in group])
        for (kind, words), group in groupby(
            enumerate(components), lambda entry: (entry[1].kind, entry[1].words.move)
        )
    ]
    if len(parts) == 1:
        kind, words, indices = parts[0]
        return [f"In each turn {f'choose a {kind} and ' if len(indices) > 1 else ''}{words}"]
    choices = [
        f"with {kind}{'s' if len(indices) > 1 else ''} "
        f"{_numbers([language.labels[index] for index in indices])}: {words}"
        for kind, words, indices in parts
    ]
    return [f"In each turn make one of these moves. {'. '.join(map(_capital, choices))}"]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _details(language: Language) -> list[str]:
    """Return sentences about the components, other than their moves."""
    rules = language.game.rules
    sentences = []
    for component in dict.fromkeys(rules.components):
        index = rules.components.index(component)
        if isinstance(component, Token):
            sentences.append(_arrows(component, index, language))
        elif isinstance(component, NodeSet):
            sentences.append(_edges(component))
        elif component.words.is_generic:
            sentences.append(_options(component))
    if any(isinstance(component, SplittingHeap) for component in rules.components):
        sentences.append("A heap without a move is removed at once")
    if rules.slot_groups:
        among = (
            " of those that follow the same rule beside it" if len(rules.slot_groups) > 1 else ""
        )
        sentences.append(
            "Of two heaps that a move makes of one, the larger keeps its number, and the smaller, "
            "which the move names first, gets the number of the first empty heap in the order "
            f"above{among}"
        )
    return sentences


def _arrows(token: Token, index: int, language: Language) -> str:
    """The edges of a graph in words."""
    ways = [
        f"from node {language.state_label(index, node)} to "
        + listed([str(language.state_label(index, target)) for target in targets], "and")
        for node, targets in enumerate(token.successors_of)
        if targets
    ]
    return f"Arrows lead {'; '.join(ways)}" if ways else "There is no arrow"


def _edges(graph: NodeSet) -> str:
    """The edges of Node Kayles in words."""
    pairs = [f"{one} and {other}" for one, other in graph.edges]
    return f"Neighbours are nodes {'; '.join(pairs)}" if pairs else "No nodes are neighbours"


def _options(component: Component) -> str:
    """The options of a component without a description, listed one by one."""
    ways = [
        f"option {option} leads from state {state} to {after}"
        + (f" and puts {second} into an empty {component.kind}" if second else "")
        for state, (row, seconds) in enumerate(
            zip(component.table.tolist(), component.second_table.tolist(), strict=True)
        )
        for option, (after, second) in enumerate(zip(row, seconds, strict=True))
        if after != NO_MOVE
    ]
    return _capital(", ".join(ways)) or "There is no move"
