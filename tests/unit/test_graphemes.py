import pytest

from rag_core.chunking.graphemes import is_cluster_boundary


@pytest.mark.parametrize(
    "cluster",
    [
        *("n\u0303", "\r\n", "👨\u200d👩", "👍🏽", "🇪🇸", "❤\ufe0f", "🏴\U000e0067", "\u0e01\u0e33"),
        *(
            "\u1100\u1161",
            "\u1161\u11a8",
            "\uac00\u11a8",
            "\u0915\u093f",
            "\u094d\u0937",
            "\u0600\u0661",
            "\uff76\uff9e",
        ),
    ],
)
def test_no_boundary_within_a_cluster(cluster: str) -> None:
    assert not is_cluster_boundary(cluster, len(cluster) - 1)


def test_a_mark_between_virama_and_consonant_joins_them_too() -> None:
    assert not is_cluster_boundary("\u0915\u094d\u0301\u0937", 3)


@pytest.mark.parametrize(
    "pair", ["ab", "a ", "\n\n", "\n\r", "\n\u0301", "\u2028\u0301", "é😀", "😀😀", "가나", "a\u0915", "🇪a"]
)
def test_a_boundary_between_characters(pair: str) -> None:
    assert is_cluster_boundary(pair, 1)


def test_flag_letters_pair_from_a_known_boundary() -> None:
    flags = "🇪🇸🇩🇪"

    assert [index for index in range(5) if is_cluster_boundary(flags, index)] == [0, 2, 4]
    assert [index for index in range(1, 5) if is_cluster_boundary(flags, index, low=1)] == [1, 3, 4]


def test_both_ends_of_a_text_are_boundaries() -> None:
    assert is_cluster_boundary("", 0)
    assert is_cluster_boundary("\u0301", 0)
    assert is_cluster_boundary("a\u200d", 2)
