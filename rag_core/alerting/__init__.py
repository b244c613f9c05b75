"""Trouble is noticed and somebody is told, once, and told again when it is over.

In the order of the work: what is known (``facts``), what of it is trouble (``rules``), what is known of that already
(``incidents``), what to say (``messages``), how it gets to people (``delivery``), and all of it once a minute (``watch``).
Not here: reading Dagster's runs and checks (``rag_assets.alerts``) and SQL (``rag_core.storage.alerts``). ``facts``, ``rules``,
``incidents`` and ``messages`` do no I/O; only ``delivery`` imports apprise.
"""
