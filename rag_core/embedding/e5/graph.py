"""The encoder as an ONNX graph: what ``converted`` writes once and onnxruntime runs.

Input: ``embeddings``, float32, shape (texts, tokens, dimensions), sums of word, position and type; ``lengths``, int32,
shape (texts,). Output: ``hidden``, float32, shape (texts, tokens, dimensions).

Matrix products run on 8-bit integers with the activations quantised as they come. The second product of each
feed-forward part keeps the 4-bit blocks of the weights, as single activations there are a hundred times
the others: with one scale for all of a text's, cosines to the float model fall from .999 to .995.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from rag_core.embedding.e5.weights import BLOCK_WEIGHTS, Blocks, E5Weights, dequantized, quantized

_EXTENSIONS = "com.microsoft"
_EXACT_INTEGERS = 4  # onnxruntime's accuracy_level: activations in 8-bit blocks


def build_graph(weights: E5Weights, *, has_vnni: bool) -> bytes:
    """The encoder as a serialised ONNX model, for processors with VNNI or without.

    Without, onnxruntime adds two products of bytes in 16 bits: weights are kept within 7 bits, else sums are cut off and
    cosines to the float model fall from .998 to .995. And products of 8-bit blocks take twice the time of 4-bit ones, with it a
    fifth less.
    """
    graph = _Graph(weights, has_vnni=has_vnni)
    graph.build()
    shape: list[str | int | None] = ["texts", "tokens", weights.dimensions]
    made = helper.make_graph(
        graph.nodes,
        "multilingual-e5-small",
        [
            helper.make_tensor_value_info("embeddings", TensorProto.FLOAT, shape),
            helper.make_tensor_value_info("lengths", TensorProto.INT32, ["texts"]),
        ],
        [helper.make_tensor_value_info("hidden", TensorProto.FLOAT, shape)],
        graph.constants,
    )
    operators = [helper.make_opsetid("", 17), helper.make_opsetid(_EXTENSIONS, 1)]
    serialised: bytes = helper.make_model(made, opset_imports=operators, ir_version=9).SerializeToString()
    return serialised


class _Graph:
    """Nodes and constants, in the order they are added."""

    def __init__(self, weights: E5Weights, *, has_vnni: bool) -> None:
        self.weights = weights
        self.largest = 127 if has_vnni else 63
        self.block_bits = 8 if has_vnni else 4
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def build(self) -> None:
        scale, shift = self._floats("emb.ln.w"), self._floats("emb.ln.b")
        self._add("LayerNormalization", ["embeddings", scale, shift], "x0", epsilon=self.weights.epsilon, axis=-1)
        self._constant("thirds", np.full(3, self.weights.dimensions, dtype=np.int64))
        for layer in range(self.weights.layers):
            self._add_layer(layer)
        self._add("Identity", [f"x{self.weights.layers}"], "hidden")

    def _add_layer(self, layer: int) -> None:
        of = f"l{layer}."
        before, attended, after = f"x{layer}", of + "attended", f"x{layer + 1}"
        self._add_attention(of, before)
        self._integer_product(of + "context", [of + "ao.w"], of + "projected")
        self._normalize(of + "projected", before, attended, norm=of + "aln", bias=of + "ao.b")
        self._integer_product(attended, [of + "fi.w"], of + "wide")
        self._add("BiasGelu", [of + "wide", self._floats(of + "fi.b")], of + "active", domain=_EXTENSIONS)
        self._block_product(of + "active", of + "fo.w", of + "narrow")
        self._normalize(of + "narrow", attended, after, norm=of + "oln", bias=of + "fo.b")

    def _add_attention(self, of: str, source: str) -> None:
        parts = [of + part for part in ("q", "k", "v")]
        bias = self._constant(of + "qkv.b", np.concatenate([self.weights.floats(part + ".b") for part in parts]))
        self._integer_product(source, [part + ".w" for part in parts], of + "qkv", bias=bias)
        self.nodes.append(helper.make_node("Split", [of + "qkv", "thirds"], parts, axis=-1))
        self._add(
            "MultiHeadAttention",
            [*parts, "", "lengths"],
            of + "context",
            domain=_EXTENSIONS,
            num_heads=self.weights.heads,
        )

    def _integer_product(self, source: str, names: Sequence[str], target: str, *, bias: str = "") -> None:
        """Node: target = source · Wᵀ + bias, W in 8-bit integers with a scale a row."""
        matrix = np.concatenate([dequantized(self._blocks(name)) for name in names])
        scales = np.abs(matrix).max(axis=1) / self.largest
        integers = np.rint(matrix / scales[:, np.newaxis]).astype(np.int8)
        inputs = [
            source,
            self._constant(target + ".integers", integers.T),
            self._constant(target + ".scales", scales),
            self._constant(target + ".zeros", np.zeros(len(scales), dtype=np.int8)),
            bias,
        ]
        self._add("DynamicQuantizeMatMul", inputs if bias else inputs[:-1], target, domain=_EXTENSIONS)

    def _block_product(self, source: str, name: str, target: str) -> None:
        """Node: target = source · Wᵀ, W in the 4-bit blocks of the file, widened to ``block_bits``."""
        blocks = self._blocks(name)
        rows, row_blocks = blocks.shape
        integers = quantized(blocks).astype(np.int16) + 2 ** (self.block_bits - 1)
        if self.block_bits == 4:
            integers = integers[..., 0::2] | integers[..., 1::2] << 4
        self._add(
            "MatMulNBits",
            [
                source,
                self._constant(target + ".integers", integers.astype(np.uint8)),
                self._constant(target + ".scales", blocks["scale"].astype(np.float32)),
            ],
            target,
            domain=_EXTENSIONS,
            K=row_blocks * BLOCK_WEIGHTS,
            N=rows,
            bits=self.block_bits,
            block_size=BLOCK_WEIGHTS,
            accuracy_level=_EXACT_INTEGERS,
        )

    def _normalize(self, source: str, residual: str, target: str, *, norm: str, bias: str) -> None:
        inputs = [source, residual, self._floats(norm + ".w"), self._floats(norm + ".b"), self._floats(bias)]
        self._add("SkipLayerNormalization", inputs, target, domain=_EXTENSIONS, epsilon=self.weights.epsilon)

    def _blocks(self, name: str) -> Blocks:
        is_inner = name.endswith(".fo.w")
        columns = self.weights.inner_dimensions if is_inner else self.weights.dimensions
        return self.weights.blocks(name, columns=columns)

    def _floats(self, name: str) -> str:
        return self._constant(name, self.weights.floats(name))

    def _constant(self, name: str, values: NDArray[Any]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def _add(self, operator: str, inputs: Sequence[str], output: str, **attributes: Any) -> None:
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))
