"""Properties of any configuration that is promoted and of any history of promotions."""

from dataclasses import replace
from datetime import UTC, datetime

from builders import make_embedding_model
from hypothesis import given
from hypothesis import strategies as st

from rag_core.configuration.schema import configure
from rag_core.configuration.served import MODEL_DEPENDENT, model_key, resolve, without_model_values
from rag_core.promotion.promote import served_stack
from rag_core.storage.configurations import ConfigurationPromotion, StoredServed

MODEL = make_embedding_model(
    dimensions=8, context_tokens=512, semantic_weight=0.3, fulltext_weight=0.7, searched_vectors="standard"
)
WEIGHTS = st.floats(0.01, 1)
OVERRIDES = st.fixed_dictionaries(
    {},
    optional={
        "strategy": st.sampled_from(["semantic", "fulltext", "hybrid", "hybrid+rerank"]),
        "hybridSearch": st.fixed_dictionaries(
            {},
            optional={
                "method": st.sampled_from(["rrf", "relative_score", "weighted"]),
                "rrfK": st.integers(1, 100),
                "semanticWeight": WEIGHTS,
                "fulltextWeight": WEIGHTS,
                "threshold": WEIGHTS,
            },
        ),
        "contextualEmbeddings": st.fixed_dictionaries({}, optional={"useForRetrieval": st.booleans()}),
        "topK": st.fixed_dictionaries({"retrieval": st.integers(20, 50)}),
    },
)
STEPS = st.lists(st.sampled_from(["promote", "reset", "return"]) | st.integers(1, 9), max_size=30)


def histories(steps) -> list[ConfigurationPromotion]:
    """The promotions that a person makes by these steps, newest first; a return with nothing before it does nothing."""
    made: list[ConfigurationPromotion] = []
    for step in steps:
        stack = served_stack(made)
        if step == "return" and len(stack) == 1:
            continue
        configuration = {"return": stack[-2] if len(stack) > 1 else None, "reset": None, "promote": 1}.get(step, step)
        made.insert(0, promotion(len(made) + 1, configuration, step if step in {"return", "reset"} else "promote"))
    return made


def promotion(number: int, configuration: int | None, action: str) -> ConfigurationPromotion:
    return ConfigurationPromotion(
        number=number,
        configuration=configuration,
        action=action,
        reason=None,
        evidence={},
        promoted_at=datetime(2025, 3, 1, tzinfo=UTC),
    )


@given(override=OVERRIDES)
def test_with_the_model_it_was_made_for_a_configuration_is_served_whole(override) -> None:
    served = resolve(StoredServed(number=1, override=override, embedding_model=model_key(MODEL)), MODEL)

    assert served.config == configure(override)
    assert not served.is_model_dependent_left_out


@given(override=OVERRIDES)
def test_with_another_model_its_own_values_are_searched_with_and_all_others_kept(override) -> None:
    other = replace(MODEL, version="2")

    served = resolve(StoredServed(number=1, override=override, embedding_model=model_key(MODEL)), other)

    wire, whole = served.config.to_wire(), configure(override).to_wire()
    for group, names in MODEL_DEPENDENT.items():
        for name in names:
            assert wire[group][name] is None
            whole[group][name] = None
    assert wire == whole
    assert served.is_model_dependent_left_out == any(
        name in override.get(group, {}) for group, names in MODEL_DEPENDENT.items() for name in names
    )


@given(override=OVERRIDES)
def test_values_of_a_model_are_taken_out_once_and_for_all(override) -> None:
    without = without_model_values(override)

    assert without_model_values(without) == without


@given(steps=STEPS, number=st.integers(1, 9))
def test_a_promotion_that_is_taken_back_leaves_what_there_was(steps, number) -> None:
    before = histories(steps)

    after = histories([*steps, number, "return"])

    assert served_stack(after) == served_stack(before)
    assert after[0].configuration == (before[0].configuration if before else None)


@given(steps=STEPS)
def test_what_is_served_is_what_the_last_promotion_says(steps) -> None:
    made = histories(steps)

    assert served_stack(made)[-1] == (made[0].configuration if made else None)


@given(steps=STEPS)
def test_returns_end_at_the_programs_defaults(steps) -> None:
    made = histories([*steps, *["return"] * len(steps)])

    assert served_stack(made) == [None]
