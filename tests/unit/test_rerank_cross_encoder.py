import builtins
from pathlib import Path

import numpy as np
import onnx
import pytest
import tokenizers
from builders import make_candidate
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

from rag_core.errors import ConfigurationError, RerankingError, SearchCancelledError
from rag_core.model.retrieval import QueryStatistics
from rag_core.reranking.providers.cross_encoder import open_cross_encoder
from rag_core.resilience.cancellation import Cancellation

NO_STATISTICS = QueryStatistics(documents={}, frequencies={})
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "gato", "perro", "come", "pan"]
POINTS = {"gato": 3.0, "perro": -2.0, "pan": 0.5}


def write_tokenizer(folder: Path) -> None:
    """Words by white space, [CLS] query [SEP] passage [SEP]."""
    tokenizer = Tokenizer(tokenizers.models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))


def write_model(
    folder: Path, *, labels: int = 1, points: dict[str, float] = POINTS, third: str = "token_type_ids"
) -> None:
    """A model whose logit is the sum of the points of the passage's words; of two labels the second gets it."""
    table = np.array([[points.get(word, 0.0)] for word in WORDS], dtype=np.float32)
    table = table if labels == 1 else np.concatenate([np.zeros_like(table)] * (labels - 1) + [table], axis=1)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["looked_up"]),
        helper.make_node("Mul", ["attention_mask", third], ["counted"]),
        helper.make_node("Cast", ["counted"], ["counted_float"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["counted_float", "last"], ["counted_column"]),
        helper.make_node("Mul", ["looked_up", "counted_column"], ["kept"]),
        helper.make_node("ReduceSum", ["kept", "tokens"], ["logits"], keepdims=0),
    ]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask", third)
    ]
    constants = [
        numpy_helper.from_array(table, "table"),
        numpy_helper.from_array(np.array([2], dtype=np.int64), "last"),
        numpy_helper.from_array(np.array([1], dtype=np.int64), "tokens"),
    ]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", labels])]
    graph = helper.make_graph(nodes, "tiny", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, folder / "model.onnx")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_tokenizer(tmp_path)
    write_model(tmp_path)
    return tmp_path


def score(encoder, texts, *, query="gato", seconds=30.0, cancellation=None) -> list[float]:
    return encoder.score(
        query,
        [make_candidate(text) for text in texts],
        statistics=NO_STATISTICS,
        timeout_seconds=seconds,
        cancellation=cancellation,
    )


def test_a_logit_gets_exactly_one_sigmoid(folder) -> None:
    found = score(open_cross_encoder(folder), ["gato", "perro", "come", "gato perro pan"])

    assert found == pytest.approx([0.952574, 0.119203, 0.5, 0.817574], abs=1e-5)  # of 3, -2, 0 and 1.5


def test_of_two_labels_the_second_is_relevance(tmp_path) -> None:
    write_tokenizer(tmp_path)
    write_model(tmp_path, labels=2)

    found = score(open_cross_encoder(tmp_path), ["gato", "perro"])

    assert found == pytest.approx([0.952574, 0.119203], abs=1e-5)


def test_what_passages_are_scored_with_does_not_change_their_scores(folder) -> None:
    encoder = open_cross_encoder(folder)
    texts = ["gato " * n + "pan" for n in range(40)]

    together = score(encoder, texts)

    assert together == pytest.approx([score(encoder, [text])[0] for text in texts])


def test_a_long_passage_has_the_score_of_its_best_window(folder) -> None:
    encoder = open_cross_encoder(folder, max_length=16)

    found = score(encoder, ["come " * 50 + "gato", "gato", "come " * 50])

    assert found[0] == pytest.approx(found[1])
    assert found[2] == pytest.approx(0.5)


def test_a_query_longer_than_the_model_reads_is_cut(folder) -> None:
    encoder = open_cross_encoder(folder, max_length=16)

    assert score(encoder, ["gato"], query="come " * 400) == pytest.approx([0.952574], abs=1e-5)


def test_no_time_is_an_error_and_no_score(folder) -> None:
    with pytest.raises(RerankingError, match="did not score 1 passages"):
        score(open_cross_encoder(folder), ["gato"], seconds=-1)


def test_nothing_is_scored_for_somebody_who_has_gone(folder) -> None:
    cancellation = Cancellation()
    cancellation.cancel()

    with pytest.raises(SearchCancelledError, match="nobody waits"):
        score(open_cross_encoder(folder), ["gato"], cancellation=cancellation)


def test_a_score_that_is_not_finite_is_an_error(tmp_path) -> None:
    write_tokenizer(tmp_path)
    write_model(tmp_path, points={"gato": float("nan")})

    with pytest.raises(RerankingError, match="not finite"):
        score(open_cross_encoder(tmp_path), ["gato"])


def test_a_model_with_three_labels_is_no_cross_encoder(tmp_path) -> None:
    write_tokenizer(tmp_path)
    write_model(tmp_path, labels=3)

    with pytest.raises(RerankingError, match=r"shape \(1, 3\)"):
        score(open_cross_encoder(tmp_path), ["gato"])


def test_no_candidates_give_no_scores(folder) -> None:
    assert score(open_cross_encoder(folder), []) == []


def test_the_name_changes_with_the_model(folder) -> None:
    before = open_cross_encoder(folder).name
    write_model(folder, points={"gato": 1.0})

    assert before.startswith(f"cross_encoder:{folder.name}@")
    assert open_cross_encoder(folder).name != before


def test_a_folder_without_a_model_says_what_is_expected(tmp_path) -> None:
    with pytest.raises(ConfigurationError, match=r"no model\.onnx with a tokenizer\.json"):
        open_cross_encoder(tmp_path)


def test_a_file_that_is_no_model_is_an_error(folder) -> None:
    (folder / "model.onnx").write_bytes(b"not a model")

    with pytest.raises(ConfigurationError, match="cannot be loaded"):
        open_cross_encoder(folder)


def test_a_model_with_other_inputs_is_refused(tmp_path) -> None:
    write_tokenizer(tmp_path)
    write_model(tmp_path, third="pixel_values")

    with pytest.raises(ConfigurationError, match="pixel_values"):
        open_cross_encoder(tmp_path)


def test_without_the_extra_the_error_says_what_to_install(folder, monkeypatch) -> None:
    real = builtins.__import__

    def refuse(name, *rest):
        if name == "onnxruntime":
            raise ImportError("No module named 'onnxruntime'")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)

    with pytest.raises(ConfigurationError, match=r"pip install 'brain-sync\[cross-encoder\]'"):
        open_cross_encoder(folder)
