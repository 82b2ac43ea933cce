"""The grammar of the moves of a game: their names in any usual order of words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from nim_envs.text.phrases import (
    PLACEHOLDER,
    Phrase,
    Token,
    labels_in,
    phrase_of,
    token_pattern,
    tokens_of,
)

Shape = tuple[str, ...]

PREPOSITIONS = ("from", "in", "on", "of", "at", "with")

AND = ("+", "&")
"""Signs for "and" between the parts of a heap."""


@dataclass(frozen=True)
class ComponentForms:
    """Forms of the moves of equal components.

    A move is the component's name and an option; ``unordered``: the order of the parts joined
    by "and" has no meaning.
    """

    name: str
    options: tuple[str, ...]
    indices: tuple[int, ...]
    unordered: bool


class Template(NamedTuple):
    """Another order of the words of a move: its name's shape, and where its numbers are found."""

    shape: Shape
    order: tuple[int, ...]


class Match(NamedTuple):
    """A phrase that names a move.

    Its words are in the order of the move's name. It is short if it leaves out the component,
    and open if a longer phrase could begin with it.
    """

    phrase: Phrase
    first: int
    end: int
    is_short: bool
    is_open: bool


class Grammar:
    """Reads phrases that name moves of a game, in the words in use for some plain ones."""

    def __init__(self, components: Sequence[ComponentForms], words: Mapping[str, str]) -> None:
        self._components = components
        self._words = words
        texts = [text for each in components for text in (each.name, *each.options)]
        self._pattern = token_pattern(
            {label.lower() for text in texts for label in labels_in(text)}
        )
        plain = [token.text for text in texts for token in tokens_of(_filled(text), self._pattern)]
        self._vocabulary = frozenset(plain)
        self._units = {
            words[unit] for unit in ("object", "objects", "square", "squares")
        } - self._vocabulary
        self._splits = words["leave"] in self._vocabulary

    def tokens(self, text: str) -> list[Token]:
        """Return the tokens of a text, with usual variants of words in their standard form."""
        result: list[Token] = []
        for token in tokens_of(text, self._pattern):
            if token.text in self._units and result and result[-1].is_number:
                result[-1] = result[-1]._replace(end=token.end)
            else:
                result.append(token)
        return self._with_parts(result) if self._splits else result

    def _with_parts(self, tokens: list[Token]) -> list[Token]:
        """Return tokens with the parts of a split heap as ``leave <number> and <number>``."""
        words, result = self._words, list[Token]()
        leave, split = words["leave"], words["split"]
        leaving = {f"{leave}s"} | ({"leaving"} if leave == "leave" else set())
        splitting = {split, f"{split}s"} | ({"splitting"} if split == "split" else set())
        in_brackets = False
        index = 0
        while index < len(tokens):
            token, ahead = tokens[index], tuple(each.text for each in tokens[index + 1 : index + 4])
            length = int(token.text == leave or token.text in leaving)
            if token.text in splitting - self._vocabulary:
                fixed = (("into",), ("it", "into"), ("the", "rest", "into"))
                length = next((len(each) + 1 for each in fixed if ahead[: len(each)] == each), 0)
            if length:
                start = token.start
                if len(result) > 1 and result[-1].text in ("and", "(") and result[-2].is_number:
                    in_brackets = result[-1].text == "("
                    start = result.pop().start
                result.append(Token(leave, start, token.end))
                index += length
                index += self._parts(tokens[index : index + 5], result)
            elif in_brackets and token.text == ")":
                in_brackets = False
                result[-1] = result[-1]._replace(end=token.end)
                index += 1
            else:
                result.append(token)
                index += 1
        return result

    def _parts(self, tokens: list[Token], result: list[Token]) -> int:
        """Append the two parts with which tokens begin; return the number of their tokens."""
        signs = "".join("0" if token.is_number else token.text for token in tokens)
        if signs.startswith("(00)"):
            one, other = tokens[1], tokens[2]._replace(end=tokens[3].end)
            result += [one._replace(start=tokens[0].start), Token("and", one.end, one.end), other]
            return 4
        if len(tokens) > 1 and tokens[0].is_number and tokens[1].text in AND:
            result += [tokens[0], tokens[1]._replace(text="and")]
            return 2
        return 0

    def phrase(self, text: str) -> Phrase | None:
        """Return a whole text as a phrase, words and parts in their standard order.

        ``None``: it does not have the form of a move.
        """
        given = phrase_of(self.tokens(text))
        template = self._whole.get(given.shape) or self._short.get(given.shape)
        return None if template is None else self._standard(given, template)

    def matches(self, tokens: list[Token]) -> list[Match]:
        """Return the phrases among tokens that name moves, in order; those by whole name first.

        A phrase without its component counts only where no other is.
        """
        return self._search(tokens, self._whole, False) or self._search(tokens, self._short, True)

    def _search(
        self, tokens: list[Token], shapes: dict[Shape, Template], short: bool
    ) -> list[Match]:
        words = phrase_of(tokens).shape
        matches: list[Match] = []
        first = 0
        while first < len(tokens):
            step = 1
            for length in self._lengths.get(words[first], ()):
                end = first + length
                shape = words[first:end]
                if len(shape) == length and shape in shapes:
                    phrase = self._standard(phrase_of(tokens[first:end]), shapes[shape])
                    matches.append(Match(phrase, first, end, short, shape in self._open))
                    step = length
                    break
            first += step
        return matches

    def _standard(self, given: Phrase, template: Template) -> Phrase:
        numbers = [given.numbers[place] for place in template.order]
        parts = self._unordered.get(template.shape)
        if parts is not None:
            count, size = parts
            first = len(numbers) - count * size
            items = [tuple(numbers[first + i * size :][:size]) for i in range(count)]
            numbers[first:] = [number for item in sorted(items) for number in item]
        return Phrase(template.shape, tuple(numbers))

    def _shape(self, form: str) -> Shape:
        return phrase_of(self.tokens(_filled(form))).shape

    @cached_property
    def _shapes(self) -> list[tuple[ComponentForms, Shape, list[Shape]]]:
        """Shapes of a component's name and of its moves without it."""
        return [
            (each, self._shape(each.name), list(dict.fromkeys(map(self._shape, each.options))))
            for each in self._components
        ]

    @cached_property
    def _whole(self) -> dict[Shape, Template]:
        """Templates of names and of the same words in other orders, by shape."""
        names: dict[Shape, Template] = {}
        alone: set[Shape] = set()
        others: dict[Shape, set[Template]] = {}
        for _, name, options in self._shapes:
            alone.update(options)
            for option in options:
                names[name + option] = _as_it_is(name + option)
                for shape, template in _orders(name, option):
                    others.setdefault(shape, set()).add(template)
        clear = {
            shape: templates.pop()
            for shape, templates in others.items()
            if len(templates) == 1 and shape not in names and shape not in alone
        }
        return clear | names

    @cached_property
    def component_of(self) -> dict[Shape, int]:
        """The only component with moves of a shape, where such a shape is not a whole name."""
        indices_by_shape: dict[Shape, list[int]] = {}
        for each, _, options in self._shapes:
            for option in options:
                indices_by_shape.setdefault(option, []).extend(each.indices)
        return {
            shape: indices[0]
            for shape, indices in indices_by_shape.items()
            if shape and len(indices) == 1 and shape not in self._whole
        }

    @cached_property
    def _short(self) -> dict[Shape, Template]:
        return {shape: _as_it_is(shape) for shape in self.component_of}

    @cached_property
    def _lengths(self) -> dict[str, list[int]]:
        """Lengths of shapes by their first word, longest first."""
        by_word: dict[str, set[int]] = {}
        for shape in (*self._whole, *self._short):
            by_word.setdefault(shape[0], set()).add(len(shape))
        return {word: sorted(lengths, reverse=True) for word, lengths in by_word.items()}

    @cached_property
    def _open(self) -> frozenset[Shape]:
        """Shapes that longer shapes begin with."""
        shapes = {*self._whole, *self._short}
        begun = {begin for shape in shapes for begin in accumulate((word,) for word in shape[:-1])}
        return frozenset(shapes & begun)

    @cached_property
    def _unordered(self) -> dict[Shape, tuple[int, int]]:
        """Numbers of parts joined by "and" and of numbers in each, where their order is free."""
        parts: dict[Shape, tuple[int, int] | None] = {}
        for each, name, options in self._shapes:
            for option in options:
                counts = _part_counts(option) if each.unordered else None
                for shape in (option, name + option):
                    parts[shape] = counts if parts.get(shape, counts) == counts else None
        return {shape: counts for shape, counts in parts.items() if counts is not None}

    @cached_property
    def verbs(self) -> frozenset[str]:
        """First words of moves without their components."""
        return frozenset(
            option[0] for _, _, options in self._shapes for option in options if option
        )

    def ends_with_component(self, tokens: list[Token]) -> bool:
        """Return whether tokens end with the name of a component of any number."""
        words = phrase_of(tokens).shape
        return any(words[-len(name) :] == name for _, name, _ in self._shapes)

    def names_component(self, tokens: list[Token]) -> bool:
        """Return whether tokens contain the name of a component of any number."""
        words = phrase_of(tokens).shape
        return any(
            words[first : first + len(name)] == name
            for name in {name for _, name, _ in self._shapes}
            for first in range(len(words) - len(name) + 1)
        )


