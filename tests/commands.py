"""Commands run in this process, as a person types them."""

from collections.abc import Sequence

import pytest


def run_nim_envs(words: Sequence[str]) -> int:
    """Run ``python -m nim_envs``; return the exit code."""
    from nim_envs.cli.main import main

    with pytest.raises(SystemExit) as end:
        main(list(words))
    return end.value.code


def run_agents(words: Sequence[str]) -> int:
    """Run ``python -m agents``; return the exit code."""
    from agents.cli.main import main

    with pytest.raises(SystemExit) as end:
        main(list(words))
    return end.value.code
