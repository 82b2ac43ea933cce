"""AlphaZero: networks, self-play, targets, search, runs that are interrupted and go on."""

import itertools
import math
from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import agents
from agents import HypothesisError
from agents.research import alphazero
from agents.research.alphazero import MLP, Moves, Products, Settings, checkpoints
from agents.storage import StorageError, save
from nim_envs import GameEnv, make_game, optimality
from nim_envs.adapters.pgx import PgxEnv, make_pgx
from nim_envs.game import PLAYERS
from tests.clients.jax.plain_search import below_finished, plain
from tests.clients.nim import lost
from tests.clients.tutorials import run_tutorial
from tests.outcome_games import small_connect

# Six batches, of whose moves the memory keeps less than half.
SETTINGS = Settings(
    games=96, games_at_a_time=16, simulations=4, updates=2, minibatch=16, memory=64, width=8,
    depth=1,
)  # fmt: skip
BOARD = {"heaps": (2, 2), "start": "uniform"}
PRODUCTS = Settings(
    network="signed-products", games=1_000, games_at_a_time=50, simulations=8, learning_rate=0.01,
    updates=16, minibatch=64, memory=1_000,
)  # fmt: skip

both = pytest.mark.parametrize("misere", [False, True])


def board(misere=False, **arguments):
    return make_pgx("nim", **{**BOARD, **arguments}, misere=misere)


def train(settings=SETTINGS, env=None, seed=0, **arguments):
    arguments = {"scores": 6, "progress": False, **arguments}
    return alphazero.train(env or board(), settings, seed, **arguments)


def arrays(tree):
    return jax.tree.leaves(eqx.filter(tree, eqx.is_array))


def same(one, other):
    pairs = list(zip(arrays(one.network), arrays(other.network), strict=True))
    assert pairs
    return all((a == b).all() for a, b in pairs) and one.curve == other.curve


def games_saved(path):
    """How many games a checkpoint's run had played: the array before those of games in progress."""
    after = len(arrays(alphazero.begin(board(), SETTINGS, 0).playing))
    return checkpoints.content_of(path)["arrays"][-1 - after]


# Networks.


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("heaps", [(3, 3), (1, 2, 5)])
def test_signed_products_are_those_of_numpy_and_pytorch(signed, heaps):
    env = make_pgx("nim", heaps=heaps)
    game = env.game
    name = "signed-products" if signed else "unsigned-products"
    network = Products(env, Settings(network=name), jax.random.PRNGKey(1))
    weights = {name: np.asarray(array) for name, array in network.weights.items()}
    tensors = {name: torch.tensor(array) for name, array in weights.items()}
    count, columns = len(heaps), max(heaps).bit_length()
    assert network.board == (count, columns)

    inputs = network.formula.inputs(np.arange((count + 1) ** columns), count, columns)
    ours = np.asarray(network.logits_of_wins())
    assert len(ours) == (count + 1) ** columns
    numpy = network.formula.logits(weights, inputs, count)
    np.testing.assert_allclose(ours, numpy, rtol=1e-4, atol=1e-6)
    parts = [[torch.from_numpy(part) for part in column] for column in inputs]
    pytorch = network.formula.logits(tensors, parts, count, torch).numpy()
    np.testing.assert_allclose(ours, pytorch, rtol=1e-4, atol=1e-6)

    # A position is worth what the formula says, and a move the opposite of that after it.
    def worth(positions):
        keys = network.formula.key_table(count, columns)[np.arange(count), positions].sum(axis=-1)
        return np.tanh(ours[keys] / 2)

    positions = game.positions()
    logits, values = map(np.asarray, network(jnp.asarray(positions, jnp.int32)))
    assert logits.shape == (len(positions), env.num_actions)
    np.testing.assert_allclose(values, worth(positions), atol=1e-5)
    rows, actions = np.nonzero(game.mask(positions))
    after = game.step(positions[rows], actions)
    np.testing.assert_allclose(logits[rows, actions], -4 * worth(after), atol=1e-5)


# Self-play and targets.


@eqx.filter_jit
def self_play(state, env, settings, key):
    return alphazero.self_play(state, env, settings, key)


@eqx.filter_jit
def learn(state, env, settings, key):
    return alphazero.learn(state, env, settings, key)


