"""Times in queries as intervals, on a Wednesday in Madrid."""

from datetime import datetime
from zoneinfo import ZoneInfo

from rag_core.model.note import Language
from rag_core.query.time_expressions import find_times

MADRID = ZoneInfo("Europe/Madrid")
WEDNESDAY = datetime(2025, 4, 16, 10, 30, tzinfo=MADRID)


def intervals(query: str, language: Language = "es", now: datetime = WEDNESDAY) -> list[tuple[str, str]]:
    """Since and until as dates, with the hour where it is not midnight."""

    def written(moment: datetime) -> str:
        return moment.isoformat()[: 10 if moment.hour == 0 else 13]

    return [(written(time.since), written(time.until)) for time in find_times(query, now=now, language=language)]
