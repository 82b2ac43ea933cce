"""The diagnosis of right and of faulty agents, of what else it is given, and its report."""

import json

import numpy as np
import pytest

from nim_envs import GameEnv, VersusEnv, diagnose, make_game
from nim_envs.diagnosis import FAULTS, PROBES
from nim_envs.errors import InvalidGameError, InvalidPolicyError
from tests.agents_of_diagnosis import learners
from tests.agents_of_diagnosis.learners import Setting

GAMES = 300


def table(fault="", games=GAMES, **settings):
    """A training function: Q-learning with a table, with a fault."""
    return lambda env: learners.table(env, games, 0, Setting(fault, **settings))


def report_of(train, **arguments):
    return diagnose(train, progress=False, **{"boards": False, **arguments})


def names(report):
    return [finding.name for finding in report.faults]


@pytest.mark.parametrize("form", ["negamax", "own"])
def test_a_right_agent_is_right_after_one_training_each(form):
    report = report_of(table(form=form))
    assert (report.verdict, report.faults) == ("right", ())
    assert [probe.trainings for probe in report.probes] == [1] * len(PROBES)
    assert {probe.games for probe in report.probes} == {GAMES}
    assert str(report).startswith("Verdict: right on every probe\nRight: one move, ")


@pytest.mark.parametrize(
    ("fault", "form", "expected"),
    [
        ("wrong sign", "negamax", "wrong sign"),
        ("wrong sign", "own", "wrong sign"),
        ("result of the loser never learned", "own", "result of the loser never learned"),
        ("one seat never learned", "own", "one seat never learned"),
        *(
            pytest.param(fault, "negamax", fault, marks=pytest.mark.exhaustive)
            for fault in (
                "discount 0",
                "draws as wins",
                "observations halved",
                "actions off by one",
                "illegal actions played",
                "same action always",
            )
        ),
    ],
)
def test_a_fault_is_named(fault, form, expected):
    report = report_of(table(fault, form=form))
    assert report.verdict == "faulty"
    assert expected in names(report)
    text = str(report)
    assert text.splitlines()[1].startswith("Fault: ")
    assert expected in text.splitlines()[1]
    assert FAULTS[names(report)[0]].meaning in text
    assert len(text.splitlines()) <= 16


def test_the_same_preference_everywhere_and_illegal_actions_are_seen_at_once():
    always = report_of(lambda env: lambda o, m: (m * [1, 3, 2]).argmax(axis=1))
    assert names(always) == ["same action always"]

    def unmasked(env):
        learned = table()(env)
        return lambda o, m: np.where(m.sum(axis=1) == 1, 0, learned(o, m))

    illegal = report_of(unmasked)
    assert (illegal.verdict, names(illegal)) == ("faulty", ["illegal actions played"])
    assert all(probe.right for probe in illegal.probes)


def test_what_is_harmless_is_said_with_tact():
    errs = report_of(table(form="own", opponent="random", epsilon=1.0))
    assert errs.verdict == "right, but"
    assert "it counts on mistakes" in str(errs)
    clipped = report_of(table("rewards clipped to 0..1", form="own"))
    assert clipped.verdict == "right, but"
    assert "does not tell a loss from a draw" in str(clipped)


def test_too_little_training_and_unknown_faults_get_no_name():
    few = report_of(table(games=12))
    assert (few.verdict, few.faults) == ("not trained enough", ())
    assert "12 games on a probe" in str(few)

    def contrary(env):
        # Right but for its second player, and where the game ends with its next own turn.
        learned = table()(env)
        rounds = env.game.summary.startswith(("next turn", "second player"))
        return lambda o, m: 2 - learned(o, m) if rounds and m.shape[1] == 3 else learned(o, m)

    odd = report_of(contrary)
    assert odd.verdict == "not in the list"
    assert "the opposite of what is right on next turn, second player" in str(odd)


def test_policies_that_answer_differently_are_told_at_once():
    for fault, verdict in (("explores in play", "stochastic"), ("stale observations", "remembers")):
        report = report_of(table(fault))
        assert report.verdict == verdict
        assert [probe.name for probe in report.probes] == ["one move"]

    def batch(env):
        learned = table()(env)
        return lambda o, m: learned(o, m) if len(o) > 1 else 2 - learned(o, m)

    assert report_of(batch).verdict == "batch"
    assert report_of(table(ties="random")).verdict == "right"


