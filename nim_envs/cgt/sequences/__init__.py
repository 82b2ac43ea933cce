"""Research on single heaps: Grundy sequences, their periods, the field of nimbers."""

from nim_envs.cgt.sequences.check import check_period
from nim_envs.cgt.sequences.grundy_sequences import GrundySequence, grundy_sequence, octal_period
from nim_envs.cgt.sequences.nimber_field import (
    nim_inverse,
    nim_power,
    nim_product,
    nim_quotient,
    nim_square_root,
)
from nim_envs.cgt.sequences.periods import Period, find_period
from nim_envs.cgt.sequences.sequence_file import checksum, load_sequence, save_sequence

__all__ = [
    "GrundySequence",
    "Period",
    "check_period",
    "checksum",
    "find_period",
    "grundy_sequence",
    "load_sequence",
    "nim_inverse",
    "nim_power",
    "nim_product",
    "nim_quotient",
    "nim_square_root",
    "octal_period",
    "save_sequence",
]
