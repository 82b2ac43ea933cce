"""verifiers: tasksets of single moves and of whole games, in which the engine speaks for the user.

verifiers finds a taskset by the name of a module at the top level that has it in its ``__all__``,
so a file of two lines makes these known to it; the tutorial has one.
"""

from collections.abc import Iterable
from typing import Any, Literal

from nim_envs.optional import imports_for
from nim_envs.registry import make_game
from nim_envs.text import PROMPT_VERSION, Language, TextGame, Turn, Verdict, prompt, reward
from nim_envs.text import verdict as verdict_of
from nim_envs.text.language import language_of
from nim_envs.text.play import mean_reward
from nim_envs.text.scores import positions_to_ask

with imports_for("the adapter for verifiers", "verifiers"):
    import verifiers.v1 as vf
    from openai import AsyncOpenAI
    from verifiers.v1.dialects.chat import message_to_wire
    from verifiers.v1.runtimes import ProgramResult


class GameSpec(vf.TaskData):
    """The game of a row, so that each trace can be judged on its own.

    Attributes:
        game: name of a registered game.
        arguments: arguments of :func:`nim_envs.make_game`.
        disguise: seed of other names; ``None``: the game's own names.
        style: style of the prompts.
        answer: form of the answers.
        last_line: whether the last line of a reply is searched for the move.
        prompt_version: version of the prompts' format.
        rules: sentences that say what a move is and who wins, as :class:`nim_envs.text.Language`
            takes them; ``None``: those of the game.
    """

    game: str
    arguments: dict[str, Any]
    disguise: int | None = None
    style: str
    answer: str = "line"
    last_line: bool
    prompt_version: int = PROMPT_VERSION
    rules: str | None = None

    def language(self) -> Language:
        """Return the language of the game."""
        return language_of(make_game(self.game, **self.arguments), self.disguise, self.rules)


class GameConfig(vf.TasksetConfig):
    """The game and the language of a taskset; see :class:`GameSpec`."""

    game: str = "nim"
    arguments: dict[str, Any] = {}  # noqa: RUF012
    disguise: int | None = None
    style: str = "sentences"
    answer: str = "line"
    last_line: bool = False
    rules: str | None = None

    def spec(self) -> dict[str, Any]:
        """Return the fields of a row that are the same in all rows."""
        names = ("game", "arguments", "disguise", "style", "answer", "last_line", "rules")
        return {name: getattr(self, name) for name in names}


class MoveData(GameSpec):
    """A position for one move."""

    position: tuple[int, ...]


class MoveTask(vf.Task[MoveData, vf.State, vf.TaskConfig]):
    """One move at one position."""

    def verdict(self, trace: vf.Trace) -> Verdict:
        """Return the truth about the last reply of a trace."""
        data = self.data
        return verdict_of(
            data.language(),
            data.position,
            trace.last_reply,
            answer=data.answer,
            last_line=data.last_line,
        )

    @vf.reward
    async def kept_win(self, trace: vf.Trace) -> float | dict[str, float]:
        """Return 1 for a reply that keeps the win, ½ for a draw; nothing where all moves lose."""
        earned = reward(self.verdict(trace))
        return {} if earned is None else earned

    @vf.metric
    async def verdict_kind(self, trace: vf.Trace) -> dict[str, float]:
        """Return 1 under the kind of the verdict."""
        return {self.verdict(trace).kind: 1.0}


class MoveTaskset(vf.Taskset[MoveTask, GameConfig]):
    """All N-positions of a game, one task each; where draws exist, all that score() asks."""

    def load(self) -> Iterable[MoveTask]:
        """Return the tasks, in the order of the positions."""
        spec = self.config.spec()
        language = GameSpec(**spec).language()
        for position in positions_to_ask(language.game).tolist():
            yield MoveTask(
                MoveData(
                    name=f"{language.name} at {position}",
                    prompt=prompt(language, position, self.config.style, answer=self.config.answer),
                    position=tuple(position),
                    **spec,
                ),
                self.config.task,
            )


