"""The suite as a dataset: Parquet, a data card, and metadata in the Croissant format."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nim_envs.files import replacing, write_atomically
from nim_envs.optional import imports_for
from nim_envs.text.exam.suite import SUITE_VERSION, UNREAD, Item, Setting, Suite
from nim_envs.text.prompts import PROMPT_VERSION, prompt, rules_text

with imports_for("the export of the exam", "exam-export"):
    import pyarrow as pa
    import pyarrow.parquet as pq

MOVE = pa.struct(
    [
        ("move", pa.string()),
        ("verdict", pa.string()),
        ("after", pa.list_(pa.int64())),
    ]
)

COLUMNS: dict[str, tuple[Any, str]] = {
    "id": (pa.string(), "Name of the setting and the position."),
    "split": (pa.string(), "Split: seed_ and the seed of the suite."),
    "setting": (pa.string(), "Name of the setting."),
    "group": (pa.string(), "Group of the setting."),
    "unread": (pa.bool_(), "Whether the game was drawn at random."),
    "game": (pa.string(), "The game, its board and its disguise."),
    "rules": (pa.string(), "The rules in sentences."),
    "prompt": (pa.string(), "The prompt in sentences: rules, position and form of the answer."),
    "position": (pa.list_(pa.int64()), "The position, in coordinates where the game has them."),
    "value": (pa.int64(), "Value of the position to the player to move: 1, a win."),
    "moves": (pa.list_(MOVE), "Every legal move: its text, kept_win or threw_win, the position."),
    "legal": (pa.int64(), "Number of legal moves."),
    "winning": (pa.int64(), "Number of moves that keep the win."),
    "moves_to_end": (pa.int64(), "Moves until the game ends under best play."),
    "band": (pa.string(), "Third of the positions by difficulty: easy, middle or hard."),
}
"""Columns with their types and descriptions."""

SCHEMA = pa.schema([(name, kind) for name, (kind, _) in COLUMNS.items()])

CROISSANT_TYPES = {pa.string(): "sc:Text", pa.bool_(): "sc:Boolean", pa.int64(): "sc:Integer"}

TERMS = (
    "citeAs column extract field fileObject fileProperty fileSet format includes isLiveDataset "
    "jsonPath key md5 parentField path recordSet references regex repeated replace separator "
    "source subField transform"
)
"""Terms of the Croissant format."""

CONTEXT = {
    **{name: f"cr:{name}" for name in TERMS.split()},
    "@language": "en",
    "@vocab": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
}
"""Context of version 1.0 of the format; see mlcommons.org/croissant."""


def rows(suite: Suite, answer: str = "tag") -> Iterator[dict[str, Any]]:
    """Yield the positions of a suite as rows of the dataset.

    Args:
        suite: the suite.
        answer: form of the answers that the prompts ask for.
    """
    for setting, item in suite.items.values():
        language, rules = setting.language, setting.language.game.rules
        yield {
            "id": item.id,
            "split": f"seed_{suite.seed}",
            "setting": setting.name,
            "group": setting.group,
            "unread": setting.group in UNREAD,
            "game": language.name,
            "rules": rules_text(language),
            "prompt": prompt(language, item.position, "sentences", answer=answer),
            "position": list(rules.coordinate_tuple(np.array(item.position))),
            "value": 1,
            "moves": list(_moves(setting, item)),
            "legal": item.legal,
            "winning": item.winning,
            "moves_to_end": item.moves_to_end,
            "band": item.band,
        }


def _moves(setting: Setting, item: Item) -> Iterator[dict[str, Any]]:
    """Yield the legal moves at a position, with their verdicts."""
    truth = setting.language.outcomes(item.position)
    for action, after in truth.after.items():
        yield {
            "move": setting.language.move(item.position, action),
            "verdict": "kept_win" if action in truth.keeping else "threw_win",
            "after": list(setting.language.game.rules.coordinate_tuple(np.array(after))),
        }


def export(directory: Path, seeds: Sequence[int], answer: str = "tag") -> list[Path]:
    """Write suites as a dataset, a split for each seed.

    Args:
        directory: its place, made if there is none; files of the same names are replaced.
        seeds: seeds of the suites.
        answer: form of the answers that the prompts ask for.

    Returns:
        The files.
    """
    counts, files = {}, []
    for seed in seeds:
        table = pa.Table.from_pylist(list(rows(Suite(seed), answer)), schema=SCHEMA)
        path = directory / "data" / f"seed_{seed}.parquet"
        with replacing(path) as file:
            pq.write_table(table, file)
        counts[f"seed_{seed}"] = len(table)
        files.append(path)
    card, metadata = directory / "README.md", directory / "croissant.json"
    write_atomically(card, _card(counts, answer).encode())
    croissant = json.dumps(_croissant(files), indent=1)
    write_atomically(metadata, f"{croissant}\n".encode())
    return [*files, card, metadata]


DESCRIPTION = (
    f"Positions of exactly solved two-player games, version {SUITE_VERSION} of the exam of "
    "nim_envs: the player to move can win each of them, and every legal move is labelled by "
    "whether it keeps the win."
)


def _card(counts: dict[str, int], answer: str) -> str:
    """Return the data card."""
    files = "\n".join(f"  - split: {split}\n    path: data/{split}.parquet" for split in counts)
    columns = "\n".join(f"| `{name}` | {kind} | {text} |" for name, (kind, text) in COLUMNS.items())
    splits = "\n".join(f"| {split} | {count} |" for split, count in counts.items())
    return f"""---
