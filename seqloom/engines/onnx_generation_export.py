"""A model that writes, as one ONNX graph: what it reads, its step, and the search around it, so that one run gives all.

The graph is put together from pieces that are traced: the first step from the source, any further step with the state
as its inputs and outputs, and the search (`graph_search`). The steps are a Loop. Which rows of the state go on is
the business of the model itself (`select`), so nothing here knows what a state is made of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from seqloom.decoding.stepper import Step, select_rows
from seqloom.engines.graph_search import (
    Chosen,
    Rules,
    Sampling,
    SearchProgress,
    advance,
    best_tokens,
    constrain,
    draw_tokens,
    forbid_repeats,
)
from seqloom.engines.onnx_graph import GraphBuilder, Values
from seqloom.engines.onnx_quantization import quantized
from seqloom.engines.onnx_trace import cannot, grow_positions, need_packages, quiet_options, trace
from seqloom.engines.settings import WRITER
from seqloom.engines.state_leaves import leaves_of
from seqloom.extras import require
from seqloom.models.language_model import LanguageModel
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.tokens.settings import BOS, EOS, PAD, UNK

SIZES = ((3, 5, 1, 2), (2, 7, 2, 3), (4, 3, 3, 1))
"""Inputs, their length, tokens written, hypotheses of each: of the batch that is traced, and of those it is held to."""


@dataclass(frozen=True)
class GenerationSpec:
    """What a graph that generates is traced from: the first step of a network, its further ones, its inputs."""

    network: nn.Module
    names: tuple[str, ...]  # of what the first step reads
    example: Callable[[int, int], tuple[Tensor, ...]]  # inputs of so many sequences of this length
    first: Callable[..., Step]
    step: Callable[[Tensor, Any], Step]
    select: Callable[[Any, Tensor, Tensor], Any]
    never: tuple[int, ...]  # tokens that are not written
    vocabulary: int
    window: int | None = None  # tokens that it sees at most; then it reads the newer half again


def generation_spec(network: nn.Module) -> GenerationSpec:
    """How a network generates."""
    if isinstance(network, LanguageModel):
        return language_model_spec(network)
    assert isinstance(network, Seq2Seq)
    return seq2seq_spec(network)


def seq2seq_spec(network: Seq2Seq) -> GenerationSpec:
    def example(B: int, S: int) -> tuple[Tensor, ...]:
        source = network.source.example(B, S)
        random = torch.Generator().manual_seed(S)
        if source.is_floating_point():
            source = torch.randn(source.shape, generator=random)
        else:
            source = torch.randint(0, 4, source.shape, generator=random).to(source.dtype)
        return source, torch.tensor([max(1, S - 2 * place) for place in range(B)])

    def first(source: Tensor, lengths: Tensor) -> Step:
        return network.step(torch.full_like(lengths, BOS), network.start(source, lengths))

    vocabulary = network.embedding.E.shape[0]
    return GenerationSpec(
        network, ("source", "lengths"), example, first, network.step, network.select, (PAD, BOS), vocabulary
    )


def language_model_spec(network: LanguageModel) -> GenerationSpec:
    def example(B: int, S: int) -> tuple[Tensor, ...]:
        return (torch.randint(0, 4, (B, S), generator=torch.Generator().manual_seed(S)),)

    def step(tokens: Tensor, state: Any) -> Step:
        return Step(*network.read(tokens[:, None], state))

    def first(text: Tensor) -> Step:
        return Step(*network.read(text))

    vocabulary = network.embedding.table.E.shape[0]
    never = (PAD, UNK, BOS)
    return GenerationSpec(network, ("text",), example, first, step, select_rows, never, vocabulary, network.limit)


def export_generation(spec: GenerationSpec, folder: Path, limit: int, *, int8: bool) -> None:
    """Write the graph of a network that writes; each piece is held to torch before.

    limit  the most tokens that it reads or writes
    """
    need_packages()
    network = spec.network.eval()
    grow_positions(network, limit)
    model = whole_graph(spec, *traced_steps(spec, int8=int8))
    require("onnx", "onnx", "an export to ONNX").checker.check_model(model)
    data = model.SerializeToString()
    try:
        require("onnxruntime", "onnx", "an export to ONNX").InferenceSession(data, quiet_options())
    except Exception as error:  # of the runtime, which has many kinds
        raise cannot(network, str(error)) from error
    (folder / WRITER).write_bytes(data)


# --- the model ----------------------------------------------------------------------------------------


def traced_steps(spec: GenerationSpec, *, int8: bool) -> tuple[Any, Any, list[int]]:
    """The graphs of the first step and of any other, and the types of what the state is made of."""
    network = spec.network

    def first(*inputs: Tensor) -> list[Tensor]:
        step = spec.first(*inputs)
        return [step.logits, *leaves_of(step.state)[0]]

    most = spec.window or max(S + written for _, S, written, _ in SIZES)
    batches = [spec.example(B, max(1, min(S, most - written))) for B, S, written, _ in SIZES]
    examples, rebuild = [], None
    leaves: list[Tensor] = []
    for batch, (B, _, written, W) in zip(batches, SIZES, strict=True):
        with torch.enable_grad():
            state = spec.first(*batch).state
            for number in range(1, written):
                state = spec.step(torch.arange(B) % 4 + number % 2, state).state
        stay = torch.arange(B - 1, -1, -1)[: max(B - 1, 1)]  # not all, and in another order
        rows = stay.repeat_interleave(W)
        leaves, back = leaves_of(state)
        rebuild = rebuild or back
        examples.append((torch.arange(len(rows)) % 4, rows, stay, *(leaf.detach() for leaf in leaves)))
    assert rebuild is not None

    def step(tokens: Tensor, rows: Tensor, inputs: Tensor, *leaves: Tensor) -> list[Tensor]:
        after = spec.step(tokens, spec.select(rebuild(leaves), rows, inputs))
        return [after.logits, *leaves_of(after.state)[0]]

    count = {len(each) for each in examples}
    if len(count) > 1:
        raise cannot(network, "its state changes its structure while it writes")
    names = ["tokens", "rows", "inputs", *leaf_names(len(leaves))]
    begin = trace(network, first, batches, spec.names, 1 + len(leaves))
    going = trace(network, step, examples, names, 1 + len(leaves))
    types = [onnx_type(leaf.dtype) for leaf in leaves]
    return (quantized(begin), quantized(going), types) if int8 else (begin, going, types)


def leaf_names(count: int) -> list[str]:
    return [f"state_{place}" for place in range(count)]


def onnx_type(dtype: torch.dtype) -> int:
    proto = require("onnx", "onnx", "an export to ONNX").TensorProto
    kinds = {
        torch.float32: proto.FLOAT, torch.float64: proto.DOUBLE, torch.int64: proto.INT64, torch.bool: proto.BOOL,
        torch.int32: proto.INT32, torch.uint8: proto.UINT8,
    }  # fmt: skip
    return int(kinds[dtype])


# --- the search ---------------------------------------------------------------------------------------


class SearchGraphs:
    """The search as traced graphs, each of which is held to its function."""

    def __init__(self) -> None:
        nothing = nn.Module()
        sizes = ((2, 3, 4, 2, 1, 11), (3, 2, 6, 1, 2, 9), (1, 1, 1, 3, 1, 7))
        examples = [search_example(*each) for each in sizes]
        logits = [one.logits for one in examples]
        written = [one.progress.written for one in examples]

        def traced(function: Any, names: Sequence[str], results: int, *inputs: Sequence[Tensor]) -> Any:
            return trace(nothing, function, list(zip(*inputs, strict=True)), names, results)

        prefix, small = [one.prefix for one in examples], [one.small for one in examples]
        self.constrain = traced(
            alone(partial(constrain, eos=EOS)), ("logits", "written", "min_length", "prefix", "never"), 1,
            logits, written, small, prefix, [one.never for one in examples],
        )  # fmt: skip
        self.forbid = traced(
            alone(partial(forbid_repeats, eos=EOS)), ("log_probs", "written", "no_repeat", "prefix"), 1,
            logits, [torch.cat([one, one], 1) for one in written], small, prefix,
        )  # fmt: skip
        self.best = traced(best_tokens, ("log_probs", "beam"), 2, logits, [one.rules.beam for one in examples])
        drawing = zip(*(one.sampling for one in examples), strict=True)
        self.draw = traced(
            draw_tokens, ("log_probs", "written", "index", *Sampling._fields), 2, logits, written,
            [one.rows for one in examples], *drawing,
        )  # fmt: skip
        begin = len(SearchProgress._fields)

        def go_on(values: Tensor, tokens: Tensor, *rest: Tensor) -> list[Tensor]:
            chosen, progress = advance(values, tokens, SearchProgress(*rest[:begin]), Rules(*rest[begin:]), EOS)
            return [*chosen, *progress]

        self.advance = traced(
            go_on, ("values", "candidates", *SearchProgress._fields, *Rules._fields), len(Chosen._fields) + begin,
            [one.values for one in examples], [one.tokens for one in examples],
            *zip(*(one.progress for one in examples), strict=True), *zip(*(one.rules for one in examples), strict=True),
        )  # fmt: skip


def alone(function: Callable[..., Tensor]) -> Callable[..., list[Tensor]]:
    """A function with one result, as a trace wants it."""
    return lambda *inputs: [function(*inputs)]


@dataclass(frozen=True)
class SearchExample:
    """Inputs of all pieces of a search."""

    logits: Tensor
    values: Tensor
    tokens: Tensor
    rows: Tensor
    prefix: Tensor
    small: Tensor
    never: Tensor
    progress: SearchProgress
    rules: Rules
    sampling: Sampling


def table_of(never: Sequence[int], vocabulary: int) -> Tensor:
    """-inf for tokens that are never written (V)."""
    table = torch.zeros(vocabulary)
    table[list(never)] = -torch.inf
    return table


@cache
def search_graphs() -> SearchGraphs:
    """Traced once for all models."""
    return SearchGraphs()


def search_example(B: int, W: int, t: int, n: int, P: int, vocabulary: int) -> SearchExample:
    """B inputs of B + 1, W hypotheses, t tokens written, n sequences to find, a prefix of P tokens."""
    random = torch.Generator().manual_seed(B)
    R, A, k = B * W, B + 1, min(2 * W, vocabulary) if W > 1 else 1

    def real(*shape: int) -> Tensor:
        return torch.rand(*shape, generator=random, dtype=torch.float64)

    def whole(*shape: int, most: int = vocabulary) -> Tensor:
        return torch.randint(0, most, shape, generator=random)

    logits = torch.log(real(R, vocabulary)).float()
    progress = SearchProgress(
        -real(B, W).sort(1).values, whole(R, t), -real(R, t), torch.arange(1, A), whole(A, most=2),
        -real(A, n) - 2, whole(A, n, t), -real(A, n, t), whole(A, n, most=t + 1),
    )  # fmt: skip
    one = torch.tensor(1)
    rules = Rules(torch.full((A,), t + 3), torch.zeros(A, dtype=torch.bool), one * W, one.double(), one == 1, one)
    sampling = Sampling(one.double() * 0.7, one * 3, one.double() * 0.9, real(A, t + 2))
    values, tokens = best_tokens(torch.log_softmax(logits, -1), rules.beam)
    rows = torch.arange(1, A).repeat_interleave(W)
    return SearchExample(
        logits, values, tokens[:, :k], rows, whole(P), one * B, table_of([0, 2], vocabulary), progress, rules, sampling
    )


# --- both ---------------------------------------------------------------------------------------------


def whole_graph(spec: GenerationSpec, first: Any, step: Any, types: list[int]) -> Any:
    """Read, then choose tokens and take steps until every input is done."""
    values = Values()
    proto = values.onnx.TensorProto
    graph = GraphBuilder(values)
    pieces, never = search_graphs(), graph.constant(table_of(spec.never, spec.vocabulary).numpy())
    numbers = {"min_length": proto.INT64, "no_repeat": proto.INT64}
    inputs = [
        *((name, onnx_type(one.dtype), [None] * one.dim()) for name, one in zip(spec.names, spec.example(1, 2))),
        *((name, kind, []) for name, kind in numbers.items()), ("prefix", proto.INT64, [None]),
    ]  # fmt: skip
    example = search_example(1, 1, 1, 1, 1, 4)
    of_search = {**example.progress._asdict(), **example.rules._asdict(), **example.sampling._asdict()}
    inputs += [(name, onnx_type(one.dtype), [None] * one.dim()) for name, one in of_search.items()]
    leaves = leaf_names(len(types))
    begin = graph.include(first, **{name: name for name in spec.names})
    progress_types = {name: onnx_type(one.dtype) for name, one in example.progress._asdict().items()}
    given = {
        "logits": (begin[0], proto.FLOAT),
        **{name: (value, kind) for name, value, kind in zip(leaves, begin[1:], types, strict=True)},
        **{name: (name, kind) for name, kind in progress_types.items()},
    }
    if spec.window is not None:
        given["unseen"] = (graph.constant(0), proto.INT64)
    rules = {name: name for name in Rules._fields}
    sampling = {name: name for name in Sampling._fields}

    def body(g: GraphBuilder, turn: str, now: dict[str, str]) -> tuple[str, dict[str, str]]:
        written = now["written"]
        (log_probs,) = g.include(
            pieces.constrain,
            logits=now["logits"],
            written=written,
            min_length="min_length",
            prefix="prefix",
            never=never,
        )
        long_enough = g.op("GreaterOrEqual", length_of(g, written), "no_repeat")
        (log_probs,) = g.branch(
            g.op("And", g.op("Greater", "no_repeat", g.constant(0)), long_enough), [proto.FLOAT],
            lambda g: g.include(
                pieces.forbid, log_probs=log_probs, written=written, no_repeat="no_repeat", prefix="prefix"
            ),
            lambda g: [log_probs],
        )  # fmt: skip
        scores, candidates = g.branch(
            g.op("Greater", "temperature", g.constant(0.0)), [proto.DOUBLE, proto.INT64],
            lambda g: g.include(pieces.draw, log_probs=log_probs, written=written, index=now["live"], **sampling),
            lambda g: g.include(pieces.best, log_probs=log_probs, beam="beam"),
        )  # fmt: skip
        so_far = {name: now[name] for name in SearchProgress._fields}
        more, rows, stay, newest, *found = g.include(
            pieces.advance, values=scores, candidates=candidates, **so_far, **rules
        )
        after = dict(zip(SearchProgress._fields, found, strict=True))

        def go_on(g: GraphBuilder) -> list[str]:
            state = {name: now[name] for name in leaves}
            return g.include(step, tokens=newest, rows=rows, inputs=stay, **state)

        if spec.window is None:
            results = go_on(g)
        else:
            results = in_window(g, spec, first, go_on, after, now["unseen"], [proto.FLOAT, *types])
            after["unseen"] = results.pop()
        return more, {**after, "logits": results[0], **dict(zip(leaves, results[1:], strict=True))}

    most = graph.op("ReduceMax", "limits", keepdims=0)
    found = dict(zip(given, graph.loop(most, given, body), strict=True))
    wanted = {"tokens": 3, "log_probs": 3, "counts": 2}
    outputs = {f"found_{name}": (found[name], progress_types[name], axes) for name, axes in wanted.items()}
    return graph.model(inputs, outputs)


def length_of(g: GraphBuilder, sequences: str) -> str:
    """The size of the second axis."""
    return str(g.op("Gather", g.op("Shape", sequences), g.constant(1)))


def in_window(
    g: GraphBuilder, spec: GenerationSpec, first: Any, go_on: Any, after: dict[str, str], unseen: str, types: list[int]
) -> list[str]:
    """A step of a model that sees so many tokens: once there are more, the newer half is read anew.

    unseen  how many tokens at the beginning it does not see any more; the new number comes last
    """
    (limit,) = [spec.window]
    assert limit is not None
    text = g.op("Concat", g.op("Gather", spec.names[0], after["live"]), after["written"], axis=1)
    length = length_of(g, text)
    proto = g.values.onnx.TensorProto

    def again(g: GraphBuilder) -> list[str]:
        start = g.op("Sub", length, g.constant(max(limit // 2, 1)))
        ones = g.constant([1])
        seen = g.op("Slice", text, g.op("Reshape", start, ones), g.op("Reshape", length, ones), ones)
        return [*g.include(first, **{spec.names[0]: seen}), start]

    too_long = g.op("Greater", g.op("Sub", length, unseen), g.constant(limit))
    return g.branch(too_long, [*types, proto.INT64], again, lambda g: [*go_on(g), unseen])