def games_of(state, settings, place):
    """The moves made in one place, game by game, each from the full board; the last in progress."""
    of_place = slice(place, int(state.moves), settings.games_at_a_time)
    moves = Moves(*(np.asarray(part)[of_place] for part in state.memory))
    first = np.flatnonzero((moves.observation == moves.observation[0]).all(axis=1))
    return [
        Moves(*(part[start:stop] for part in moves))
        for start, stop in itertools.pairwise([*first, len(moves.result)])
    ]


@both
def test_recorded_games_are_games_and_results_are_those_of_the_movers(misere):
    """In every place whole games one after another, also where they go on in the next batch."""
    env, settings = board(misere, start="fixed"), replace(SETTINGS, memory=1 << 10)
    rules, other = env.game, GameEnv(env.game)
    state, lengths = alphazero.begin(env, settings, 0), []
    for batch in range(1, 5):
        before = int(state.games + state.playing.ended)
        state, length = self_play(state, env, settings, jax.random.PRNGKey(batch))
        ended = int(state.games + state.playing.ended)
        # Those that end with the last of a batch count for the next.
        assert int(state.games) == 16 * batch <= ended < 16 * (batch + 1)
        lengths += [float(length)] * (ended - before)
    found = []
    for place in range(16):
        games = games_of(state, settings, place)
        in_progress = int(state.playing.lengths[place])
        if in_progress:
            last = games.pop()
            assert last.result.tolist() == [0] * in_progress
        for game in games:
            positions = game.observation.tolist()
            other.reset(seed=0)
            for number, position in enumerate(positions):
                seen = other.observe(other.agent_selection)
                assert seen["observation"].tolist() == position
                legal = seen["action_mask"] != 0
                assert (game.mask[number] == legal).all()
                policy = game.policy[number]
                assert (policy[~legal] == 0).all()
                assert policy[legal].min() >= 0
                assert policy.sum() == pytest.approx(1, abs=1e-5)
                after = positions[number + 1] if number + 1 < len(positions) else [0, 0]
                options = [
                    action
                    for action in np.flatnonzero(legal)
                    if rules.step(np.array([position]), np.array([action]))[0].tolist() == after
                ]
                other.step(int(options[0]))
            assert all(other.terminations.values())
            results = [other.rewards[PLAYERS[number % 2]] for number in range(len(positions))]
            assert game.result.tolist() == results
            assert results[-1] == (-1 if misere else 1)
            found.append(len(positions))
    assert len(set(found)) > 1  # games are of unequal length
    assert len(found) == len(lengths) == ended
    assert sum(lengths) == pytest.approx(sum(found))
    assert int(state.moves) == sum(found) + int(state.playing.lengths.sum())


@pytest.mark.parametrize(
    ("name", "arguments", "equal", "encoding"),
    [
        ("nim", {"heaps": (2, 3, 2)}, [[0, 2], [1]], "binary"),
        ("kayles", {"heaps": (5,)}, [[0, 1, 2]], "integer"),
    ],
)
def test_moves_are_learned_from_under_each_permutation_of_equal_components(
    name, arguments, equal, encoding
):
    env = make_pgx(name, **arguments, encoding=encoding)
    game = env.game
    positions = np.repeat(game.positions()[1:], 60, axis=0)
    rows = np.arange(len(positions))
    states = jax.vmap(env.state_at)(positions)
    # Each action's weight says which it is.
    policy = jnp.asarray(np.tile(np.arange(env.num_actions, dtype=np.float32), (len(rows), 1)))
    moves = Moves(states.observation, states.legal_action_mask, policy, jnp.asarray(rows))
    shown = jax.tree.map(
        np.asarray, jax.jit(alphazero.permuted, static_argnums=1)(moves, env, jax.random.PRNGKey(0))
    )
    assert (shown.result == rows).all()
    # Which component came to each place, by the first of its actions.
    actions = shown.policy.astype(int)
    order = actions[:, :: game.options] // game.options
    options = np.arange(game.options)
    assert (
        actions.reshape(*order.shape, -1) == order[..., np.newaxis] * len(options) + options
    ).all()
    for group in equal:
        assert (np.sort(order[:, group], axis=1) == group).all()
        _, often = np.unique(order[:, group], axis=0, return_counts=True)
        assert len(often) == math.factorial(len(group))
        expected = len(rows) / len(often)
        assert (abs(often - expected) < 6 * math.sqrt(expected)).all()
    moved = np.take_along_axis(positions, order, axis=1)
    expected = jax.vmap(env.state_at)(moved)
    assert (shown.observation == expected.observation).all()
    assert (shown.mask == expected.legal_action_mask).all()


