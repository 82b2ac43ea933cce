"""Diagnosis of agents: the fault that explains an agent's moves on small games."""

from nim_envs.diagnosis.board import tiny_games
from nim_envs.diagnosis.diagnosis import diagnose
from nim_envs.diagnosis.report import Diagnosis, Finding, Score

__all__ = ["Diagnosis", "Finding", "Score", "diagnose", "tiny_games"]
