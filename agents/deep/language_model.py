"""A language model trained from random weights: first to name legal moves, then to play well.

The whole method in one file, in the order in which it is used: the words of a game, a decoder,
sampling of replies, supervised training on random legal moves, and policy gradient on its own
replies. Prompts, verdicts and games are those of :mod:`nim_envs.text`; the model learns from their
text alone.

The decoder is that of A. Radford et al., "Language models are unsupervised multitask learners"
(2019), with two layers; advantages within a group are those of Z. Shao et al., "DeepSeekMath"
(2024), section 4.1.1, for one update a batch, where nothing is clipped.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from nim_envs.game import Game
from nim_envs.text import Language, TextGame, move_text, prompt, reward, verdict
from nim_envs.text.phrases import words_of
from nim_envs.text.speakers import Speak
from nim_envs.typing import Position

BEGIN, END = "<begin>", "<end>"

WIDTH, HEADS, LAYERS = 64, 4, 2
"""Size of the decoder."""


class Words:
    """The words of a game's prompts and replies, with their numbers.

    A reply is the words of a move and :data:`END`. Signs such as the colon in ``"heap 1: take 2"``
    are left out, as replies are read without them too.

    Args:
        game: the game; all its prompts must be equally long, and so must all its moves.

    Raises:
        ValueError: they are not.
        SearchTooLargeError: too many positions to list; or the game cannot be solved.

    Example:
        >>> from nim_envs import make_game
        >>> words = Words(make_game("nim", heaps=(1, 2)))
        >>> words.words
        ('<begin>', '<end>', '0', '1', '2', 'heap', 'heaps', 'move', 'normal', 'take')
        >>> words.replies(["heap 1: take 2"]).tolist()
        [[5, 3, 9, 4, 1]]
        >>> words.text([5, 3, 9, 4, 1])
        'heap 1 take 2'
    """

    def __init__(self, game: Game) -> None:
        self.language = Language(game)
        lattice = game.rules.lattice()
        listed = lattice[~game.rules.is_terminal(lattice)]
        won = np.asarray(game.solution.is_winning(listed))
        self.positions: list[Position] = [tuple(position) for position in listed.tolist()]
        self.won: list[Position] = [tuple(position) for position in listed[won].tolist()]
        prompts = [words_of(prompt(self.language, here)) for here in self.positions]
        moves = [words_of(text) for here in self.positions for text in self.moves(here)]
        plain = sorted({word for text in prompts + moves for word in text})
        self.words = (BEGIN, END, *plain)
        self.numbers = {word: index for index, word in enumerate(self.words)}
        self.prompt_length = _only_length("prompts", prompts)
        self.reply_length = _only_length("moves", moves)

    def moves(self, position: Position) -> list[str]:
        """Return the legal moves of a position as text."""
        legal = np.flatnonzero(self.language.game.rules.action_mask(np.array(position)))
        return [move_text(self.language, position, action) for action in legal.tolist()]

    def prompts(self, texts: Sequence[str]) -> Tensor:
        """Return the numbers of prompts' words, each after :data:`BEGIN`, ``(n, words)``."""
        return self._numbers([(BEGIN, *words_of(text)) for text in texts])

    def prompts_at(self, positions: Sequence[Position]) -> Tensor:
        """Return the numbers of the words of the prompts at positions, ``(n, words)``."""
        return self.prompts([prompt(self.language, position) for position in positions])

    def replies(self, texts: Sequence[str]) -> Tensor:
        """Return the numbers of replies' words, each before :data:`END`, ``(n, length)``."""
        return self._numbers([(*words_of(text), END) for text in texts])

    def _numbers(self, texts: Sequence[Sequence[str]]) -> Tensor:
        unknown = {word for text in texts for word in text} - self.numbers.keys()
        if unknown:
            raise ValueError(
                f"{', '.join(map(repr, sorted(unknown)))}: not among the words of "
                f"{self.language.name}, {', '.join(self.words[2:])}"
            )
        return torch.tensor([[self.numbers[word] for word in text] for text in texts])

    def text(self, numbers: Sequence[int]) -> str:
        """Return a reply as text: the words before the first :data:`END`."""
        words = [self.words[number] for number in numbers]
        return " ".join(words[: words.index(END)] if END in words else words)


def _only_length(what: str, texts: Sequence[Sequence[str]]) -> int:
    """Return the number of words of every text, with :data:`BEGIN` or :data:`END`."""
    lengths = sorted({len(text) + 1 for text in texts})
    if len(lengths) != 1:
        raise ValueError(f"all {what} of the game must have as many words, not {lengths}")
    return lengths[0]