def test_the_loss_by_hand():
    logits = jnp.array([[0.0, 5.0, math.log(3)], [2.0, 0.0, 0.0]])
    values = jnp.array([0.5, 0.75])
    moves = Moves(
        observation=jnp.zeros((2, 1)),
        mask=jnp.array([[True, False, True], [True, False, False]]),
        policy=jnp.array([[0.5, 0.0, 0.5], [1.0, 0.0, 0.0]]),
        result=jnp.array([-1.0, 1.0]),
    )
    total, losses = alphazero.loss(lambda _: (logits, values), moves)
    # Of two legal actions with 1/4 and 3/4; and of a single one, which costs nothing.
    policy_loss = -(0.5 * math.log(1 / 4) + 0.5 * math.log(3 / 4)) / 2
    value_loss = (1.5**2 + 0.25**2) / 2
    assert float(losses["policy_loss"]) == pytest.approx(policy_loss)
    assert float(losses["value_loss"]) == pytest.approx(value_loss)
    assert float(total) == pytest.approx(policy_loss + value_loss)


def test_nothing_is_learned_from_games_in_progress_and_places_without_a_move():
    env, key = board(), jax.random.PRNGKey(1)
    state, _ = self_play(alphazero.begin(env, SETTINGS, 0), env, SETTINGS, key)
    unknown = np.asarray(state.memory.result) == 0
    assert 0 < state.playing.lengths.sum() < unknown.sum()
    nothing = jnp.where(unknown[:, np.newaxis], jnp.nan, state.memory.policy)
    spoilt = state._replace(memory=state.memory._replace(policy=nothing))
    one, other = (learn(each, env, SETTINGS, key)[0] for each in (state, spoilt))
    for a, b, before in zip(*map(arrays, (one.network, other.network, state.network)), strict=True):
        assert (a == b).all()
        assert (a != before).any()


# Search.


@pytest.mark.parametrize(("simulations", "scale"), [(7, 0.0), (32, 1.0)])
def test_search_is_that_of_mctx_where_no_game_ends(simulations, scale):
    """Six heaps are hardly ever removed by as few moves as are looked ahead."""
    env = board(heaps=(4,) * 6)
    network = MLP(env, SETTINGS, jax.random.PRNGKey(0))
    last = network.layers.layers[-1]
    sharp = eqx.tree_at(lambda mlp: mlp.layers.layers[-1].weight, network, 9 * last.weight)
    rng = np.random.default_rng(simulations)
    states = jax.vmap(env.state_at)(rng.integers(1, 5, size=(64, 6)))
    key = jax.random.PRNGKey(simulations)
    expected = jax.jit(lambda: plain(sharp, states, key, simulations, scale))()
    # mctx draws its noise with the second half of the key.
    key = jax.random.split(key)[1]
    found = jax.jit(lambda: alphazero.search(sharp, states, key, simulations, scale))()
    tree = expected.search_tree
    rows = ~np.asarray(tree.embeddings.terminated.any(axis=1))
    assert rows.sum() > 48
    # Where sums taken in another order make a difference, the trees differ.
    rows &= np.asarray((found.tree.parents == tree.parents).all(axis=1))
    assert rows.sum() > 48
    for name, ours, theirs in (
        ("action", found.action, expected.action),
        ("weights", found.action_weights, expected.action_weights),
        ("value", found.tree.value, tree.summary().value),
        ("visits", found.tree.visits[:, 0], tree.children_visits[:, 0]),
        ("Q-values", found.tree.qvalues[:, 0], tree.summary().qvalues),
    ):
        np.testing.assert_allclose(ours[rows], theirs[rows], atol=2e-4, err_msg=name)


