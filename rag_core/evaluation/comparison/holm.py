"""Several tests of one question: p-values that stay honest when any of them may decide. No I/O."""

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's adjusted p-values, in the order given: max over j <= i of (n - j) · p_(j), at most 1, with p_(0) <= p_(1) <= ….

    Rejecting where the adjusted p is below alpha keeps the chance of any false rejection below alpha, whatever depends on what.
    None gives none.

    Raises:
        ValueError: a p-value is outside [0, 1].
    Source: Holm, A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics, 1979.
    """
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError(f"p-values {list(p_values)}; expected numbers in [0, 1]")
    adjusted = [1.0] * len(p_values)
    greatest = 0.0
    for done, place in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        greatest = max(greatest, min(1.0, (len(p_values) - done) * p_values[place]))
        adjusted[place] = greatest
    return tuple(adjusted)


def holm_of_testable(tests: Sequence[tuple[float, float]], *, alpha: float) -> tuple[float, ...]:
    """Holm's adjusted p-values of (p, the least p the data could have given), counting only tests that could reach alpha.

    The least p depends on how many pairs differ and by how much, not on which way, so leaving out a test that
    cannot reach alpha favours no outcome; its p stays as it is, alpha or more.

    Raises:
        ValueError: a p-value is outside [0, 1], or below the least one possible.
    Source: Tarone, A Modified Bonferroni Method for Discrete Data, Biometrics, 1990, in its simplest form.
    """
    if any(p < least for p, least in tests):
        raise ValueError(f"tests {list(tests)}; expected no p below the least one possible")
    testable = [place for place, (_, least) in enumerate(tests) if least < alpha]
    adjusted = [p for p, _ in tests]
    for place, p in zip(testable, holm([tests[place][0] for place in testable]), strict=True):
        adjusted[place] = p
    return tuple(adjusted)