def test_values_choose_between_faults_that_move_alike_and_must_have_their_shape():
    with_values = report_of(table("discount 0", form="own", discount=1.0))
    assert "discount 0" in names(with_values)

    def pair(env):
        policy = table("zero reward")(env)
        return policy, policy.values

    assert any("never move from 0" in note for note in report_of(pair).notes)
    for wrong in (np.nan, None):

        def broken(env, wrong=wrong):
            policy = table("wrong sign")(env)
            shape = (1,) if wrong is None else None
            return policy, lambda o, m: np.zeros(shape or m.shape) if shape else m * wrong

        with pytest.raises(InvalidPolicyError, match=r"values (must be of shape|are NaN)"):
            report_of(broken)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("", "cut short: right."),
        ("truncation as end", "cut short: truncation as end: a cut counts as the end."),
    ],
)
def test_games_that_are_cut_short_stand_in_a_line_of_their_own(fault, words):
    report = report_of(table(fault), max_cycles=1)
    assert report.verdict == "right"
    assert words in str(report)


def test_other_environments_and_other_observations():
    def versus(env):
        rng, q = np.random.default_rng(0), {}

        def of(seen):
            return q.setdefault(tuple(seen.tolist()), np.zeros(3))

        for game in range(GAMES):
            observed, _ = env.reset(seed=game)
            over = False
            while not over:
                legal = np.flatnonzero(observed["action_mask"])
                values = of(observed["observation"])
                greedy = int(legal[values[legal].argmax()])
                action = int(rng.choice(legal)) if rng.random() < 0.4 else greedy
                observed, reward, over, *_ = env.step(action)
                legal = np.flatnonzero(observed["action_mask"])
                later = 0.0 if over else of(observed["observation"])[legal].max()
                values[action] += 0.3 * (reward + 0.9 * later - values[action])
        return lambda o, m: np.where(m, [of(each) for each in o], -9).argmax(axis=1)

    report = report_of(
        versus, make_env=lambda game: VersusEnv(game, opponent="random", seat="random")
    )
    assert report.verdict == "right, but"

    def one_hot(env):
        return learners.table(env, GAMES, 0, Setting("wrong sign"))

    report = report_of(one_hot, make_env=lambda game: GameEnv(game, encoding="one_hot"))
    assert names(report)[0] == "wrong sign"


def test_an_agent_of_one_board_is_probed_on_it():
    game = make_game("nim", heaps=(3, 4, 5))
    shape = GameEnv(game).observation_space("player_0")["observation"]

    def only_here(env):
        assert env.observation_space("player_0")["observation"] == shape, "another board"
        return learners.table(env, GAMES, 0, Setting("wrong sign"))

    assert names(report_of(only_here, probes_on=game))[0] == "wrong sign"
    with pytest.raises(RuntimeError, match=r"(?s)'one move' raised AssertionError.*probes_on=game"):
        report_of(only_here)
    with pytest.raises(InvalidGameError, match="probes_on needs a game of at least"):
        report_of(only_here, probes_on=make_game("nim", heaps=(1, 1)))
    with pytest.raises(TypeError, match="probes_on must be a Game or None, not 'nim'"):
        report_of(only_here, probes_on="nim")


def test_a_ladder_of_boards_follows_where_all_is_right():
    report = diagnose(table(games=300), progress=False)
    assert [probe.right for probe in report.probes] == [True] * len(PROBES)
    assert len(report.boards) == 5
    assert report.boards[0].percent > report.boards[-1].percent
    assert "Below 100 % from" in str(report) or "No better than random" in str(report)
    assert len(str(report).splitlines()) <= 16


def first_legal(observations, action_masks):
    return action_masks.argmax(axis=1)


def test_on_one_game_no_fault_is_named_and_the_score_is_exact():
    report = diagnose(first_legal, make_game("nim", heaps=(1, 2)))
    # Of the five positions with a move, 1-1 is lost; it wins at 0-1 and 1-0 alone.
    assert (report.count, report.percent) == (4, 50.0)
    text = str(report)
    assert "Worst: at 0-2 it plays heap 1: take 1; right is heap 1: take 2" in text
    assert "more games; with a table, less exploration" in text
    assert set(report.by_seat) == {"player_0", "player_1"}
    solved = make_game("nim", heaps=(1, 2))
    perfect = diagnose(
        lambda o, m: (2 * solved.solution.winning_mask(o) + m).argmax(axis=1), solved
    )
    assert perfect.percent == 100
    assert "no fault" not in str(perfect)
    illegal = diagnose(lambda o, m: (1 - m).argmax(axis=1), make_game("nim", heaps=(1, 2)))
    assert illegal.illegal_percent > 0
    assert "it plays illegal action" in str(illegal)


