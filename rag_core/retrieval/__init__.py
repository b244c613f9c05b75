"""From a query to ranked, cited passages.

The order of the work is in ``retrieve.retrieve``, its steps beside it: ``request`` (what was asked, understood), ``searching``
(every leg at once), ``ordering`` (fused and re-ranked), ``reading`` (with the sentences around). ``legs_only`` is for measuring.
Pure parts: ``fusion`` and ``windows``. Not here: SQL (``storage.search``), answers, HTTP.
"""
