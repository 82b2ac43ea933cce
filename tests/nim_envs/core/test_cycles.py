"""Games whose play may never end, and is then drawn: truth, environments, scores, refusals.

The truth is unrolled: the value with a number of moves left, a draw where none is, from none left
on, until more moves than there are positions change nothing.
"""

import pickle
import sys

import numpy as np
import pettingzoo
import pytest

import nim_envs
from agents import OptimalAgent, OutcomeSearchAgent, QLearning, RandomAgent, train
from agents.match import play_match
from agents.metrics import TrainingRecorder, mean_entropy
from nim_envs import game_from_moves
from nim_envs.counting import count_games
from nim_envs.envs.batched import VectorGameEnv
from nim_envs.envs.versus import VersusEnv
from nim_envs.errors import ConformanceError, InvalidGameError, InvalidPolicyError
from nim_envs.scoring import beatable_share, best_response, expected_scores
from nim_envs.solution import solve
from nim_envs.text import Language, TextEnv, TextGame
from tests.commands import run_agents, run_nim_envs

NEIGHBOURS = ((2, 3), (2, 4), (0, 1, 3, 4), (0, 2, 4), (1, 2, 3))


def slide(position):
    """Pong Hau K'i: a piece moves along a line to the empty place; who cannot move has lost."""
    *cells, mover = position
    empty = cells.index(0)
    for place in NEIGHBOURS[empty]:
        if cells[place] == mover + 1:
            after = [*cells]
            after[empty], after[place] = mover + 1, 0
            yield f"{place} to {empty}", (*after, 1 - mover)


def pong_hau_ki():
    return game_from_moves("pong_hau_ki", (1, 1, 0, 2, 2, 0), slide, cycles="draw")


def ring(size, steps):
    def moves(position):  # a token moves around a ring; play ends at 0
        (place,) = position
        return [(step, ((place + step) % size,)) for step in steps] if place else []

    return moves


