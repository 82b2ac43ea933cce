"""What is wrong with an agent: the fault that explains its moves on small games."""

from nim_envs.testing.diagnosis.diagnosis import diagnose
from nim_envs.testing.diagnosis.report import Diagnosis, Finding, Score
from nim_envs.testing.diagnosis.tiny_games import tiny_games

__all__ = ["Diagnosis", "Finding", "Score", "diagnose", "tiny_games"]
