"""Folders of notes and documents: the files on disk, and how the database follows them.

Here: scanning, notes of a vault (front matter, tags, links, dates), import of a folder, the table of its files.
Not here: parsing of formats (``rag_core.parsing``), storing (``rag_core.storage.documents``).
"""
