"""What is wrong with an agent: the fault that explains its moves on small games."""

from nim_envs.testing.diagnosis.diagnosis import diagnose
from nim_envs.testing.diagnosis.games import tiny_games
from nim_envs.testing.diagnosis.report import Diagnosis, Finding, Score

__all__ = ["Diagnosis", "Finding", "Score", "diagnose", "tiny_games"]