class PlayData(GameSpec):
    """A whole game: opponent, seat and seed.

    Attributes:
        opponent: as :class:`nim_envs.text.TextGame` takes it, by name or probability.
        seat: the model's seat: 0 moves first, 1 second, or ``"random"``.
        start: as :func:`nim_envs.make_game` takes it.
        retries: most repetitions of a turn.
        rewards: ``"result"``: 1 for a win, ½ for a draw, else 0; ``"turn"``: the mean reward of the
            turns that have one.
        seed: seed of the game.
    """

    opponent: str | float
    seat: Literal[0, 1, "random"]
    start: str
    retries: int
    rewards: Literal["result", "turn"]
    seed: int

    def begin(self) -> tuple[TextGame, str]:
        """Return the game at its first turn, and the first prompt."""
        # The model sees the whole conversation: it gets the rules once.
        style = "conversation" if self.style == "sentences" else self.style
        play = TextGame(
            self.language(), self.opponent, self.seat, self.start, self.retries, self.seed,
            style=style, answer=self.answer, last_line=self.last_line,
        )  # fmt: skip
        return play, play.reset()


class PlayConfig(GameConfig):
    """Whole games; see :class:`PlayData`."""

    games: int = 100
    """Number of games, each with its own seed."""
    opponent: str | float = "optimal"
    seat: Literal[0, 1, "random"] = "random"
    start: str = "n_position"
    retries: int = 0
    rewards: Literal["result", "turn"] = "result"
    seed: int = 0


class PlayTask(vf.Task[PlayData, vf.State, vf.TaskConfig]):
    """One whole game."""


class PlayTaskset(vf.Taskset[PlayTask, PlayConfig]):
    """Games against an opponent, one task each."""

    def load(self) -> Iterable[PlayTask]:
        """Return the tasks; the first prompt of each game is its task's."""
        names = ("opponent", "seat", "start", "retries", "rewards")
        spec = self.config.spec() | {name: getattr(self.config, name) for name in names}
        for game_index in range(self.config.games):
            data = PlayData(name=f"game {game_index}", seed=self.config.seed + game_index, **spec)
            yield PlayTask(data.model_copy(update={"prompt": data.begin()[1]}), self.config.task)


class PlayEnvConfig(vf.EnvConfig):
    """The seat of the model."""

    player: vf.AgentConfig = vf.AgentConfig()


class PlayEnv(vf.Env[PlayEnvConfig]):
    """A whole game, in which the engine speaks for the user: it answers every move."""

    async def run(self, task: PlayTask, agents: vf.Agents) -> None:
        """Play one game, and record its reward."""
        play, _ = task.data.begin()
        turns: list[Turn] = []
        async with agents.player.interaction(task) as interaction:
            segment = await interaction.turn()
            while not segment.terminated:
                turns.append(play.reply(segment.last_reply))
                if turns[-1].over:
                    break
                segment = await interaction.turn(turns[-1].message)
        won = turns[-1].points if turns else 0.0
        trace = interaction.trace
        by_turn = task.data.rewards == "turn"
        trace.record_reward("kept_win", mean_reward(turns) or 0.0, float(by_turn))
        trace.record_reward("won", won, float(not by_turn))
        trace.record_metric("turns", float(len(turns)))
        trace.info["verdicts"] = [turn.verdict.kind for turn in turns]
        trace.info["rewards_by_turn"] = [turn.reward for turn in turns]


class DirectHarness(vf.Harness[vf.HarnessConfig]):
    """Asks the model once a turn from this process; it installs and fetches nothing."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: Any,
        trace: vf.Trace,
        runtime: Any,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> ProgramResult:
        """Send the conversation so far, and return once the reply is on the trace."""
        system, prompt = self.resolve_prompt(data)
        messages = [{"role": "system", "content": system}] if system else []
        if isinstance(prompt, str):
            messages.append({"role": "user", "content": prompt})
        else:
            messages += [message_to_wire(message) for message in prompt or []]
        async with AsyncOpenAI(base_url=endpoint, api_key=secret, max_retries=0) as model:
            await model.chat.completions.create(model=ctx.model, messages=messages)
        return ProgramResult(exit_code=0, stdout="", stderr="")
