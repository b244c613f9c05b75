"""Folding of the changes of a tenant's posting lists into blocks, and of its statistics into their sums."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rag_core.model.note import TenantId
from rag_core.storage.bm25 import POSTING_BYTES, numbers_of, pack, unpack
from rag_core.storage.database import Database
from rag_core.storage.queries import query

BLOCK_POSTINGS = 2048
"""Postings of a full block: 16 kB. Larger ones are written anew for a posting, of smaller ones a search reads more."""
_LISTS = 5_000
"""Lists folded in a transaction."""


def fold_statistics(database: Database, tenant: TenantId) -> int:
    """Fold the changes into blocks and sums; the number of rows folded. With nothing to fold nothing is written.

    While another folds, it leaves at once.
    """
    folded = 0
    while rows := _fold_some(database, tenant):
        folded += rows
    return folded


def _fold_some(database: Database, tenant: TenantId) -> int:
    taken = {"tenant": tenant, "lists": _LISTS, "block": BLOCK_POSTINGS}
    with database.transaction(tenant) as connection:
        if connection.execute(query("begin_folding"), {"tenant": tenant}).fetchone() != (True,):
            return 0
        rows = connection.execute(query("take_unfolded"), taken, binary=True).fetchall()
        if rows:
            connection.execute(query("insert_folded"), {"tenant": tenant, **_blocks(rows)})
            connection.execute(query("fold_corpus"), {"tenant": tenant})
    return len(rows)


def _blocks(rows: Sequence[tuple[str, str, bool, bytes]]) -> dict[str, list[Any]]:
    """Columns of the blocks that stand in for rows of lists."""
    places: dict[tuple[str, str], int] = {}
    row_lists = [places.setdefault((language, lexeme), len(places)) for language, lexeme, _, _ in rows]
    sizes = [len(packed) // POSTING_BYTES for *_, packed in rows]
    postings, lists = unpack([packed for *_, packed in rows]), np.repeat(np.array(row_lists, dtype=np.int64), sizes)
    is_added = np.repeat([added for _, _, added, _ in rows], sizes)
    keys = (lists << 32) | numbers_of(postings)  # a chunk is in a list once
    kept = np.flatnonzero(is_added & ~np.isin(keys, keys[~is_added]))
    kept = kept[np.argsort(keys[kept])]
    postings, lists = postings[kept], lists[kept]
    begins = np.flatnonzero(np.diff(lists, prepend=-1))
    in_list = np.arange(len(lists)) - np.repeat(begins, np.diff(begins, append=len(lists)))
    starts = np.flatnonzero(in_list % BLOCK_POSTINGS == 0)
    ends = np.append(starts, len(lists))[1:]
    names, packed = list(places), pack(postings)
    return {
        "languages": [names[at][0] for at in lists[starts]],
        "lexemes": [names[at][1] for at in lists[starts]],
        "firsts": numbers_of(postings[starts]).tolist(),
        "lasts": numbers_of(postings[ends - 1]).tolist(),
        "packed": [
            packed[start * POSTING_BYTES : end * POSTING_BYTES] for start, end in zip(starts, ends, strict=True)
        ],
    }