def random_moves(seed):
    """Moves of a random game of up to twelve positions, labels by action, and values of ends."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 13))
    moves = {}
    for place in range(count):
        wanted = 0 if rng.random() < 0.2 and place < count - 1 else int(rng.integers(1, 4))
        targets = sorted({int(each) for each in rng.integers(0, count, size=wanted)})
        moves[place,] = [(target, (target,)) for target in targets]
    return moves, {position: int(rng.integers(-1, 2)) for position in moves}


def unrolled(moves, outcome):
    """Return values, and moves after which they are known or -1, of all positions in ``moves``."""
    values = {position: 0 if moves[position] else outcome(position) for position in moves}
    known = {position: 0 if values[position] else -1 for position in moves}
    for ply in range(1, 2 * len(moves) + 1):
        now = {
            position: max((-values[after] for _, after in listed), default=values[position])
            for position, listed in moves.items()
        }
        if now == values:  # and so with any more moves
            break
        values = now
        known |= {each: ply for each in moves if known[each] < 0 and values[each]}
    return values, known


def check(game, moves_of, outcome=lambda position: -1):
    positions = [*map(tuple, game.positions().tolist())]
    labels = game.parts[0].labels
    moves = {position: [*moves_of(position)] for position in positions}
    values, known = unrolled(moves, outcome)
    solution = game.solution
    assert solution.value(positions).tolist() == [*map(values.get, positions)]
    assert solution.distance(positions).tolist() == [*map(known.get, positions)]
    keeping, hurrying = solution.keeping_mask(positions), solution.hurrying_mask(positions)
    for row, position in enumerate(positions):
        value, far = values[position], known[position]
        kept = {name: after for name, after in moves[position] if -values[after] == value}
        assert {labels[a] for a in keeping[row].nonzero()[0]} == ({*kept} if value >= 0 else set())
        soonest = {name for name, after in kept.items() if not value or known[after] == far - 1}
        assert {labels[a] for a in hurrying[row].nonzero()[0]} == soonest
    return values


@pytest.mark.parametrize("first", range(0, 250, 50))
def test_random_games_with_cycles_are_those_of_unrolled_play(first):
    with_cycles = 0
    for seed in range(first, first + 50):
        moves, ends = random_moves(seed)
        made = game_from_moves(
            "random", (len(moves) - 1,), moves.get, positions=[*moves], outcome=ends.get,
            cycles="draw",
        )  # fmt: skip
        with_cycles += made.has_cycles
        check(made, moves.get, ends.get)
    assert with_cycles >= 45


def test_pong_hau_ki_is_drawn_from_its_start_and_lost_where_blocked():
    game = pong_hau_ki()
    values = check(game, slide)
    assert values[game.start] == 0
    assert game.solution.method == "retrograde analysis"
    blocked = [position for position in values if not [*slide(position)]]
    assert len(blocked) == 4
    assert {values[position] for position in blocked} == {-1}


def test_a_token_on_a_ring_in_misere_play_and_without_an_end():
    # In misère play who would have to move at the end wins, and nobody goes there.
    def token(misere=False):
        return game_from_moves("ring", (3,), ring(7, (1, -1)), cycles="draw", misere=misere)

    nim_envs.register_game("ring_test", token, replace=True)
    for game in (token(misere=True), nim_envs.make_game("ring_test", misere=True)):
        assert game.solution.value(game.positions()).tolist() == [1, 0, 0, 0, 0, 0, 0]
        assert game.who_wins == "whoever makes the last move loses; play that never ends is drawn"
    with pytest.raises(InvalidGameError, match="the outcome of ring says who wins"):
        solve(token(), misere=True)
    # Without an end all is drawn.
    game = game_from_moves("ring", (3,), lambda p: [(1, ((p[0] + 1) % 5,))], cycles="draw")
    assert game.solution.value(game.positions()).tolist() == [0] * 5


def test_without_a_cycle_the_argument_changes_nothing():
    with pytest.raises(InvalidGameError, match=r"cycles must be None or one of \('draw',\)"):
        game_from_moves("ring", (3,), ring(4, (1, -1)), cycles="win")

    def steps(position):
        return [(n, (position[0] - n,)) for n in (1, 2) if n <= position[0]]

    plain, allowed = (game_from_moves("steps", (5,), steps, cycles=c) for c in (None, "draw"))
    assert plain.parts == allowed.parts
    assert not allowed.has_outcome
    assert nim_envs.GameEnv(allowed).max_cycles is None


def test_pickles_and_named_games_keep_their_cycles():
    game = pong_hau_ki()
    again = pickle.loads(pickle.dumps(game))
    assert again.has_cycles
    assert again.solution.value(again.start) == 0
    nim_envs.register_game("pong_hau_ki_test", game, replace=True)
    env = pettingzoo.make("aec", "nim_envs/pong_hau_ki_test-v0", max_cycles=3)
    assert env.unwrapped.game.has_cycles


@pytest.mark.parametrize("make", [nim_envs.GameEnv, VersusEnv, VectorGameEnv, TextGame, TextEnv])
def test_environments_need_a_limit(make):
    with pytest.raises(InvalidGameError, match="pong_hau_ki may never end: environments need max_"):
        make(pong_hau_ki())


def test_environments_truncate_with_reward_0():
    game = pong_hau_ki()
    nim_envs.check_env(nim_envs.GameEnv(game, max_cycles=20))
    nim_envs.check_env(VersusEnv(game, max_cycles=20, opponent="optimal", hurry=True))
    env = VersusEnv(game, max_cycles=4, opponent="optimal")
    _, info = env.reset(seed=0)
    for left in (3, 2, 1, 0):
        action = game.solution.keeping_actions(env.position)[0]
        _, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (0.0, False, not left)
    assert info["winner"] == -1
    batch = VectorGameEnv(game, 20, max_cycles=4, opponent="optimal", hurry=True, seat=1)
    observations, _ = batch.reset(seed=0)
    for left in (3, 2, 1, 0):
        actions = game.solution.keeping_mask(observations["observation"].astype(int)).argmax(1)
        observations, rewards, terminated, truncated, _ = batch.step(actions)
        assert (truncated == (left == 0)).all()
        assert not rewards.any()
        assert not terminated.any()


def test_games_in_text_end_where_they_are_cut_short():
    language = Language(pong_hau_ki(), rules="Move a piece. Who cannot move has lost")
    play, turn = TextGame(language, max_cycles=2, seat=0), None
    play.reset()
    for _ in range(2):
        action = language.game.solution.keeping_actions(play.position)[0]
        turn = play.reply(language.move(play.position, action))
        assert turn.verdict.kind == "kept_draw"
    assert turn.truncated
    assert (turn.over, turn.result, turn.points) == (True, 0.0, 0.5)
    assert turn.ending == "The game is truncated, without a winner."
    env = TextEnv(language, max_cycles=1, seat=0)
    env.reset(seed=0)
    action = language.game.solution.keeping_actions(language.game.start)[0]
    assert env.step(language.move(language.game.start, action))[1:4] == (0.0, False, True)


def last_legal(observations, action_masks):
    return action_masks.shape[1] - 1 - action_masks[:, ::-1].argmax(axis=1)


def first_legal(observations, action_masks):
    return action_masks.argmax(axis=1)


def illegal(observations, action_masks):
    return action_masks.argmin(axis=1)


def unrolled_scores(game, first, second):
    """Scores of ``first``, ``None`` for the best response, to move and waiting, by position."""
    positions = [*map(tuple, game.positions().tolist())]

    def reached(policy, position):
        after = [dict(game.moves(position))]
        if policy is not None and after[0]:
            mask = game.mask(position)
            (action,) = policy(np.array([position]), mask[np.newaxis])
            after = [{action: after[0].get(int(action))}]
        return [*after[0].values()]

    moving = {p: (1 + game.end_value(p)) / 2 if game.is_over(p) else 0.5 for p in positions}
    waiting = {p: 1 - score for p, score in moving.items()}
    scores = moving, waiting
    for _ in range(2 * len(positions)):
        now = tuple({**each} for each in scores)
        for position in positions:
            if mine := reached(first, position):
                now[0][position] = max(0.0 if a is None else scores[1][a] for a in mine)
            if theirs := reached(second, position):
                now[1][position] = min(1.0 if a is None else scores[0][a] for a in theirs)
        scores = now
    return [[each[position] for position in positions] for each in scores]


@pytest.mark.parametrize("seed", range(12))
def test_scores_of_policies_that_draw_no_moves_are_exact(seed):
    moves, ends = random_moves(seed)
    game = game_from_moves(
        "random", (len(moves) - 1,), moves.get, positions=[*moves], outcome=ends.get, cycles="draw"
    )
    for policy in (first_legal, illegal):
        response = best_response(policy, game)
        expected = unrolled_scores(game, None, policy)
        assert [response.moving.tolist(), response.waiting.tolist()] == expected
    met = expected_scores(first_legal, last_legal, game)
    expected = unrolled_scores(game, first_legal, last_legal)
    assert [met.moving.tolist(), met.waiting.tolist()] == expected


def test_what_is_not_exact_or_needs_an_end_is_refused_by_name():
    game = pong_hau_ki()
    env = nim_envs.GameEnv(game, max_cycles=5)
    with pytest.raises(InvalidPolicyError, match="best_response is exact in pong_hau_ki, where"):
        best_response(RandomAgent(), game)
    with pytest.raises(InvalidPolicyError, match="expected_scores is exact in pong_hau_ki, where"):
        expected_scores(first_legal, RandomAgent(), env)
    for name, call in {
        "longest_play": game.longest_play,
        "count_games": lambda: count_games(game),
        "mean_entropy": lambda: mean_entropy((RandomAgent(), RandomAgent()), game),
        "OutcomeSearchAgent": lambda: OutcomeSearchAgent(env),
    }.items():
        with pytest.raises(InvalidGameError, match=f"^{name} needs a game whose every play ends"):
            call()
    with pytest.raises(InvalidGameError, match="no part of a sum"):
        nim_envs.sum_of([game, nim_envs.make_game("nim")])


@pytest.mark.parametrize("wrong", [None, "a win called a draw", "a draw called a win", "too far"])
def test_values_and_distances_are_checked_by_those_after_each_move(wrong):
    game = pong_hau_ki()
    values, distances = game.solution.table.copy(), game.solution._retrograde[2].copy()
    won, drawn = np.flatnonzero(values == 1)[0], np.flatnonzero(values == 0)[0]
    if wrong == "a win called a draw":
        values[won], distances[won] = 0, -1
    elif wrong == "a draw called a win":
        values[drawn], distances[drawn] = 1, 1
    elif wrong == "too far":
        distances[won] += 2
    game.solution.table = values
    game.solution._retrograde = (game.board, values, distances)
    if wrong is None:
        nim_envs.check_game(game)
    else:
        with pytest.raises(ConformanceError, match="expected of retrograde analysis at"):
            nim_envs.check_game(game)


def test_scores_and_the_report_on_ones_own_game():
    game = pong_hau_ki()
    won = game.solution.value(game.positions()) == 1
    score = nim_envs.optimality(OptimalAgent(game), game, by_distance=True)
    assert (score.percent, score.by_distance) == (100.0, {-1: 100.0, 1: 100.0})
    assert nim_envs.optimality(first_legal, game, "reachable").count == 52
    assert won.sum() == 8
    assert beatable_share(first_legal, game) == 0.0
    report = str(nim_envs.diagnose(last_legal, nim_envs.GameEnv(game, max_cycles=9)))
    assert "By moves to the end: drawn 90.9 %, 1 0.0 %" in report


def test_learners_learn_and_players_meet():
    game = pong_hau_ki()
    env = nim_envs.GameEnv(game, max_cycles=15)
    learner = QLearning.for_env(env)
    recorder = TrainingRecorder(learner, game, every=1000)
    log = train(
        env, learner, 3000, seed=0, progress=False, after_game=recorder, after_every=recorder.every
    )
    assert nim_envs.optimality(learner.greedy(), game).percent == 100
    assert np.isnan(recorder.measurements(log).entropies).all()
    result = play_match(env, OptimalAgent(game), RandomAgent(), 20, seed=0)
    assert result.draws + sum(result.wins) == 20


def test_commands_take_a_limit(tmp_path, monkeypatch, capsys):
    (tmp_path / "typed_ring.py").write_text(
        "from tests.nim_envs.core.test_cycles import pong_hau_ki\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    game = ["--game", "typed_ring:pong_hau_ki"]
    try:
        assert run_nim_envs(["solve", *game]) == 0
        assert "; play that never ends is drawn" in capsys.readouterr().out
        train_words = ["train", *game, "--games", "50", "--output", "learner.zip"]
        assert run_agents(train_words) == 2
        assert "need max_cycles" in " ".join(capsys.readouterr().err.split())
        limited = [*game, "--max-cycles", "10"]
        assert run_agents([*train_words, "--max-cycles", "10"]) == 0
        players = ["--player", "learner.zip", "--opponent", "optimal"]
        assert run_agents(["match", *players, *limited, "--games", "4", "--hurry"]) == 0
        assert run_agents(["evaluate", "--player", "optimal", *limited]) == 0
        assert "only of policies that choose no move by chance" in capsys.readouterr().out
    finally:
        sys.modules.pop("typed_ring", None)