@both
def test_no_simulation_goes_below_a_decided_position(misere):
    simulations = 32
    env = board(misere, heaps=(3, 4, 5))
    positions = env.game.positions()
    positions = positions[positions.any(axis=1)]
    network = MLP(env, SETTINGS, jax.random.PRNGKey(0))
    found = eqx.filter_jit(alphazero.search)(
        network, jax.vmap(env.state_at)(positions), jax.random.PRNGKey(1), simulations
    )
    made, below = below_finished(found)
    assert (below == 0).all()
    tree = jax.tree.map(np.asarray, found.tree._replace(states=None))
    nodes = np.asarray(found.tree.states.position)
    assert (tree.visits[:, 0].sum(axis=1) == made).all()
    assert (made[~tree.decided] == simulations).all()  # none is left over
    assert (made[tree.decided] < simulations).any()
    assert tree.decided[positions.sum(axis=1) <= 3].all()
    for game, position in enumerate(positions):
        truth = {node: -1.0 if lost(nodes[game, node], misere) else 1.0
                 for node in range(made[game] + 1)}  # fmt: skip
        if tree.decided[game]:
            assert tree.value[game] == truth[0], position
        # The values of actions that are closed are exact, whether open ones are left or not.
        decided = {0: tree.decided[game]}
        for node in range(1, made[game] + 1):
            edge = game, tree.parents[game, node], tree.actions[game, node]
            assert tree.children[edge] == node
            decided[node] = tree.closed[edge]
            if decided[node]:
                assert tree.qvalues[edge] == -truth[node], nodes[game, node]
        # After a win was found, nothing more was looked at below the position.
        latest = list(range(made[game] + 1))
        for node in range(made[game], 0, -1):
            above = tree.parents[game, node]
            latest[above] = max(latest[above], latest[node])
        for node in range(1, made[game] + 1):
            if decided[node] and truth[node] == -1:
                assert latest[tree.parents[game, node]] == latest[node], position


@both
def test_known_wins_are_played_and_known_losses_are_not(misere):
    """Also where the network and the noise prefer others."""
    env = board(misere, heaps=(1, 2, 3))
    positions = env.game.positions()
    positions = positions[positions.any(axis=1)]
    masks = env.game.mask(positions) != 0
    states = jax.vmap(env.state_at)(positions)
    wrong = np.zeros((len(positions), env.num_actions), np.float32)
    for row, (position, mask) in enumerate(zip(positions, masks, strict=True)):
        for action in np.flatnonzero(mask):
            (after,) = env.game.step(position[np.newaxis], np.array([action]))
            wrong[row, action] = 0 if lost(after, misere) else 50
    keys = np.cumprod([1, *env.game.fields[:0:-1]])[::-1].astype(np.int32)
    table = np.zeros((np.prod(env.game.fields), env.num_actions), np.float32)
    table[positions @ keys] = wrong

    def network(observations):
        return jnp.asarray(table)[observations @ keys], jnp.zeros(len(observations))

    found = jax.jit(lambda: alphazero.search(network, states, jax.random.PRNGKey(0), 500))()
    assert found.tree.decided.all()
    after = env.game.step(positions, np.asarray(found.action))
    for position, now in zip(positions, after, strict=True):
        assert lost(position, misere) or lost(now, misere), position
    assert np.take_along_axis(masks, np.asarray(found.action)[:, np.newaxis], axis=1).all()


# Runs.


@pytest.fixture(scope="module")
def whole():
    """A run that was not interrupted, and its settings."""
    settings = replace(SETTINGS, learning_rate=0.02)
    return train(settings, board(heaps=(2, 1))), settings


def test_the_same_seed_gives_the_same_network_and_another_another(whole):
    run, settings = whole
    assert [games for games, _ in run.curve] == [0, 16, 32, 48, 64, 80, 96]
    env = board(heaps=(2, 1))
    assert same(train(settings, env), run)
    assert not same(train(settings, env, seed=1), run)
    # How often it is scored changes nothing in training.
    seldom = train(settings, env, scores=2)
    assert [games for games, _ in seldom.curve] == [0, 48, 96]
    assert same(seldom._replace(curve=run.curve), run)
    assert train(settings, env, scores=0).curve == []


def interrupted(monkeypatch, name, calls, module=alphazero):
    """Let a function of a module raise ``KeyboardInterrupt`` after ``calls`` calls."""
    original, count = getattr(module, name), 0

    def stopped(*arguments, **named):
        nonlocal count
        count += 1
        if count > calls:
            raise KeyboardInterrupt
        return original(*arguments, **named)

    monkeypatch.setattr(module, name, stopped)


