"""Records of a board: for each field, pairs of a place and the value there."""

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pettingzoo

from nim_envs import GameEnv, VectorGameEnv, VersusEnv, optimality
from nim_envs.scoring import best_response, expected_scores
from tests.frozen.boards import Board, numbers, text

Entries = Iterator[tuple[str, Any]]

PLAYERS = ("player_0", "player_1")
STARTS = ("fixed", "uniform", "n_position", "p_position", "balanced", "draw_position")
ENCODINGS = ("integer", "one_hot", "binary", "unary")
GAMES = 150
"""Number of turn-based games of a board."""


def first_legal(observations, masks):
    """Return the first legal actions."""
    return masks.argmax(axis=1)


def last_legal(observations, masks):
    """Return the last legal actions."""
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def at_random(observations, masks):
    """Return equal probabilities of the legal actions."""
    return masks / np.maximum(masks.sum(axis=1, keepdims=True), 1)


OPPONENTS = {"random": "random", "optimal": "optimal", "0.3": 0.3, "function": last_legal}


def rounded(number: float) -> float:
    """Return a number to 12 digits: the last bits of a sum depend on its order."""
    return float(f"{number:.12g}")


def ones(mask: Any) -> list[int]:
    """Return the indices of the ones of a mask."""
    return np.flatnonzero(mask).tolist()


# Positions, without an environment


def positions(board: Board) -> Entries:
    """Record which points are positions."""
    yield "number", len(board.all_positions)
    for position in board.positions:
        yield text(position), board.game.is_over(position)


def masks(board: Board) -> Entries:
    """Record the legal actions."""
    for position in board.positions:
        yield text(position), board.game.actions(position)


def successors(board: Board) -> Entries:
    """Record the positions after all moves, and the values of ends."""
    game = board.game
    for number, position in enumerate(board.positions):
        moves = game.moves(position)
        yield text(position), [text(after) for _, after in moves] or game.end_value(position)
        if number % 10 == 0:
            played = [game.play(position, action) for action, _ in moves]
            yield f"{text(position)}, played", [text(after) for after in played]


def values(board: Board) -> Entries:
    """Record the value of each position to the player to move."""
    solution, here = board.game.solution, np.array(board.positions)
    found = zip(solution.value(here).tolist(), solution.is_winning(here).tolist(), strict=True)
    for position, (value, won) in zip(board.positions, found, strict=True):
        yield text(position), [value, int(won)]
    for position in board.positions[::20]:
        value, won = solution.value(position), solution.is_winning(position)
        yield f"{text(position)}, alone", [value, won]


def winning(board: Board) -> Entries:
    """Record the winning moves, and those that keep the value."""
    solution, here = board.game.solution, board.positions
    kept = solution.keeping_mask(np.array(here))
    for number, (position, mask) in enumerate(zip(here, kept, strict=True)):
        yield text(position), [solution.winning_actions(position).tolist(), ones(mask)]
        if number % 20 == 0:
            yield f"{text(position)}, keeping", solution.keeping_actions(position).tolist()


