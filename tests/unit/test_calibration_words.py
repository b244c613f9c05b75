"""Messages of `brain models calibrate` when nothing comes of it, and the thresholds it shows."""

import pytest

from rag_core.cli import calibration
from rag_core.evaluation.comparison.significance import paired_test
from rag_core.evaluation.tuning.thresholds import Calibration, HeldOutThreshold, ThresholdRow

EVEN = paired_test([1.0] * 10, [1.0] * 10)
LOWER = paired_test([1.0] * 10, [0.5] * 10)
NAMES = {"model": "hashing", "set": "default", "former": None, "stored": False}


def attempt(*, kept: float, served=EVEN, threshold: float = 0.2) -> HeldOutThreshold:
    return HeldOutThreshold(
        target=0.99, threshold=threshold, by_fold=(threshold,) * 5, kept=kept, dropped=0.5, semantic=EVEN, served=served
    )


def calibrated(*attempts: HeldOutThreshold, table: tuple[ThresholdRow, ...] = ()) -> Calibration:
    return Calibration(queries=10, left_out=0, relevant=30, others=100, threshold=None, attempts=attempts, table=table)


def row(threshold: float, *, kept: float, dropped: float) -> ThresholdRow:
    return ThresholdRow(threshold=threshold, kept=kept, dropped=dropped, ndcg_semantic=0.69, ndcg_served=0.85)


@pytest.mark.parametrize(
    ("tried", "reason"),
    [
        (attempt(kept=0.989), "no threshold keeps 99 % of the relevant notes on held-out queries"),
        (attempt(kept=1.0, served=LOWER), "no threshold keeps enough of the relevant notes"),
        (attempt(kept=1.0, threshold=0.0), "no threshold drops anything"),
    ],
)
def test_where_there_is_no_threshold_it_says_why(
    tried: HeldOutThreshold, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    calibration._show(calibrated(tried), NAMES)

    assert reason in capsys.readouterr().out


def test_thresholds_that_nothing_reaches_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    rows = (row(0.05, kept=1.0, dropped=0.1), *(row(at / 10, kept=0.0, dropped=1.0) for at in range(5, 10)))

    calibration._show(calibrated(attempt(kept=0.9), table=rows), NAMES)

    told = capsys.readouterr()
    assert "0.05" in told.out
    assert "0.70" not in told.out
    assert "Omitted: 5 higher thresholds above every score" in told.err
