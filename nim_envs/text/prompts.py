"""Rules, positions and moves in words."""

from collections.abc import Sequence
from itertools import groupby

from nim_envs.errors import InvalidGameError
from nim_envs.game import Game
from nim_envs.games.words import listed
from nim_envs.text.answers import ANSWERS, REQUESTS
from nim_envs.text.language import GivenPosition, Language, as_language
from nim_envs.typing import Position
from nim_envs.validation import checked_choice

PROMPT_VERSION = 3
"""Version of the prompts, named in every result; incremented whenever a prompt changes."""

STYLES = ("short", "sentences", "position")
"""Styles of prompts."""


def move_text(game: Game | Language, position: GivenPosition, action: int) -> str:
    """Return a legal action as text: a reply that is read as this action.

    Args:
        game: the game, or its language.
        position: position before the move, ``(fields,)``.
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
    language.game.play(here, action)  # raises errors
    return language.move(here, int(action))


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
        position: ``(fields,)``.
        style: ``"short"``: the convention and the positions of the parts in order, with their
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
    question = REQUESTS[answer].format(" or ".join(language.forms))
    return f"{rules_text(language)} {now} {question}"


def _short(language: Language, position: Position) -> str:
    game, here = language.game, language.game.split(position)
    plain = language.labels == tuple(range(len(game.parts)))
    words = ["outcome" if game.has_outcome else "misere" if game.misere else "normal"]
    for kind, indices in _runs(game):
        words.append(language.translated(f"{kind}s" if len(indices) > 1 else kind))
        for index in indices:
            text = language.position_text(game.parts[index], here[index])
            words.append(text if plain else f"{language.labels[index]}:{text}")
    return " ".join([*words, "move"])


def _runs(game: Game) -> list[tuple[str, list[int]]]:
    """Runs of neighbouring parts of one kind: the kind and their indices."""
    runs = groupby(enumerate(game.parts), lambda entry: entry[1].words.kind)
    return [(kind, [index for index, _ in run]) for kind, run in runs]


def _position_in_words(language: Language, position: Position) -> str:
    game = language.game
    phrases, empty = [], []
    for index, (part, here) in enumerate(zip(game.parts, game.split(position), strict=True)):
        name = f"the {language.translated(part.words.kind)}"
        if language.names_parts:
            name = language.part_name(index)
        if part.second is not None and not any(here):
            empty.append(name)
            continue
        one, many = part.words.state or ("is at {}", "is at {}")
        phrase = language.translated(one if here == (1,) else many)
        phrases.append(f"{name} {phrase.format(language.position_text(part, here))}")
    if empty:
        phrases.append(f"{listed(empty, 'and')} {'is' if len(empty) == 1 else 'are'} empty")
    return listed(phrases, "and")


def rules_text(game: Game | Language) -> str:
    """Return the rules in sentences: the parts, the moves, and who wins. One line of text.

    Args:
        game: the game, or its language, whose ``rules`` say what a move is where the game does not;
            they are needed in games with an outcome of their own, and say who wins, too.

    Raises:
        InvalidGameError: neither says it.

    Example:
        >>> from nim_envs import make_game
        >>> print(rules_text(make_game("addition")))
        Two players move in turn. There is one total. In each turn add 1 to 3, until the total is
        over 10. Whoever takes the total over 10 loses, so whoever reaches exactly 10 wins.
        >>> print(rules_text(make_game("graph", successors=((), (0,), (0, 1)), tokens=(2,))))
        Two players move in turn. There is one token. In each turn move along one arrow. Arrows
        lead from node 1 to 0; from node 2 to 0 and 1. Whoever makes the last move wins.
    """
    language = as_language(game)
    moves, runs = _moves(language), _runs(language.game)
    counts = [
        f"{len(indices)} {kind}{'s' if len(indices) > 1 else ''}, numbered "
        f"{_numbers([language.labels[index] for index in indices])}"
        for kind, indices in runs
    ]
    if not language.names_parts:
        counts = [f"one {runs[0][0]}"]
    sentences = [
        "Two players move in turn",
        f"There {'is' if len(runs[0][1]) == 1 else 'are'} {'; '.join(counts)}",
        *moves,
    ]
    if not language.game.has_outcome:  # else the rules of the language say who wins
        who_wins = language.game.who_wins
        sentences.append(f"{who_wins[:1].upper()}{who_wins[1:]}")
    return f"{language.translated('. '.join(sentences))}."


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
    name = language.game.name
    if language.game.has_outcome:
        raise InvalidGameError(
            f"{name} does not say in words who wins: say what a move is, who wins and when the "
            "game is drawn with rules=, as in nim_envs.text.Language(game, rules='In each turn "
            "mark an empty cell. Three marks in a row win; a full board without them is a draw')"
        )
    for part in language.game.parts:
        if part.words.move is None:
            raise InvalidGameError(
                f"{name} does not say what a move of {part.words.kind} is: say it with rules=, as "
                "in nim_envs.text.Language(game, rules='In each turn take any number of objects "
                "from one heap'), or with move_in_words= of game_from_moves"
            )
    return [_moves_in_words(language), *_details(language)]


def _moves_in_words(language: Language) -> str:
    """Return a sentence that describes the moves."""
    groups = [
        (kind, move, [index for index, _ in group])
        for (kind, move), group in groupby(
            enumerate(language.game.parts), lambda entry: (entry[1].words.kind, entry[1].words.move)
        )
    ]
    if len(groups) == 1:
        kind, move, indices = groups[0]
        return f"In each turn {f'choose a {kind} and ' if len(indices) > 1 else ''}{move}"
    choices = [
        f"With {kind}{'s' if len(indices) > 1 else ''} "
        f"{_numbers([language.labels[index] for index in indices])}: {move}"
        for kind, move, indices in groups
    ]
    return f"In each turn make one of these moves. {'. '.join(choices)}"


def _details(language: Language) -> list[str]:
    """Return sentences about the parts, other than their moves."""
    parts = [*dict.fromkeys(language.game.parts)]
    details = [language.renumbered(part, part.words.details) for part in parts]
    sentences = [*filter(None, details)]
    if any(part.words.removal is not None for part in parts):
        sentences.append("A heap without a move is removed at once")
    groups = [group for group, _ in groupby(language.game.parts) if group.second is not None]
    if groups:
        among = " of those that follow the same rule beside it" if len(groups) > 1 else ""
        sentences.append(
            "Of two heaps that a move makes of one, the larger keeps its number, and the smaller, "
            "which the move names first, gets the number of the first empty heap in the order "
            f"above{among}"
        )
    return sentences
