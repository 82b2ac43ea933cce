"""Names that others import stay importable, and no module hides what its package exports."""

from __future__ import annotations

import ast
import importlib
import itertools
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# In the README and the tutorials, or public for other reasons; written before modules moved.
_PUBLIC = """
nim_envs.BalancedStart
nim_envs.Convention
nim_envs.FixedStart
nim_envs.Game
nim_envs.GameEnv
nim_envs.OutcomeStart
nim_envs.Rules
nim_envs.Start
nim_envs.UniformStart
nim_envs.VectorGameEnv
nim_envs.VersusEnv
nim_envs.check_env
nim_envs.check_game
nim_envs.diagnose
nim_envs.game_from_moves
nim_envs.make_game
nim_envs.optimality
nim_envs.register_game
nim_envs.solve

nim_envs.envs.vector.VectorGameEnv
nim_envs.envs.versus.VersusEnv

nim_envs.rules.Component
nim_envs.rules.SplittingHeap
nim_envs.rules.SubtractionHeap
nim_envs.rules.TableComponent
nim_envs.rules.Token
nim_envs.rules.addition
nim_envs.rules.dawsons_chess
nim_envs.rules.dawsons_kayles
nim_envs.rules.graph
nim_envs.rules.grundy
nim_envs.rules.heap_game
nim_envs.rules.kayles
nim_envs.rules.nim
nim_envs.rules.octal
nim_envs.rules.octal_game
nim_envs.rules.officers
nim_envs.rules.splitting
nim_envs.rules.subtraction
nim_envs.rules.sum_of

nim_envs.registration.GAMES
nim_envs.registration.aec_id
nim_envs.registration.gymnasium_id
nim_envs.registration.make_aec
nim_envs.registration.make_vector
nim_envs.registration.make_versus

nim_envs.testing.ConformanceError
nim_envs.testing.Diagnosis
nim_envs.testing.Finding
nim_envs.testing.check_env
nim_envs.testing.check_game
nim_envs.testing.check_policy
nim_envs.testing.diagnose

nim_envs.text.PROMPT_VERSION
nim_envs.text.Blunder
nim_envs.text.Disguise
nim_envs.text.KINDS
nim_envs.text.Language
nim_envs.text.Reading
nim_envs.text.TextEnv
nim_envs.text.TextGame
nim_envs.text.TextPolicy
nim_envs.text.TextScore
nim_envs.text.Transcript
nim_envs.text.Turn
nim_envs.text.Verdict
nim_envs.text.disguised
nim_envs.text.move_text
nim_envs.text.prompt
nim_envs.text.read_move
nim_envs.text.reward
nim_envs.text.rules_text
nim_envs.text.score
nim_envs.text.verdict

nim_envs.theory.HeapSearch
nim_envs.theory.Solution
nim_envs.theory.bouton
nim_envs.theory.count_games
nim_envs.theory.ferguson
nim_envs.theory.grundy_values
nim_envs.theory.levels
nim_envs.theory.mex
nim_envs.theory.misere_grundy_values
nim_envs.theory.nim_sum
nim_envs.theory.perft
nim_envs.theory.reachable
nim_envs.theory.search_grundy_values
nim_envs.theory.search_winning
nim_envs.theory.sprague_grundy
nim_envs.theory.tame_misere

nim_envs.solver.solve

nim_envs.cgt.misere_quotients.Genus
nim_envs.cgt.misere_quotients.HeapQuotients
nim_envs.cgt.misere_quotients.MisereQuotient
nim_envs.cgt.misere_quotients.heap_genera
nim_envs.cgt.misere_quotients.misere_quotient

agents.research.column_automata.ColumnAutomaton
agents.research.column_automata.MoveRelation
agents.research.column_automata.heap_reading
agents.research.column_automata.move_to_lost
agents.research.column_automata.prove

agents.SARSA
agents.ActorCritic
agents.Agent
agents.AlphaBetaAgent
agents.ColumnAutomatonLearner
agents.Decay
agents.DoubleQLearning
agents.EpsilonOptimalAgent
agents.ExpectedSARSA
agents.GameChoosingLearner
agents.GameLearner
agents.GradientBandit
agents.HeapSymmetry
agents.HumanAgent
agents.HypothesisError
agents.Learner
agents.MinimaxAgent
agents.MonteCarloES
agents.NaturalPolicyGradient
agents.NimSumShaping
agents.Opponents
agents.OptimalAgent
agents.OutcomeSearchAgent
agents.Policy
agents.QLearning
agents.QuotientLearner
agents.RandomAgent
agents.RealTimeDynamicProgramming
agents.Replay
agents.SampledAfterstateTD
agents.SignedProducts
agents.TabularLearner
agents.Trainable
agents.Transition
agents.WatkinsQLambda
agents.WinLossRatio
agents.load
agents.save
agents.train

agents.training.DRAW
agents.training.Env
agents.training.Opponents
agents.training.TrainingLog
agents.training.TrainingStopped
agents.training.play_and_learn
agents.training.train

agents.evaluation.MatchResult
agents.evaluation.Optimality
agents.evaluation.POSITION_SETS
agents.evaluation.SEATS
agents.evaluation.ValueAccuracy
agents.evaluation.VisitRecorder
agents.evaluation.ExpectedScores
agents.evaluation.beatable_share
agents.evaluation.best_response
agents.evaluation.optimality
agents.evaluation.optimality_by_size
agents.evaluation.play_match
agents.evaluation.value_accuracy
agents.evaluation.expected_scores

agents.storage.StorageError
agents.storage.load
agents.storage.save

agents.testing.check_learner
"""
PUBLIC = _PUBLIC.split()