Cache = list[tuple[Tensor, Tensor]]
"""Keys and values of the words read so far, ``(n, heads, words, width / heads)``, by layer."""


class Block(nn.Module):
    """A layer: attention to the words so far, then a small network for each word."""

    def __init__(self) -> None:
        super().__init__()
        self.before_attention = nn.LayerNorm(WIDTH)
        self.queries_keys_values = nn.Linear(WIDTH, 3 * WIDTH)
        self.attended = nn.Linear(WIDTH, WIDTH)
        self.network = nn.Sequential(
            nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
        )

    def forward(
        self, x: Tensor, past: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Return the words' vectors after the layer, and the keys and values up to them."""
        n, words, _ = x.shape
        each = self.queries_keys_values(self.before_attention(x))
        queries, keys, values = each.view(n, words, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        if past is not None:
            keys, values = torch.cat([past[0], keys], 2), torch.cat([past[1], values], 2)
        weights = queries @ keys.transpose(2, 3) * keys.shape[3] ** -0.5
        if words > 1:  # a word does not see those after it
            unseen = torch.ones(words, keys.shape[2], dtype=torch.bool)
            weights = weights.masked_fill(unseen.triu(keys.shape[2] - words + 1), -torch.inf)
        heads = weights.softmax(3) @ values
        x = x + self.attended(heads.transpose(1, 2).reshape(n, words, WIDTH))
        return x + self.network(x), (keys, values)


class Decoder(nn.Module):
    """A transformer that predicts the next word.

    Args:
        words: vocabulary, to read and to write.
        seed: seed of the weights.
    """

    def __init__(self, words: Words, seed: int) -> None:
        super().__init__()
        vocabulary = len(words.words)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.word = nn.Embedding(vocabulary, WIDTH)
            # The last word of a reply is never read.
            self.place = nn.Embedding(words.prompt_length + words.reply_length - 1, WIDTH)
            self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
            self.last = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, vocabulary))

    def forward(self, numbers: Tensor, past: Cache | None = None) -> tuple[Tensor, Cache]:
        """Return the logits of the word after each word, and the cache up to it.

        Args:
            numbers: indices of words, ``(n, words)``.
            past: cache of the tokens before them; ``None``: there are none.

        Returns:
            Logits ``(n, words, vocabulary)`` and the cache.
        """
        begin = past[0][0].shape[2] if past else 0
        x = self.word(numbers) + self.place.weight[begin : begin + numbers.shape[1]]
        cache = []
        for index, block in enumerate(self.blocks):
            x, seen = block(x, past[index] if past else None)
            cache.append(seen)
        return self.last(x), cache


def read(model: Decoder, prompts: Tensor) -> tuple[Tensor, Cache]:
    """Read prompts, equal ones only once.

    Args:
        model: the decoder.
        prompts: numbers of words, ``(n, words)``.

    Returns:
        Logits of the first word of the replies, ``(n, vocabulary)``, and the cache.
    """
    distinct, which = prompts.unique(dim=0, return_inverse=True)
    logits, cache = model(distinct)
    return logits[which, -1], [(keys[which], values[which]) for keys, values in cache]


@torch.inference_mode()
def sample(
    model: Decoder, prompts: Tensor, length: int, generator: torch.Generator | None = None
) -> Tensor:
    """Return replies, ``(n, length)``, drawn word by word.

    Args:
        model: the decoder.
        prompts: numbers of words, ``(n, words)``.
        length: words of a reply.
        generator: generator of the draws; ``None``: the most probable word each time.
    """
    logits, cache = read(model, prompts)
    words: list[Tensor] = []
    while True:
        if generator is None:
            words.append(logits.argmax(1))
        else:
            words.append(logits.softmax(1).multinomial(1, generator=generator)[:, 0])
        if len(words) == length:
            return torch.stack(words, 1)
        each, cache = model(words[-1][:, None], cache)
        logits = each[:, 0]


def log_probabilities(model: Decoder, prompts: Tensor, replies: Tensor) -> Tensor:
    """Return the logarithm of the probability of each word of replies, ``(n, length)``."""
    first, cache = read(model, prompts)
    others, _ = model(replies[:, :-1], cache)
    logits = torch.cat([first[:, None], others], 1)
    return -functional.cross_entropy(logits.transpose(1, 2), replies, reduction="none")


def speaker(words: Words, model: Decoder, seed: int | None = None) -> Speak:
    """Return the model as a function from prompts to replies, as :mod:`nim_envs.text` takes it.

    Args:
        words: words of the game.
        model: the decoder.
        seed: seed of the replies, which are sampled; ``None``: the most probable word each time.
    """
    generator = None if seed is None else torch.Generator().manual_seed(seed)

    def speak(prompts: list[str]) -> list[str]:
        replies = sample(model, words.prompts(prompts), words.reply_length, generator)
        return [words.text(reply) for reply in replies.tolist()]

    return speak