@pytest.mark.parametrize(
    ("name", "calls", "games"),
    [
        ("iterate", 5, 80),
        ("optimality", 1, 16),  # after a batch, before it is scored
        ("optimality", 6, 96),
    ],
)
def test_an_interrupted_run_ends_as_if_it_had_not_been(
    whole, tmp_path, monkeypatch, name, calls, games
):
    run, settings = whole
    env, path = board(heaps=(2, 1)), tmp_path / "run.zip"
    arguments = {"checkpoint": path, "checkpoint_every": 32}
    with monkeypatch.context() as patch:
        interrupted(patch, name, calls)
        with pytest.raises(KeyboardInterrupt):
            train(settings, env, **arguments)
    assert games_saved(path) == games
    assert same(train(settings, env, **arguments), run)
    assert same(train(settings, env, **arguments), run)  # nothing is left to be done


@pytest.fixture(scope="module")
def saved(whole, tmp_path_factory):
    """The checkpoint of a whole run."""
    _, settings = whole
    path = tmp_path_factory.mktemp("run") / "run.zip"
    train(settings, board(heaps=(2, 1)), checkpoint=path, scores=6)
    return path


@pytest.mark.parametrize(
    ("of_settings", "of_board", "seed", "message"),
    [
        ({}, {}, 1, "with seed 0, this one has 1"),
        ({"updates": 3}, {}, 0, "with updates 2, this one has 3"),
        ({}, {"misere": True}, 0, "with game .*normal play.* this one has .*misère play"),
        ({}, {"encoding": "one_hot"}, 0, "with encoding 'integer', this one has 'one_hot'"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused_and_kept(
    whole, saved, of_settings, of_board, seed, message
):
    before = saved.read_bytes()
    env, settings = board(**{"heaps": (2, 1), **of_board}), replace(whole[1], **of_settings)
    with pytest.raises(StorageError, match=message):
        train(settings, env, seed, checkpoint=saved)
    assert saved.read_bytes() == before


def test_a_damaged_file_or_one_of_another_kind_is_refused_and_kept(whole, saved, tmp_path):
    _, settings = whole
    path, damaged = tmp_path / "run.zip", saved.read_bytes()[:-1000]
    path.write_bytes(damaged)
    with pytest.raises(StorageError, match=r"run\.zip .*cannot be loaded"):
        train(settings, board(heaps=(2, 1)), checkpoint=path)
    assert path.read_bytes() == damaged
    save(agents.RealTimeDynamicProgramming(make_game("nim", heaps=(1, 2))), path)
    with pytest.raises(StorageError, match=r"holds \['learner'\], not a run of AlphaZero"):
        train(settings, board(heaps=(2, 1)), checkpoint=path)


def test_a_checkpoint_names_its_game_and_has_the_network(whole, saved):
    run, _ = whole
    network, env = alphazero.load(saved)
    assert env is board(heaps=(2, 1))
    assert all((a == b).all() for a, b in zip(arrays(network), arrays(run.network), strict=True))


# Learning, and what is done with what was learned.


@pytest.fixture(scope="module")
def products(tmp_path_factory):
    """A short run with signed products, its environment and its log."""
    env = board(heaps=(3, 3, 3))
    log = tmp_path_factory.mktemp("log")
    return train(PRODUCTS, env, scores=10, log=log), env, log


def test_signed_products_learn_a_small_board_that_they_can_represent(products):
    run, env, _ = products
    score = optimality(alphazero.raw_policy(run.network, env), env.game)
    assert (score.percent, score.count, score.illegal_percent) == (100, 48, 0)
    assert run.curve[-1] == (1_000, 100)
    assert run.curve[0][1] < 100


def test_the_log_has_losses_and_scores(products):
    run, _, log = products
    events = EventAccumulator(str(log)).Reload()
    assert set(events.Tags()["scalars"]) == {
        "game_length", "optimality_percent", "policy_loss", "value_loss",
    }  # fmt: skip
    scores = [(event.step, event.value) for event in events.Scalars("optimality_percent")]
    np.testing.assert_allclose(scores, run.curve, rtol=1e-5)


# Invalid arguments


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"network": "cnn"}, r"network must be one of \('mlp', .*\), not 'cnn'"),
        ({"updates": -1}, "updates must be an integer from 1 .*, not -1"),
        ({"learning_rate": math.nan}, "learning_rate must be a number over 0, and finite, not nan"),
        ({"symmetry": 1}, "symmetry must be True or False, not 1"),
        ({"games": 300}, "games must be a multiple of games_at_a_time, 250, not 300"),
    ],
)
def test_settings_out_of_range_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Settings(**settings)


