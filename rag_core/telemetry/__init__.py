"""Telemetry of a running process: figures in bounded memory, and logs without users' text.

Here: durations and counters (``durations``, ``metrics``), all figures of a process in one document (``performance``), those of
the API written down every minute (``service_minutes``), the records of degraded and failed requests (``logs``) and of retries
(``retries``). Not here: what is measured, and serving it. ``durations``, ``metrics``, ``logs`` and ``retries`` import nothing of
ours but the percentiles of ``evaluation.metrics``, so that storage may use them; ``performance`` looks at the pool and the caches,
``service_minutes`` writes to the database.
"""