def words(board: Board) -> Entries:
    """Record actions in words: those that are legal somewhere, and those at some positions."""
    game = board.game
    for action in sorted({action for here in board.positions for action in game.actions(here)}):
        yield f"action {action}", game.describe(action)
    for position in board.positions[:: len(board.positions) // 100 + 1]:
        for action in game.actions(position):
            yield f"{text(position)}, action {action}", game.describe(action, position)


# Environments


def space_of(space: Any) -> Any:
    """Return a space in a form that all versions of Gymnasium share."""
    if isinstance(space, gymnasium.spaces.Dict):
        return [[key, space_of(part)] for key, part in space.spaces.items()]
    if isinstance(space, gymnasium.spaces.Box):
        return [str(space.dtype), list(space.shape), space.low.tolist(), space.high.tolist()]
    return [str(space.dtype), np.asarray(getattr(space, "nvec", getattr(space, "n", 0))).tolist()]


def spaces(board: Board) -> Entries:
    """Record the spaces of all environments, with all encodings."""
    for encoding in ENCODINGS:
        env = GameEnv(board.game, encoding=encoding)
        for player in PLAYERS:
            yield f"{encoding}, {player}", space_of(env.observation_space(player))
        yield f"{encoding}, state and actions", [
            space_of(env.state_space), [space_of(env.action_space(player)) for player in PLAYERS]
        ]  # fmt: skip
        for with_mask in (True, False):
            one = VersusEnv(board.game, encoding=encoding, mask_in_observation=with_mask)
            yield f"{encoding}, versus, {with_mask}", space_of(one.observation_space)
    env = VectorGameEnv(board.game, 3)
    yield "batch", [space_of(env.observation_space), space_of(env.action_space)]


def encodings(board: Board) -> Entries:
    """Record the observations of positions, with all encodings."""
    here = [position for position in board.positions if not board.game.is_over(position)]
    for encoding in ENCODINGS:
        env = GameEnv(board.game, encoding=encoding)
        env.reset(seed=0)
        for position in here[:: len(here) // 50 + 1]:
            env.set_position(position, PLAYERS[1])
            seen = env.observe(PLAYERS[0])["observation"]
            numbers_seen = seen.astype(int).tolist()
            yield f"{encoding}, {text(position)}", [str(seen.dtype), numbers_seen]


def has_start(env: GameEnv, name: str) -> bool:
    """Return whether games can begin by a name; not every game has drawn positions, say."""
    try:
        env.reset(seed=0, options={"start": name})
    except ValueError:
        return False
    return True


def starts(board: Board) -> Entries:
    """Record the starts of every name."""
    env = GameEnv(board.game)
    for name in STARTS:
        if not has_start(env, name):
            yield f"{name}", "refused"
            continue
        for number in range(30):
            env.reset(seed=5 if number == 0 else None, options={"start": name})
            yield f"{name}, {number}", text(env.observe(PLAYERS[0])["observation"])
    env.reset(seed=6)
    for number in range(5):
        env.reset()
        yield f"the board's own, {number}", text(env.observe(PLAYERS[0])["observation"])


def moment(env: GameEnv) -> list[Any]:
    """Return everything that an environment shows of the moment of a game."""
    observed = [env.observe(player) for player in PLAYERS]
    return [
        env.agent_selection,
        *(text(each["observation"]) for each in observed),
        int(env.state()[-1]),
        *(ones(each["action_mask"]) for each in observed),
        [env.rewards[player] for player in env.agents],
        [[env.terminations[player], env.truncations[player]] for player in env.agents],
        [infos_of(env.infos[player]) for player in env.agents],
    ]


def infos_of(info: dict[str, Any]) -> dict[str, Any]:
    """Return an info without its arrays."""
    return {key: int(entry) for key, entry in info.items() if np.ndim(entry) == 0}


def drawn_action(env: GameEnv, below: Callable[[int], int], forfeits: bool) -> int:
    """Return a random legal action, or one time in ten any action."""
    if forfeits and below(10) == 0:
        return below(int(env.action_space(env.agent_selection).n))
    legal = ones(env.observe(env.agent_selection)["action_mask"])
    return legal[below(len(legal))]


def games(board: Board) -> Entries:
    """Record games of random moves, with forfeits, truncation and infos."""
    options = [(truth, limit) for limit in (None, 2) for truth in (False, True)]
    envs = [GameEnv(board.game, truth_in_info=truth, max_cycles=limit) for truth, limit in options]
    allowed = [name for name in STARTS if has_start(envs[0], name)]
    for number in range(GAMES):
        env, below = envs[number % len(envs)], numbers(number)
        start = {"start": allowed[number % len(allowed)]} if number % 7 else None
        env.reset(seed=number if number < 20 else None, options=start)
        yield f"game {number}, start", moment(env)
        for move in range(1000):
            if not env.agents or any((*env.terminations.values(), *env.truncations.values())):
                break
            action = drawn_action(env, below, number % 3 == 0)
            env.step(action)
            yield f"game {number}, move {move}", [action, *moment(env)]
        if number < 8:
            while env.agents:
                seen, reward, *ends, _ = env.last()
                env.step(None)
                yield (
                    f"game {number}, at its end, {len(env.agents)} left",
                    [ones(seen["action_mask"]), reward, ends],
                )


def pickles(board: Board) -> Entries:
    """Record how games go on after a round trip through a pickle, beside the original."""
    for number in range(6):
        env, below = GameEnv(board.game, truth_in_info=number % 2 == 1), numbers(number)
        env.reset(seed=number, options={"start": "uniform"})
        both = [env]
        for move in range(1000):
            if any(env.terminations.values()):
                break
            if move == number // 2:
                both.append(pickle.loads(pickle.dumps(env)))
            action = drawn_action(env, below, False)
            for each in both:
                each.step(action)
            yield f"game {number}, move {move}", [moment(each) for each in both]
        for each in both:
            each.reset()
        yield f"game {number}, after it", [moment(each) for each in both]


def ansi(board: Board) -> Entries:
    """Record pictures in text, with and without the winning moves."""
    for show in (False, True):
        env = GameEnv(board.game, render_mode="ansi", show_winning_moves=show)
        for number in range(3):
            below = numbers(number)
            env.reset(seed=number, options={"start": "uniform"})
            yield f"game {number}, start, {show}", env.render()
            for move in range(8):
                if any(env.terminations.values()):
                    break
                env.step(drawn_action(env, below, number == 1))
                yield f"game {number}, move {move}, {show}", env.render()


def versus(board: Board) -> Entries:
    """Record games against each opponent in both seats, and in self-play."""
    seats = [(name, seat) for name in OPPONENTS for seat in (0, 1)]
    for name, seat in [*seats, ("random", "random"), ("none", None)]:
        truth = name in ("random", "0.3")
        env = VersusEnv(
            board.game, opponent=OPPONENTS.get(name), seat=seat, truth_in_info=truth,
            max_cycles=3 if name == "0.3" else None, mask_in_observation=name != "function",
        )  # fmt: skip
        below = numbers(7)
        for number in range(6):
            start = {"start": "uniform"} if number > 2 else None
            seen, info = env.reset(seed=11 if number == 0 else None, options=start)
            place = f"{name}, seat {seat}, game {number}"
            yield f"{place}, start", turn_of(seen, info)
            for move in range(1000):
                legal = ones(info["action_mask"])
                action = legal[below(len(legal))]
                if number == 2 and move == 1:
                    action = below(int(env.action_space.n))
                seen, reward, *ends, info = env.step(action)
                yield f"{place}, move {move}", [action, reward, ends, *turn_of(seen, info)]
                if any(ends):
                    break


def turn_of(observation: Any, info: dict[str, Any]) -> list[Any]:
    """Return an observation and an info of Gymnasium."""
    seen = observation
    if isinstance(observation, dict):
        assert (observation["action_mask"] == info["action_mask"]).all()
        seen = observation["observation"]
    return [text(seen), ones(info["action_mask"]), infos_of(info)]


def batches(board: Board) -> Entries:
    """Record seeded batches of games: what they show, and the actions that they sample."""
    settings: list[dict[str, Any]] = [
        {"opponent": None},
        {"opponent": "random", "seat": "random", "autoreset_mode": "SameStep", "max_cycles": 3},
        {"opponent": "optimal", "seat": 1, "truth_in_info": True},
        {"opponent": 0.3, "autoreset_mode": "Disabled", "copy": False, "encoding": "unary"},
        {"opponent": last_legal, "seat": 0, "mask_in_observation": False},
    ]
    for setting, options in enumerate(settings):
        env = VectorGameEnv(board.game, 6, **options)
        start = {"start": ("uniform", "p_position", "balanced")[setting % 3]}
        if not has_start(GameEnv(board.game), start["start"]):
            start = {}
        seen, infos = env.reset(seed=3, options=start or None)
        yield f"batch {setting}, start", batch_of(seen, infos)
        for move in range(15):
            actions = env.sample_actions()
            if move % 5 == 4:
                actions = (actions + 1) % env.single_action_space.n
            seen, rewards, ended, cut, infos = env.step(actions)
            shown = [actions, rewards, ended.astype(int), cut.astype(int)]
            shown = [each.tolist() for each in shown]
            yield f"batch {setting}, step {move}", [*shown, *batch_of(seen, infos)]
            if options.get("autoreset_mode") == "Disabled" and (ended | cut).any():
                seen, infos = env.reset(options={"reset_mask": ended | cut})
                yield f"batch {setting}, after step {move}", batch_of(seen, infos)


def batch_of(seen: Any, infos: dict[str, Any]) -> list[Any]:
    """Return observations and infos of a batch."""
    observed = seen["observation"] if isinstance(seen, dict) else seen
    shown = {
        key: entry.astype(int).tolist()
        for key, entry in sorted(infos.items())
        if key in ("seat", "winner", "winning", "kept_win", "value", "kept_value", "_final_obs")
    }
    return [[text(row) for row in observed], [ones(row) for row in infos["action_mask"]], shown]


def ids(board: Board) -> Entries:
    """Record the environments that the ids of PettingZoo and Gymnasium make."""
    camel = "".join(word.capitalize() for word in board.registered.split("_"))
    aec = pettingzoo.make("aec", f"nim_envs/{board.registered}-v0", **board.arguments)
    aec.reset(seed=1)
    yield "pettingzoo", [str(aec.unwrapped), *moment(aec.unwrapped)]
    one = gymnasium.make(f"nim_envs/{camel}-v0", opponent="optimal", seat=1, **board.arguments)
    yield "gymnasium", [one.spec.id, *turn_of(*one.reset(seed=1))]
    many = gymnasium.make_vec(f"nim_envs/{camel}-v0", num_envs=3, seat=1, **board.arguments)
    yield "batch", [many.spec.id, *batch_of(*many.reset(seed=1))]


# Scores


def scores(board: Board) -> Entries:
    """Record the optimality of first legal and of random moves over every set of positions."""
    for name, policy in {"first": first_legal, "random": at_random}.items():
        for where in ("all", "reachable", *PLAYERS):
            score = optimality(policy, board.game, where)
            for kind, shares in ("all", score), ("decisive", score.decisive):
                if shares is not None:
                    found = [rounded(shares.percent), rounded(shares.random_percent), shares.count]
                    yield f"{name}, {where}, {kind}", found
            yield f"{name}, {where}, illegal", rounded(score.illegal_percent)
            blunders = sorted(text(position) for position in score.blunders)
            yield (
                f"{name}, {where}, blunders",
                [len(blunders), blunders[:: len(blunders) // 50 + 1]],
            )


def responses(board: Board) -> Entries:
    """Record expected scores by position: of a best response, and of two policies."""
    found = {
        "best response to first": best_response(first_legal, board.game),
        "best response to random": best_response(at_random, board.game),
        "first against random": expected_scores(first_legal, at_random, board.game),
        "last against first": expected_scores(last_legal, first_legal, board.game),
    }
    for name, scores_found in found.items():
        for role in ("moving", "waiting"):
            for place, score in board.scores(getattr(scores_found, role)):
                yield f"{name}, {role}, {place}", rounded(score)


FIELDS: dict[str, Callable[[Board], Entries]] = {
    each.__name__: each
    for each in (
        positions, masks, successors, values, winning, words, spaces, encodings, starts, games,
        pickles, ansi, versus, batches, scores, responses, ids,
    )
}  # fmt: skip


def fields_of(board: Board) -> dict[str, Callable[[], Entries]]:
    """Return what is recorded of a board, by field."""
    left_out = set() if board.registered else {"ids"}
    if not board.all_positions:  # scores by position are recorded where all are listed
        left_out |= {"responses"}
    return {
        name: lambda record=record: record(board)
        for name, record in FIELDS.items()
        if name not in left_out
    }
