"""From a query to ranked, cited passages.

The order of the work is in ``retrieve.retrieve``: embed the query, search both legs at once, fuse, expand.
Pure parts: ``fusion`` and ``windows``. Not here: SQL (``storage.search``), answers, HTTP.
"""
