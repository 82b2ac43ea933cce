"""The tutorial's program learns, scored exactly; with the wrong sign it does not."""

import re

import pytest
import torch

from agents.research import ppo_from_scratch
from tests.clients.tutorials import run_tutorial

SETTINGS = {"seed": 0, "games": 12_000, "board": {**ppo_from_scratch.BOARD, "heaps": (1, 2, 3)}}


@pytest.fixture(scope="module")
def tutorial():
    # Under another name the program is defined, and does not train for a minute.
    return run_tutorial(
        "ppo_from_scratch", names={"__name__": "ppo_from_scratch", "curve": [(0, 25.0)]}
    )


def test_a_small_board_is_learned_and_the_curve_is_what_was_printed(tutorial, capsys):
    actor, curve = tutorial["train"](**SETTINGS)
    printed = re.findall(r"^ *([\d,]+) games: +([\d.]+) %", capsys.readouterr().out, re.MULTILINE)
    assert printed == [(f"{games:,}", f"{percent:.1f}") for games, percent in curve]
    assert curve[-1][0] >= SETTINGS["games"] > curve[-2][0]
    assert curve[-1][1] == 100
    assert all(parameter.isfinite().all() for parameter in actor.parameters())


def test_with_the_wrong_sign_of_the_bootstrap_it_is_not_learned(tutorial):
    _, curve = tutorial["train"](**SETTINGS, gamma=1.0)
    assert curve[-1][1] < 75


def test_advantages_count_the_opponents_value_negatively_and_end_with_the_game():
    rewards = torch.tensor([[0.0], [1.0], [0.0]])
    ended = torch.tensor([[0.0], [1.0], [0.0]])
    values = torch.tensor([[0.5], [0.25], [-0.5]])
    following = torch.tensor([0.125])
    advantages = ppo_from_scratch.estimated_advantages(rewards, ended, values, following, -1.0)
    last = 0 - 0.125 + 0.5
    win = 1 - 0.25
    first = (0 - 0.25 - 0.5) - ppo_from_scratch.LAMBDA * win
    assert advantages.flatten().tolist() == pytest.approx([first, win, last])


def test_a_mask_of_zeros_is_refused_and_what_the_manual_prints_of_it_is_so(tutorial, monkeypatch):
    # Other libraries, imported in the same process, turn PyTorch's own checks off.
    monkeypatch.setattr(torch.distributions.Distribution, "_validate_args", True)
    legal = torch.zeros(1, 3, dtype=torch.bool)
    with pytest.raises(ValueError, match="nan"):
        ppo_from_scratch.distribution(torch.nn.Identity(), torch.zeros(1, 3), legal)
    assert tutorial["logits"].isinf().all()
    assert torch.softmax(tutorial["logits"], dim=1).isnan().all()
    added = torch.nn.Linear(2, 3)
    shares = torch.softmax(added(torch.ones(2, 2)) + torch.tensor([[1.0], [0.0]]).log(), dim=1)
    shares[:, 0].sum().backward()
    assert added.weight.grad.isnan().all()
    # The share of steps that ignore their action.
    assert 0.1 < tutorial["dead"] < 0.5