def _as_it_is(shape: Shape) -> Template:
    return Template(shape, tuple(range(shape.count(PLACEHOLDER))))


def _filled(form: str) -> str:
    return form.replace(PLACEHOLDER, "0")


def _orders(name: Shape, option: Shape) -> Iterable[tuple[Shape, Template]]:
    """Yield other orders of the words of a move, as shapes with the templates to undo them."""
    places: dict[int, list[Shape]] = {0: [(preposition,) for preposition in PREPOSITIONS]}
    places[len(option)] = places[0]
    if "(" not in option and PLACEHOLDER in option:
        places[option.index(PLACEHOLDER) + 1] = places[0]
    if len(option) > 1 and option[1].isalpha():
        places[1] = [(), *places.get(1, [])]
    name_numbers, all_numbers = name.count(PLACEHOLDER), (name + option).count(PLACEHOLDER)
    for place, joints in places.items():
        before = option[:place].count(PLACEHOLDER)
        order = (
            *range(before, before + name_numbers),
            *range(before),
            *range(before + name_numbers, all_numbers),
        )
        for joint in joints:
            shape = option[:place] + joint + name + option[place:]
            yield shape, Template(name + option, order)
    for words in ((*name, *option), (*name, "and", *option)):
        yield ("choose", *words), _as_it_is(name + option)


def _part_counts(shape: Shape) -> tuple[int, int] | None:
    """Return the number of parts that a shape joins by "and", and of the numbers in each."""
    items: list[Shape] = [()]
    for word in shape:
        if word == "and":
            items.append(())
        else:
            items[-1] += (word,)
    last = items[-1]
    if len(items) == 1 or any(item[len(item) - len(last) :] != last for item in items):
        return None
    return len(items), last.count(PLACEHOLDER)
