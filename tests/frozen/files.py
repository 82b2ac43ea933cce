"""Files of records, and how they are compared.

``digests.json`` has for each board and field the number of entries and a digest of their text:
SHA-256 over one line of JSON each, a place and what is found there. JSON writes integers, and the
shortest decimals that give a float back, on all platforms alike; sums, whose last bits depend on
their order, are rounded to 12 digits before. Of the boards in :data:`RAW` all entries are stored,
so that a difference names the first place.
"""

import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from tests.frozen import learners, texts
from tests.frozen.boards import Board, own_boards, registered_boards
from tests.frozen.records import Entries, fields_of

FOLDER = Path(__file__).parent
DIGESTS = FOLDER / "digests.json"

RAW = ("nim, normal", "kayles, misere", "own sowing")
"""Boards of which everything is stored."""

BOARDS: dict[str, Board] = {board.name: board for board in [*own_boards(), *registered_boards()]}

NAMES = (*learners.NAMES, *texts.NAMES, *BOARDS)
"""Names of all records, a test each; those that may compile come first."""

Line = tuple[str, str]


def lines_of(entries: Entries) -> list[Line]:
    """Return entries as pairs of a place and JSON."""
    return [
        (place, json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")))
        for place, value in entries
    ]


def recorded(name: str) -> Iterator[tuple[str, list[Line]]]:
    """Yield the fields of a record, computed now."""
    if name in BOARDS:
        fields = fields_of(BOARDS[name])
    else:
        fields = (learners if name in learners.NAMES else texts).fields_of(name)
    for field, record in fields.items():
        yield field, lines_of(record())


def digest_of(lines: list[Line]) -> str:
    """Return the number of lines and the beginning of their digest."""
    whole = "".join(f"{place}\t{value}\n" for place, value in lines)
    return f"{len(lines)} {hashlib.sha256(whole.encode()).hexdigest()[:20]}"


def raw_file(name: str) -> Path:
    """Return the file of all entries of a board."""
    return FOLDER / f"{name.replace(', ', '_').replace(' ', '_')}.json.gz"


def differences(name: str) -> list[str]:
    """Return what differs from the files, one sentence for each field."""
    stored = json.loads(DIGESTS.read_text(encoding="utf-8")).get(name, {})
    raw = {}
    if name in RAW:
        raw = json.loads(gzip.decompress(raw_file(name).read_bytes()))
    found, seen = [], set()
    for field, lines in recorded(name):
        seen.add(field)
        before, now = stored.get(field), digest_of(lines)
        if now != before:
            where = _first_difference(raw[field], lines) if field in raw else f"{before} -> {now}"
            found.append(f"{name}: {field}: {where}")
    found += [f"{name}: {field}: is not recorded any more" for field in stored.keys() - seen]
    return found


def _first_difference(before: list[list[str]], now: list[Line]) -> str:
    for old, new in zip(before, now, strict=False):
        if old != list(new):
            same_place = old[0] == new[0]
            was = old[1] if same_place else f"(at {old[0]})"
            return f"at {new[0]}: {was} -> {new[1]}"
    return f"{len(before)} entries -> {len(now)}"


def write(names: tuple[str, ...] = NAMES) -> None:
    """Write the files anew: only for an issue that says so."""
    stored = json.loads(DIGESTS.read_text(encoding="utf-8")) if DIGESTS.exists() else {}
    for name in names:
        fields = dict(recorded(name))
        stored[name] = {field: digest_of(lines) for field, lines in fields.items()}
        if name in RAW:
            packed = gzip.compress(json.dumps(fields, ensure_ascii=False).encode(), mtime=0)
            raw_file(name).write_bytes(packed)
    ordered = {name: stored[name] for name in NAMES if name in stored}
    DIGESTS.write_text(json.dumps(ordered, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