@dataclass(frozen=True)
class SupervisedSettings:
    """Settings of the supervised training.

    Args:
        updates: steps of Adam.
        positions: positions in an update.
        moves: random legal moves at each of them.
        rate: learning rate at the beginning; it falls to 0 in a straight line.
    """

    updates: int = 800
    positions: int = 64
    moves: int = 4
    rate: float = 3e-3


def learn_to_speak(
    words: Words,
    seed: int,
    settings: SupervisedSettings,
    positions: Sequence[Position] | None = None,
) -> Decoder:
    """Return a new decoder that has learned to name random legal moves.

    Args:
        words: words of the game.
        seed: seed of the weights and the moves.
        settings: settings of the training.
        positions: positions to learn from; ``None``: all that leave a move.
    """
    rng = np.random.default_rng(seed)
    model = Decoder(words, seed)
    optimizer = torch.optim.Adam(model.parameters(), settings.rate)
    falling = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, settings.updates)
    places = words.positions if positions is None else positions
    prompts = words.prompts_at(places)
    moves = [words.replies(words.moves(position)) for position in places]
    for _ in range(settings.updates):
        which = np.repeat(rng.integers(len(places), size=settings.positions), settings.moves)
        replies = [moves[row][rng.integers(len(moves[row]))] for row in which]
        loss = -log_probabilities(model, prompts[which], torch.stack(replies)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        falling.step()
    return model


@dataclass(frozen=True)
class Credit:
    """The reward of a reply, and how it is credited.

    Args:
        opponent: ``None``: the verdict on the reply, 1 for a win that was kept, else 0, where a
            group is several replies to one prompt. ``"self"`` or ``"optimal"``: the result of the
            game, 1 or -1, where a group is several games from one start.
        positive: whether replies with a negative advantage are left out.
        reference_replies: replies of each group that are not the model's own, but those of the
            reference model, which has only learned to speak; only where verdicts are the reward.

    Raises:
        ValueError: another opponent, or replies of the reference model in games.
    """

    opponent: str | None = None
    positive: bool = False
    reference_replies: int = 0

    def __post_init__(self) -> None:
        """Check the arguments."""
        if self.opponent not in (None, "self", "optimal"):
            raise ValueError(f"opponent must be None, 'self' or 'optimal', not {self.opponent!r}")
        if self.opponent and self.reference_replies:
            raise ValueError("reference_replies must be 0 where results are paid")


@dataclass(frozen=True)
class PolicyGradientSettings:
    """Settings of policy gradient.

    Args:
        moves: sampled replies after which training ends, those of the reference model included.
        groups: groups of replies in an update, where verdicts are the reward.
        games: groups of games in an update, where results are.
        size: replies, or games, in a group.
        rate: learning rate of Adam; in the second half it falls to 0 in a straight line.
        betas: decay rates of Adam's means.
    """

    moves: int = 200_000
    groups: int = 10
    games: int = 6
    size: int = 16
    rate: float = 1e-3
    betas: tuple[float, float] = (0.9, 0.95)


class Batch(NamedTuple):
    """Replies for one update.

    Attributes:
        prompts: numbers of words, ``(n, words)``.
        replies: numbers of words, ``(n, length)``.
        advantages: ``(n,)``.
    """

    prompts: Tensor
    replies: Tensor
    advantages: Tensor


def advantages(rewards: Tensor) -> Tensor:
    """Return A = (r − mean) / std within each group; 0 where all rewards of a group are equal.

    Args:
        rewards: ``(groups, size)``.
    """
    spread = rewards.std(1, correction=0, keepdim=True)
    return torch.where(spread > 0, (rewards - rewards.mean(1, keepdim=True)) / spread, 0.0)


def policy_loss(model: Decoder, batch: Batch) -> Tensor:
    """Return −Σ A log π(reply | prompt) / n, whose gradient is minus the policy gradient."""
    # Replies with an advantage of 0 add nothing to the gradient.
    used = batch.advantages.nonzero()[:, 0]
    log_likelihoods = log_probabilities(model, batch.prompts[used], batch.replies[used]).sum(1)
    return -(batch.advantages[used] @ log_likelihoods) / len(batch.advantages)


class PolicyGradient:
    """A model that learns to play from its own replies.

    Args:
        words: words of the game.
        reference: the model that has learned to speak, with which training begins; it is not
            changed.
        credit: reward of replies.
        settings: settings of the training.
        seed: seed of starts, replies and opponents.
        positions: N-positions at which it is asked, and games begin; ``None``: all.
    """

    def __init__(
        self,
        words: Words,
        reference: Decoder,
        credit: Credit,
        settings: PolicyGradientSettings,
        seed: int,
        positions: Sequence[Position] | None = None,
    ) -> None:
        self.words, self.reference, self.credit, self.settings = words, reference, credit, settings
        self.positions = words.won if positions is None else list(positions)
        self.prompts = words.prompts_at(self.positions)
        self.model = copy.deepcopy(reference)
        self.optimizer = torch.optim.Adam(
            self.model.parameters(), settings.rate, betas=settings.betas
        )
        self.rng = np.random.default_rng(seed)
        self.generator = torch.Generator().manual_seed(int(self.rng.integers(2**62)))
        self.moves = 0
        # Few of all possible replies are ever said, so each is judged once.
        self.reward_of = lru_cache(maxsize=None)(self._reward_of)
        opponent = None if credit.opponent == "self" else credit.opponent
        self.plays = [
            TextGame(words.language, opponent, seat=0, seed=int(self.rng.integers(2**62)))
            for _ in range(settings.games * settings.size if credit.opponent else 0)
        ]

    def _reward_of(self, row: int, reply: tuple[int, ...]) -> float:
        """Return the reward of a reply at one of the positions, which are all won."""
        truth = verdict(self.words.language, self.positions[row], self.words.text(reply))
        return reward(truth) or 0.0

    def update(self) -> None:
        """Sample replies, and change the model once."""
        batch = self.by_result() if self.credit.opponent else self.by_turn()
        self.moves += len(batch.advantages)
        left = 1 - self.moves / self.settings.moves
        self.optimizer.param_groups[0]["lr"] = self.settings.rate * min(1.0, max(0.0, 2 * left))
        if self.credit.positive:
            batch = batch._replace(advantages=batch.advantages.clamp(min=0))
        if batch.advantages.any():
            self.optimizer.zero_grad()
            policy_loss(self.model, batch).backward()
            self.optimizer.step()

    def by_turn(self) -> Batch:
        """Return groups of replies to one prompt each, rewarded by the verdicts on them."""
        size, others = self.settings.size, self.credit.reference_replies
        which = torch.from_numpy(
            self.rng.choice(len(self.positions), self.settings.groups, replace=False)
        )

        def replies_of(model: Decoder, each: int) -> Tensor:
            """Return ``each`` replies of a model to every prompt, ``(groups, each, length)``."""
            replies = self._replies(model, self.prompts[which].repeat_interleave(each, 0))
            return replies.unflatten(0, (len(which), each))

        replies = replies_of(self.model, size - others)
        if others:
            replies = torch.cat([replies, replies_of(self.reference, others)], 1)
        rewards = torch.tensor(
            [
                [self.reward_of(row, tuple(reply)) for reply in group]
                for row, group in zip(which.tolist(), replies.tolist(), strict=True)
            ]
        )
        prompts = self.prompts[which].repeat_interleave(size, 0)
        return Batch(prompts, replies.flatten(0, 1), advantages(rewards).flatten())

    def by_result(self) -> Batch:
        """Return the replies of groups of games with one start each, rewarded by the results."""
        starts = self.rng.choice(len(self.positions), self.settings.games, replace=False)
        prompts_of_plays = [
            play.reset(self.positions[start])
            for play, start in zip(self.plays, starts.repeat(self.settings.size), strict=True)
        ]
        # Of the player who moves first; the other one's in self-play has the opposite sign.
        results = torch.zeros(len(self.plays))
        prompts, replies, games, signs = [], [], [], []
        going = list(range(len(self.plays)))
        while going:
            prompts.append(self.words.prompts([prompts_of_plays[row] for row in going]))
            replies.append(self._replies(self.model, prompts[-1]))
            games += going
            over = set()
            for row, reply in zip(going, replies[-1].tolist(), strict=True):
                signs.append(1 if self.plays[row].seat == 0 else -1)
                turn = self.plays[row].reply(self.words.text(reply))
                if turn.prompt is None:
                    results[row] = signs[-1] * turn.result
                    over.add(row)
                else:
                    prompts_of_plays[row] = turn.prompt
            going = [row for row in going if row not in over]
        of_games = advantages(results.view(-1, self.settings.size)).flatten()
        of_replies = of_games[torch.tensor(games)] * torch.tensor(signs)
        return Batch(torch.cat(prompts), torch.cat(replies), of_replies)

    def _replies(self, model: Decoder, prompts: Tensor) -> Tensor:
        return sample(model, prompts, self.words.reply_length, self.generator)