license: mit
language: en
pretty_name: The exam of nim_envs
task_categories:
- text-generation
configs:
- config_name: default
  data_files:
{files}
---

# The exam of nim_envs

{DESCRIPTION}

Prompts are of version {PROMPT_VERSION} and ask for an answer of the form `{answer}`.

| column | type | |
|---|---|---|
{columns}

| split | positions |
|---|---|
{splits}

The labels are computed, not annotated: by theorems where there is one, else by exhaustive search.
The positions of a setting are drawn in equal parts from its easy, middle and hard third. Nothing in
the data is about people. A model that was trained on a public seed is examined on another one, by
the command that made this dataset:

    python -m nim_envs text exam export --seed SEED --output DIRECTORY
"""


def _croissant(files: Iterable[Path]) -> dict[str, Any]:
    """Return the metadata of files of Parquet."""
    objects, records = [], []
    for path in files:
        split = path.stem
        objects.append(
            {
                "@type": "cr:FileObject",
                "@id": split,
                "name": path.name,
                "contentUrl": f"data/{path.name}",
                "encodingFormat": "application/x-parquet",
                "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            }
        )
        records.append(
            {
                "@type": "cr:RecordSet",
                "@id": f"positions_{split}",
                "name": f"positions_{split}",
                "description": f"Positions of the suite of {split.replace('_', ' ')}.",
                "field": [_field(name, split) for name in COLUMNS if name != "moves"],
            }
        )
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "name": "nim_envs_exam",
        "description": DESCRIPTION,
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "license": "https://spdx.org/licenses/MIT.html",
        "version": f"{SUITE_VERSION}.{PROMPT_VERSION}.0",
        "distribution": objects,
        "recordSet": records,
    }


def _field(name: str, split: str) -> dict[str, Any]:
    """Return the metadata of a column."""
    kind, description = COLUMNS[name]
    repeated = pa.types.is_list(kind)
    return {
        "@type": "cr:Field",
        "@id": f"positions_{split}/{name}",
        "name": name,
        "description": description,
        "dataType": CROISSANT_TYPES[kind.value_type if repeated else kind],
        **({"repeated": True} if repeated else {}),
        "source": {"fileObject": {"@id": split}, "extract": {"column": name}},
    }
