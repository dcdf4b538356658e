"""The only module that imports bed-reader: PLINK's `.bed`, genotypes as 0, 1 and 2 copies of an allele.

Beside NAME.bed lie NAME.bim, which names the variants, and NAME.fam, with the samples and a phenotype.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray, IndexArray
from qpfs.data.errors import UnreadableError
from qpfs.data.formats.format import Format
from qpfs.data.formats.scratch import Scratch, Slabs
from qpfs.data.reading import Reading, in_columns
from qpfs.data.room import check_room
from qpfs.data.sheet import Sheet, as_integers, of_matrix

MAGIC = b"\x6c\x1b\x01"  # variant after variant, the only layout in use
COMPANIONS = (".bim", ".fam")  # the variants, the samples
PHENOTYPE = "phenotype"
PER_BYTE = 4  # genotypes
NO_CALL, UNKNOWN = -127, ("-9", "", "NA", "nan")
SLAB = 16  # a slab of bytes takes one part in so many of the budget, in addition to its numbers


def read(path: Path, reading: Reading, scratch: Scratch) -> Sheet:
    """The sheet of a file whose genotypes stay there."""
    file = opened(path, reading)

    def some(columns: IndexArray) -> AnyArray:
        check_room(file.shape[0] * len(columns), "its genotypes")
        calls = file.read(index=np.s_[:, columns], dtype="int8")
        return numbers(calls) if (calls == NO_CALL).any() else calls

    return of_matrix(Slabs(some, file.shape, scratch.memory // SLAB), **known(file))


def opened(path: Path, reading: Reading) -> Any:
    """The file with its two companions."""
    try:
        from bed_reader import open_bed
    except ImportError as error:
        raise UnreadableError("this needs bed-reader: pip install 'qpfs[plink]'.") from error
    if reading.in_rows:
        raise in_columns("a .bed file has variants in columns")
    for suffix in COMPANIONS:
        if not path.with_suffix(suffix).is_file():
            raise UnreadableError(
                f"{path.with_suffix(suffix).name} is not beside it; a .bed file needs its .bim and .fam."
            )
    file = open_bed(path, num_threads=1)
    n_samples, n_variants = file.shape
    size, wanted = path.stat().st_size, len(MAGIC) + n_variants * -(-n_samples // PER_BYTE)
    if size != wanted:
        raise UnreadableError(
            f"it has {size} bytes, but the {n_samples} samples of its .fam and the {n_variants} variants of "
            f"its .bim take {wanted}; it is cut short or damaged, or they belong to another file."
        )
    return file


def numbers(calls: AnyArray) -> AnyArray:
    """Copies of the allele as numbers; no call is NaN."""
    found = calls.astype(np.float32)
    found[calls == NO_CALL] = np.nan
    return found


def known(file: Any) -> dict[str, Any]:
    """The names of variants and samples, and the phenotype as the target if it differs between samples."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        phenotype = values(file.pheno)
        sexes = np.asarray(file.sex)
    return {
        "names": [str(name) for name in file.sid],
        "beside": {PHENOTYPE: phenotype, "sex": sexes, "family": np.asarray(file.fid, str)},
        "target": PHENOTYPE if tells_apart(phenotype) else None,
        "samples": [str(name) for name in file.iid],
    }


def values(pheno: Any) -> AnyArray:
    """The phenotype as numbers or text; unknown is NaN or None. 0 means unknown if the others are 1 and 2."""
    given = [str(value) for value in pheno]
    coded = set(given) <= {"0", "1", "2", *UNKNOWN}
    gone = [value in UNKNOWN or (coded and value == "0") for value in given]
    try:
        found = np.array([np.nan if no else float(value) for value, no in zip(given, gone, strict=True)])
    except ValueError:
        return np.array([None if no else value for value, no in zip(given, gone, strict=True)], object)
    return as_integers(found) if not np.isnan(found).any() else found


def tells_apart(phenotype: AnyArray) -> bool:
    """Whether some samples have one value and some another, and none is unknown."""
    given = phenotype.tolist()
    return len(set(given)) > 1 and not any(value is None or value != value for value in given)


BED = Format(
    "bed", "a PLINK .bed file", lambda head, path: head.startswith(MAGIC), read, companions=COMPANIONS
)
