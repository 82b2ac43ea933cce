"""Diagnosis of agents by probe games: small games in which each known fault shows in the moves."""

from nim_envs.diagnosis.diagnose import diagnose
from nim_envs.diagnosis.faults import FAULTS
from nim_envs.diagnosis.probes import PROBES, Probe, Question
from nim_envs.diagnosis.report import Diagnosis, GameReport

__all__ = ["FAULTS", "PROBES", "Diagnosis", "GameReport", "Probe", "Question", "diagnose"]
