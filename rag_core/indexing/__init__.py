"""From stored notes to searchable chunks: batches, staging, embedding, publishing.

The order of the work: ``batches.register_batches`` → ``staging.stage_notes`` → ``staging.embed_staged`` →
``publishing.publish_staged`` → ``publishing.maintain``. Each step takes only what is stale and can be stopped anywhere:
a reader sees a note's old chunks or its new ones, whole. Dagster's assets call these; the API indexes one note with
``one_note.store_and_index``. Not here: SQL (``storage``), the algorithms of chunking and embedding.
"""