# These need a library each.
_NEED_A_LIBRARY = """
agents.research.network.network_agent
nim_envs.adapters.openspiel.game_of
nim_envs.adapters.pgx.PgxEnv
nim_envs.adapters.pgx.PgxState
nim_envs.adapters.pgx.make_pgx
nim_envs.adapters.rllib.MaskedPettingZooEnv
nim_envs.adapters.sb3.EntropyDecay
nim_envs.adapters.sb3.GameVecEnv
nim_envs.adapters.sb3.NEGAMAX
nim_envs.adapters.sb3.OptimalityCallback
nim_envs.adapters.sb3.sb3_policy
nim_envs.adapters.torchrl.TorchRLEnv
nim_envs.adapters.torchrl.TorchRLVectorEnv
nim_envs.adapters.trl.GameRollouts
nim_envs.adapters.trl.TurnCreditTrainer
nim_envs.adapters.trl.game_environment
nim_envs.adapters.trl.game_result
nim_envs.adapters.trl.kept_win
nim_envs.adapters.trl.legal_move
nim_envs.adapters.trl.positions_dataset
nim_envs.adapters.verifiers.DirectHarness
nim_envs.adapters.verifiers.MoveTaskset
nim_envs.adapters.verifiers.PlayEnv
nim_envs.adapters.verifiers.PlayTaskset
"""
NEED_A_LIBRARY = _NEED_A_LIBRARY.split()


def test_public_names_are_importable():
    for name in PUBLIC:
        module, _, attribute = name.rpartition(".")
        found = getattr(importlib.import_module(module), attribute)
        assert not hasattr(found, "__path__"), f"a package has taken the name of {name}"


def test_names_that_need_a_library_stand_where_they_stood():
    for name in NEED_A_LIBRARY:
        module, _, attribute = name.rpartition(".")
        path = ROOT.joinpath(*module.split("."))
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        assert attribute in names_in(path), name


@pytest.mark.parametrize("package", ["nim_envs", "agents"])
def test_exported_names_are_listed_here(package):
    exported = {f"{package}.{name}" for name in importlib.import_module(package).__all__}
    assert exported == {name for name in PUBLIC if name.rpartition(".")[0] == package}


@pytest.mark.parametrize("package", ["nim_envs", "agents"])
def test_exported_names_are_imported_when_they_are_used_and_known_to_type_checkers(package, forks):
    module = importlib.import_module(package)
    path = Path(module.__file__)
    checked = {
        alias.name: node.module
        for block in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(block, ast.If)
        for node in block.body
        for alias in node.names
    }
    assert set(checked) == set(module.__all__)
    for name, home in checked.items():
        assert getattr(module, name) is getattr(importlib.import_module(home), name)
    code = f"import {package}; [getattr({package}, name) for name in {package}.__all__]"
    forks.output(code)
    assert {*module.__all__, "__name__"} <= set(dir(module))
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        _ = module.nothing


def names_in(path):
    """Names that a module defines or imports at its top level."""
    names = set()
    statements = ast.parse(path.read_text(encoding="utf-8")).body
    # Imports in a block that reports a missing library count too, and those for type checkers.
    blocks = [node.body for node in statements if isinstance(node, (ast.With, ast.If))]
    for node in itertools.chain(statements, *blocks):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


def hidden_names(folder):
    """Exported names of a package that are names of modules in it, too."""
    init = folder / "__init__.py"
    modules = {path.stem for path in folder.glob("*.py")}
    modules |= {path.parent.name for path in folder.glob("*/__init__.py")}
    return names_in(init) & modules


def test_no_module_has_the_name_of_what_its_package_exports():
    for package in ("nim_envs", "agents", "benchmarks"):
        for path in (ROOT / package).rglob("__init__.py"):
            assert hidden_names(path.parent) == set(), path


def test_a_hidden_name_would_be_found(tmp_path):
    (tmp_path / "__init__.py").write_text("from package.train import train\n", encoding="utf-8")
    (tmp_path / "train.py").write_text("def train(): ...\n", encoding="utf-8")
    assert hidden_names(tmp_path) == {"train"}
