"""Games as text, for language models and people, with exact verdicts on replies.

A position is a prompt, a move is a line such as ``"heap 1: take 2"``, and a reply is read, judged
and scored exactly. Neither a model nor another package is needed.
"""

from nim_envs.text.disguise import Disguise
from nim_envs.text.environment import TextEnv
from nim_envs.text.language import Language, disguised
from nim_envs.text.play import TextGame, Transcript, Turn
from nim_envs.text.prompts import PROMPT_VERSION, move_text, prompt, rules_text
from nim_envs.text.reading import Reading, read_move
from nim_envs.text.scores import Blunder, TextScore, score
from nim_envs.text.verdicts import KINDS, Verdict, reward, verdict

__all__ = [
    "KINDS",
    "PROMPT_VERSION",
    "Blunder",
    "Disguise",
    "Language",
    "Reading",
    "TextEnv",
    "TextGame",
    "TextScore",
    "Transcript",
    "Turn",
    "Verdict",
    "disguised",
    "move_text",
    "prompt",
    "read_move",
    "reward",
    "rules_text",
    "score",
    "verdict",
]
