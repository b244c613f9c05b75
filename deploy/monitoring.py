"""Write the scrape configuration, alert rules and dashboard for ``GET /metrics``: ``python deploy/monitoring.py``."""

import json
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent
_BAD = 'sum(rate(brain_requests_total{status=~"5.."}[5m])) / sum(rate(brain_requests_total[5m]))'
_P95 = "histogram_quantile(0.95, sum by (le, stage) (rate(brain_stage_duration_seconds_bucket[5m])))"

PANELS: tuple[tuple[str, str, str, str], ...] = (
    ("Requests by status", "sum by (status) (rate(brain_requests_total[5m]))", "reqps", "{{status}}"),
    ("Requests by route", "sum by (route) (rate(brain_requests_total[5m]))", "reqps", "{{route}}"),
    ("Errors by class", "sum by (error) (rate(brain_errors_total[5m]))", "reqps", "{{error}}"),
    (
        "Degraded answers",
        "sum(rate(brain_degraded_answers_total[5m])) / sum(rate(brain_answers_total[5m]))",
        "percentunit",
        "degraded",
    ),
    ("Stages, 95th percentile", _P95, "s", "{{stage}}"),
    (
        "Cache hits",
        'sum by (cache) (rate(brain_cache_lookups_total{result="hit"}[5m])) / sum by (cache) (rate(brain_cache_lookups_total[5m]))',
        "percentunit",
        "{{cache}}",
    ),
    ("Connections in use", "brain_pool_active_connections / brain_pool_connections", "percentunit", "{{instance}}"),
    ("Requests waiting for a connection", "brain_pool_waiting_requests", "short", "{{instance}}"),
    ("Open breakers", 'brain_breaker_state{state!="closed"} == 1', "short", "{{breaker}} {{state}}"),
    ("Unfinished jobs", "sum by (state) (brain_jobs)", "short", "{{state}}"),
    ("Lag of the index", "brain_index_lag_seconds", "s", "{{instance}}"),
    ("Lag of the graph", "brain_graph_lag_seconds", "s", "{{instance}}"),
)
"""Title, expression, unit and legend of each panel."""
ALERTS: tuple[tuple[str, str, str, str, str], ...] = (
    ("BrainSyncDown", 'up{job="brain-sync"} == 0', "2m", "critical", "The API does not answer."),
    ("BrainSyncDatabaseDown", "brain_database_up == 0", "3m", "critical", "PostgreSQL does not answer the API."),
    ("BrainSyncErrors", f"{_BAD} > 0.05", "10m", "critical", "Over 5 % of the requests fail."),
    (
        "BrainSyncSlow",
        'histogram_quantile(0.95, sum by (le) (rate(brain_stage_duration_seconds_bucket{stage="total"}[5m]))) > 2',
        "10m",
        "warning",
        "The slowest twentieth of the searches takes over 2 s.",
    ),
    ("BrainSyncBreakerOpen", 'brain_breaker_state{state="open"} == 1', "5m", "warning", "{{ $labels.breaker }} fails."),
    (
        "BrainSyncConnectionsUsedUp",
        "brain_pool_waiting_requests > 0",
        "5m",
        "warning",
        "Requests wait for a connection to PostgreSQL.",
    ),
    ("BrainSyncIndexStale", "brain_index_lag_seconds > 3600", "15m", "warning", "Notes wait an hour for the index."),
    ("BrainSyncGraphLag", "brain_graph_lag_seconds > 3600", "15m", "warning", "Notes wait an hour for the graph."),
)
"""Name, expression, time, severity and summary of each rule."""
SCRAPE: dict[str, Any] = {
    "rule_files": ["alerts.yml"],
    "scrape_configs": [
        {
            "job_name": "brain-sync",
            "scrape_interval": "30s",
            "static_configs": [{"targets": ["127.0.0.1:8000"]}],
        }
    ],
}
_AUTHORISED = """# Where the API asks for keys, add to the job a key with the scope admin:
#   authorization:
#     credentials_file: /etc/prometheus/brain-sync.key
"""


def rules() -> dict[str, Any]:
    """The alert rules."""
    return {
        "groups": [
            {
                "name": "brain-sync",
                "rules": [
                    {
                        "alert": name,
                        "expr": expression,
                        "for": lasting,
                        "labels": {"severity": severity},
                        "annotations": {"summary": summary},
                    }
                    for name, expression, lasting, severity, summary in ALERTS
                ],
            }
        ]
    }


def dashboard() -> dict[str, Any]:
    """The dashboard, two panels beside each other."""
    source = {"type": "prometheus", "uid": "${source}"}
    return {
        "uid": "brain-sync",
        "title": "Brain Sync",
        "schemaVersion": 39,
        "refresh": "1m",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": [{"name": "source", "label": "Source", "type": "datasource", "query": "prometheus"}]},
        "panels": [
            {
                "id": number + 1,
                "type": "timeseries",
                "title": title,
                "datasource": source,
                "gridPos": {"x": 12 * (number % 2), "y": 8 * (number // 2), "w": 12, "h": 8},
                "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
                "targets": [{"refId": "A", "datasource": source, "expr": expression, "legendFormat": legend}],
            }
            for number, (title, expression, unit, legend) in enumerate(PANELS)
        ],
    }


def files() -> dict[Path, str]:
    """Texts of all files by their paths."""
    return {
        FOLDER / "prometheus/prometheus.yml": _AUTHORISED + yaml.safe_dump(SCRAPE, sort_keys=False),
        FOLDER / "prometheus/alerts.yml": yaml.safe_dump(rules(), sort_keys=False, width=1000),
        FOLDER / "grafana/brain-sync.json": json.dumps(dashboard(), indent=2) + "\n",
    }


if __name__ == "__main__":
    for path, text in files().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