def test_reports_are_plain_values_and_show_moves():
    report = report_of(table("wrong sign"), verbose=True)
    assert "reply, win over draw, action 0: right [0], played " in str(report)
    again = json.loads(json.dumps(report.to_dict()))
    assert (again["verdict"], again["faults"][0]["name"]) == ("faulty", "wrong sign")
    assert again["probes"][0]["letters"] == {
        "win over draw": "+", "draw over loss": "+", "win over loss": "+",
    }  # fmt: skip
    json.dumps(diagnose(first_legal, make_game("nim", heaps=(1, 2))).to_dict())


def test_the_number_of_games_is_passed_on_where_it_is_taken():
    seen = set()

    def train(env, games):
        seen.add(games)
        return learners.table(env, games, 0, Setting())

    assert report_of(train, games=350).verdict == "right"
    assert report_of(train).verdict == "right"
    assert seen == {350, 600}


NIM = make_game("nim", heaps=(1, 2), start="uniform")


def test_a_training_function_is_trained_and_scored_on_one_game():
    seen = []

    def train(env, games):
        seen.append((env.game, games, env.max_cycles))
        return learners.table(env, games, 0, Setting()), None

    assert report_of(train, env_or_game=NIM).percent == 100
    assert report_of(train, env_or_game=GameEnv(NIM), games=400).percent == 100
    assert report_of(train, env_or_game=NIM, max_cycles=9).percent == 100
    assert seen == [(NIM, 3_000, None), (NIM, 400, None), (NIM, 3_000, 9)]


def test_values_of_illegal_actions_may_be_anything():
    def train(env):
        policy = learners.table(env, GAMES, 0, Setting("wrong sign"))
        return policy, lambda o, masks: np.where(masks, policy(o, masks)[:, np.newaxis], -np.inf)

    assert "diverge" not in str(report_of(train))


def test_a_policy_may_draw_its_moves_by_a_generator():
    drawn = diagnose(lambda o, m, rng: m / m.sum(axis=1, keepdims=True), NIM)
    assert drawn.percent == pytest.approx(drawn.random_percent)


@pytest.mark.parametrize(
    ("subject", "game", "error", "words"),
    [
        (lambda env: None, None, TypeError, "on the probe 'one move' it returned None"),
        (lambda env: 1 / 0, None, RuntimeError, "'one move' raised ZeroDivisionError"),
        (lambda env: lambda o, m: m * np.nan, None, InvalidPolicyError, "finite"),
        (lambda env: lambda o, m: o, None, InvalidPolicyError, "shape"),
        (first_legal, None, TypeError, "a function train"),
        (3, None, TypeError, "a function train"),
        (dict, None, TypeError, "a function train"),
        (lambda env, number: None, None, TypeError, "whose other arguments have defaults"),
        (lambda env: None, "nim", TypeError, r"not 'nim': a game by name is make_game\(name\)"),
        (lambda env: (env, lambda o, m: o), None, TypeError, "returned"),
        (lambda env: 1 / 0, NIM, RuntimeError, "its game raised ZeroDivisionError"),
        (lambda env: None, NIM, TypeError, "a policy must be a function"),
        (lambda env, games, seed: None, NIM, TypeError, "takes neither an environment, as a "),
    ],
)
def test_wrong_arguments_are_refused_in_a_sentence(subject, game, error, words):
    with pytest.raises(error, match=words):
        diagnose(subject, game, progress=False)


@pytest.mark.parametrize("number", ["games", "max_cycles"])
def test_numbers_are_at_least_one(number):
    with pytest.raises(InvalidGameError, match=f"{number} must be an integer from 1 to "):
        report_of(table(), **{number: 0})


def test_the_error_of_a_training_function_is_kept():
    def train(env):
        raise KeyError("my own")

    with pytest.raises(RuntimeError) as raised:
        report_of(train)
    assert isinstance(raised.value.__cause__, KeyError)
