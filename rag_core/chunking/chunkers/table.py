"""Chunks for spreadsheets whose rows are records: each row of a table is one; prose is cut as by ``sentence``."""

from functools import partial

from rag_core.chunking import CHUNKERS, Chunker
from rag_core.chunking.regions import chunks_by_region

CHUNKERS.register("table")(Chunker(spans=partial(chunks_by_region, rows_together=1), version="2"))
