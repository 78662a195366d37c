"""An ONNX graph with weights of 8 bits."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from seqloom.engines.onnx_graph import names_read
from seqloom.engines.onnx_trace import QuietLogging
from seqloom.extras import require

QUANTIZED = ["MatMul"]
"""Operators whose weights become integers. Not embeddings, where one scale for all tokens costs a quarter of a point of
BLEU. Not fused recurrences, which hold the state at padding by numbers that leave no digits for others."""


def quantized(model: Any) -> Any:
    """The same with weights as integers of 8 bits; what they are multiplied with is quantized as it comes."""
    onnx = require("onnx", "onnx", "an export to ONNX")
    quantization = require("onnxruntime.quantization", "onnx", "weights of 8 bits")
    with TemporaryDirectory() as aside, QuietLogging():  # it advises a preprocessing that changes nothing here
        whole, small = Path(aside) / "whole.onnx", Path(aside) / "small.onnx"
        model = with_plain_products(onnx, model)
        vectors = {one.name for one in model.graph.initializer if len(one.dims) != 2}  # products of matrices alone
        onnx.save(model, str(whole))
        quantization.quantize_dynamic(
            str(whole), str(small), weight_type=quantization.QuantType.QInt8, op_types_to_quantize=QUANTIZED,
            per_channel=True, nodes_to_exclude=[node.name for node in model.graph.node if vectors & {*node.input}],
        )  # fmt: skip
        return onnx.load(str(small))


def with_plain_products(onnx: Any, model: Any) -> Any:
    """Products with a transposed weight and a bias as a product and a sum, each product with a weight of its own.

    Quantization would transpose a weight for all who use it: of a readout that is tied to the embedding, for both.
    """
    weights = {one.name: one for one in model.graph.initializer}
    nodes = list(model.graph.node)
    del model.graph.node[:]
    for place, node in enumerate(nodes):
        options = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
        plain = options.get("alpha", 1.0) == options.get("beta", 1.0) == 1.0 and not options.get("transA")
        if node.op_type != "Gemm" or not plain or node.input[1] not in weights:
            model.graph.node.append(node)
            continue
        weight = onnx.numpy_helper.to_array(weights[node.input[1]])
        own, product = f"{node.input[1]}_{place}", f"{node.output[0]}_product"
        flat = np.ascontiguousarray(weight.T if options.get("transB") else weight)
        model.graph.initializer.append(onnx.numpy_helper.from_array(flat, own))
        bias = list(node.input[2:])
        model.graph.node.append(
            onnx.helper.make_node("MatMul", [node.input[0], own], [product if bias else node.output[0]], name=own)
        )
        if bias:
            model.graph.node.append(onnx.helper.make_node("Add", [product, *bias], list(node.output)))
    used = names_read(model.graph.node)
    kept = [one for one in model.graph.initializer if one.name in used]
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
    return model