def test_settings_that_do_not_fit_the_game_are_refused():
    with pytest.raises(ValueError, match="the moves of 16 games, up to 64, not 63"):
        train(replace(SETTINGS, memory=63))
    with pytest.raises(HypothesisError, match="heap 0 of kayles may split"):
        train(PRODUCTS, make_pgx("kayles", heaps=(3,)))
    with pytest.raises(ValueError, match=r"takes positions as integers, not encoded: binary"):
        train(PRODUCTS, board(encoding="binary"))


def test_the_tutorial_runs(tmp_path, capsys):
    named = run_tutorial("alphazero", tmp_path, HEAPS=(1, 2, 3), GAMES=1_250)
    printed = capsys.readouterr().out
    assert printed.count(" N-positions, all;") == 4 + 12
    assert "MatchResult(" in printed
    for curve in ("mlp_curve", "products_curve"):
        assert [games for games, _ in named[curve]] == list(range(0, 1_251, 250))
    network, env = alphazero.load(tmp_path / "products.zip")
    assert optimality(alphazero.raw_policy(network, env), env.game).percent > 0
    assert (tmp_path / "runs" / "mlp").is_dir()


def test_games_with_coordinates_are_learned_permuted_and_scored_by_their_positions():
    env = make_pgx("wythoff", queens=((3, 3), (3, 3)), start="uniform", encoding="one_hot")
    network, _ = train(replace(SETTINGS, symmetry=True, memory=500), env)
    score = optimality(alphazero.raw_policy(network, env), env.game)
    assert score.illegal_percent == 0
    positions = env.game.positions()
    positions = positions[env.game.mask(positions).any(axis=1)]
    masks = env.game.mask(positions)
    policies = alphazero.raw_policy(network, env), alphazero.search_policy(network, env, 4)
    for policy in policies:
        chosen = policy(positions, masks)
        assert masks[np.arange(len(masks)), chosen].all()
    logits, _ = network(jnp.asarray(env.encoding.encode(positions)))
    expected = np.where(masks, np.asarray(logits), -np.inf).argmax(axis=1)
    assert (policies[0](positions, masks) == expected).mean() > 0.99
    with pytest.raises(HypothesisError, match="is no heap"):
        train(PRODUCTS, make_pgx("wythoff", start="uniform"))


def test_drawn_games_are_learned_from():
    """Moves of games in progress alone are left out, and draws are told from wins and losses."""
    entry = small_connect()
    env = PgxEnv(replace(entry.game, starts="uniform"), "one_hot")
    settings = Settings(
        games=1_000, games_at_a_time=50, simulations=8, learning_rate=3e-3, updates=16,
        minibatch=256, memory=500, width=64, depth=2,
    )  # fmt: skip
    state, results = alphazero.begin(env, settings, 0), set()
    for _ in range(settings.games // settings.games_at_a_time):
        state, _ = alphazero.iterate(state, settings)
        known = np.asarray(alphazero.of_ended_games(state, settings))
        results |= set(np.asarray(state.memory.result)[known].tolist())
    assert results == {1.0, 0.0, -1.0}

    truth = {position: value for position, value in entry.truth().items() if entry.moves(position)}
    positions = np.array([*truth])
    _, values = map(np.asarray, state.network(jnp.asarray(env.encoding.encode(positions))))
    true = np.array([*truth.values()])
    lost, drawn, won = (values[true == value].mean() for value in (-1, 0, 1))
    assert lost < drawn < won
    assert abs(drawn) < 0.5  # nearer to a draw than to a win or a loss
    score = optimality(alphazero.raw_policy(state.network, env), env.game)
    assert score.percent > score.random_percent + 10
