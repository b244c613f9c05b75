"""How the word lists of this package are written."""


def word_set(words: str) -> frozenset[str]:
    """Words separated by white space, as a set: one string reads better than a literal with a line a word."""
    return frozenset(words.split())
