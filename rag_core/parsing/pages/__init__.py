"""Laid-out pages into blocks: words and lines by their places become paragraphs, headings, lists and tables.

Steps: words and rules of a page (``reading``), its ruled tables (``grids``), headers and footers (``furniture``), columns,
tables without rules (``columns``, ``alignment``), paragraphs (``layout``), what continues elsewhere (``joining``), and the
document's blocks (``writing``). Not here: where pages come from (``rag_core.parsing.formats``). All places are in points from
the upper left corner of the page as it is shown.
"""
