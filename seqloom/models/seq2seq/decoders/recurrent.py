"""Recurrent decoders: from a fixed context, or looking at the source in every step."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from seqloom.decoding.stepper import PerInput
from seqloom.equations import Equations, Part, State, concat, equations, softmax, tanh
from seqloom.layers.attention import SoftAttention, soft_attention
from seqloom.layers.attentive_gru import StepWeights, attentive_gru
from seqloom.layers.base import Symbols
from seqloom.layers.dropout import Dropout
from seqloom.layers.embedding import embedding
from seqloom.layers.gru import GRUResetAfter, gru_reset_after
from seqloom.layers.linear import Linear
from seqloom.layers.lstm import lstm
from seqloom.layers.masks import none_if_all_true
from seqloom.layers.output_layers import readout
from seqloom.layers.packed_weights import product
from seqloom.layers.recurrent import Cell, example_state
from seqloom.layers.scores import Additive, bilinear, score_called
from seqloom.layers.stacked import Stacked
from seqloom.models.registry import find
from seqloom.models.seq2seq.bridge import InitialState
from seqloom.models.seq2seq.decoders.base import Decoder
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.models.seq2seq.source_encoder import Memory, context_of
from seqloom.models.stage import Stage


@equations
def encoder_decoder(y, s, *, embedding=embedding, cell=gru_reset_after, readout=readout):
    """Encoder-decoder: one step of a decoder that starts from the context.

    Paper: I. Sutskever, O. Vinyals, Q. Le, Sequence to sequence learning with neural networks, NeurIPS 2014;
    K. Cho et al., Learning phrase representations using RNN encoder-decoder for statistical machine
    translation, EMNLP 2014.

    y  ()     index, the last token; <bos> at first
    s  state  the state of the decoder
    """
    x = embedding(y)  # the embedding of the last token
    s = cell(x, s)  # the new state of the decoder; the first one was made of the context
    z = readout(s)  # the logits of the next token
    p = softmax(z)  # the distribution over the next token
    return s, p


@equations
def encoder_decoder_every_step(y, s, c, *, embedding=embedding, cell=gru_reset_after, readout=readout):
    """Encoder-decoder with the context in every step: one step of the decoder.

    Paper: K. Cho et al., Learning phrase representations using RNN encoder-decoder for statistical machine
    translation, EMNLP 2014.

    y  ()     index, the last token; <bos> at first
    s  state  the state of the decoder
    c  (K)    the context: the source as one vector, the same in every step
    """
    x = embedding(y)  # the embedding of the last token
    s = cell(concat(x, c), s)  # the new state of the decoder, from the token and the context
    o = concat(s, x, c)  # the output vector: all that the next token depends on
    z = readout(o)  # the logits of the next token
    p = softmax(z)  # the distribution over the next token
    return s, p


@equations
def rnn_attention(
    y, s, H, *, embedding=embedding, attention=soft_attention, cell=gru_reset_after, W_o, b_o, readout=readout
):
    """Attention for recurrent networks: one step of the decoder.

    Paper: D. Bahdanau, K. Cho, Y. Bengio, Neural machine translation by jointly learning to align and translate,
    ICLR 2015.

    y    ()          index, the last token; <bos> at first
    s    state       the state of the decoder
    H    (S, K)      the hidden states of the encoder
    W_o  (H+K+D, H)  from state, context and embedding to the output vector
    b_o  (H)         its bias
    """
    x = embedding(y)  # the embedding of the last token
    c = attention(s, H)  # the context vector: what the decoder attends to
    s = cell(concat(x, c), s)  # the new state of the decoder
    o = tanh(concat(s, c, x) @ W_o + b_o)  # the output vector
    z = readout(o)  # the logits of the next token
    p = softmax(z)  # the distribution over the next token
    return s, p


@equations
def rnn_attention_state_first(
    y, s, c, H, *, embedding=embedding, cell=gru_reset_after, attention=soft_attention, W_o, b_o, readout=readout
):
    """Attention for recurrent networks, the state first: one step of the decoder.

    Paper: M. Luong, H. Pham, C. Manning, Effective approaches to attention-based neural machine translation,
    EMNLP 2015.

    y    ()        index, the last token; <bos> at first
    s    state     the state of the decoder
    c    (K)       the context vector of the step before
    H    (S, K)    the hidden states of the encoder
    W_o  (H+K, H)  from state and context to the output vector
    b_o  (H)       its bias
    """
    x = embedding(y)  # the embedding of the last token
    s = cell(concat(x, c), s)  # the new state of the decoder, from the token and the last context
    c = attention(s, H)  # the context vector: what the new state attends to
    o = tanh(concat(s, c) @ W_o + b_o)  # the output vector
    z = readout(o)  # the logits of the next token
    p = softmax(z)  # the distribution over the next token
    return s, c, p


bilinear_attention = soft_attention.bind(score=bilinear)


@equations
def input_feeding(
    y,
    s,
    o,
    H,
    *,
    embedding=embedding,
    cell=lstm,
    attention=bilinear_attention,
    W_o,
    b_o,
    readout=readout,
):
    """Attention with input feeding: one step of the decoder.

    Paper: M. Luong, H. Pham, C. Manning, Effective approaches to attention-based neural machine translation,
    EMNLP 2015.

    y    ()        index, the last token; <bos> at first
    s    state     the state of the decoder
    o    (H)       the output vector of the step before
    H    (S, K)    the hidden states of the encoder
    W_o  (H+K, H)  from state and context to the output vector
    b_o  (H)       its bias
    """
    x = embedding(y)  # the embedding of the last token
    s = cell(concat(x, o), s)  # the new state of the decoder, from the token and the last output vector
    c = attention(s, H)  # the context vector: what the new state attends to
    o = tanh(concat(s, c) @ W_o + b_o)  # the output vector
    z = readout(o)  # the logits of the next token
    p = softmax(z)  # the distribution over the next token
    return s, o, p


def cells_of(config: Seq2SeqConfig, width: int) -> list[Cell[Any]]:
    """The layers of the decoder, the lowest reading vectors of this width."""
    make = find(config.decoder, "decoder").make
    assert make is not None
    return [make(a, b) for a, b in pairwise([width, *config.decoder_widths])]


class ContextDecoder(Decoder):
    """Starts from a fixed context."""

    definition: Equations[..., Any] = encoder_decoder
    every_step = False

    def __init__(self, config: Seq2SeqConfig, memory_width: int) -> None:
        super().__init__()
        self.bridge = config.bridge
        beside = memory_width if self.every_step else 0
        cells = cells_of(config, config.embedding + beside)
        self.layers = Stacked(cells, config.dropout)
        self.first = InitialState(config.bridge, memory_width, cells)
        self.dropout = Dropout(config.dropout)
        written = config.embedding if self.every_step else 0
        self.output_size = config.decoder_widths[-1] + written + beside

    def forward(self, x: Tensor, memory: Memory) -> Tensor:
        return self.write(x, self.start(memory))[0]

    def start(self, memory: Memory) -> Any:
        return self.first(memory), context_of(memory, self.bridge)

    def step(self, x: Tensor, state: Any, *, weights: bool) -> tuple[Tensor, Any, Sequence[Tensor]]:
        y, state = self.write(x[:, None], state)
        return y[:, 0], state, ()

    def write(self, x: Tensor, state: Any) -> tuple[Tensor, Any]:
        """Any number of tokens: x (B, T, D) -> (B, T, H)."""
        states, context = state
        if not self.every_step:
            y, states = self.layers(x, states)
            return self.dropout(y), (states, context)
        c = context[:, None].expand(-1, x.shape[1], -1)
        y, states = self.layers(torch.cat([x, c], -1), states)
        return self.dropout(torch.cat([y, x, c], -1)), (states, context)

    def symbols(self) -> Symbols:
        return {"cell": cell_part(self.layers)}

    def given(self, memory: Memory) -> dict[str, Any]:
        states, _ = self.start(memory)
        return {"s": state_of(states, self.layers)}

    def bridge_stages(self, memory: Memory) -> list[Stage]:
        return self.first.stages(memory)


class EveryStepDecoder(ContextDecoder):
    """The same with the context in every gate and in the output, not at the start alone."""

    definition: Equations[..., Any] = encoder_decoder_every_step
    every_step = True

    def given(self, memory: Memory) -> dict[str, Any]:
        return {**super().given(memory), "c": context_of(memory, self.bridge)[0]}


class AttentiveDecoder(Decoder):
    """Attends to the source in every step; a subclass says whether before or after its state is made."""

    feeds: tuple[str, ...] = ()
    """What goes from one step into the next beside the state."""

    def __init__(self, config: Seq2SeqConfig, memory_width: int, fed: int, beside: int) -> None:
        super().__init__()
        top = config.decoder_widths[-1]
        cells = cells_of(config, config.embedding + fed)
        self.layers = Stacked(cells, config.dropout)
        self.first = InitialState("projected", memory_width, cells)
        self.attention = SoftAttention(score_called(config.score, top, memory_width, config.hidden))
        self.combine = Linear(top + memory_width + beside, top)
        self.dropout = Dropout(config.dropout)
        self.output_size = top

    def forward(self, x: Tensor, memory: Memory) -> Tensor:
        state, made = self.start(memory), []
        for word in x.unbind(1):
            parts, state, _ = self.advance(word, state)
            made.append(parts)
        return self.together(*(torch.stack(part, 1) for part in zip(*made, strict=True)))

    def step(self, x: Tensor, state: Any, *, weights: bool) -> tuple[Tensor, Any, Sequence[Tensor]]:
        parts, state, a = self.advance(x, state)
        return self.together(*parts), state, [a] if weights else ()

    def advance(self, x: Tensor, state: Any) -> tuple[tuple[Tensor, ...], Any, Tensor]:
        """One word more: x (B, D) -> what the output is made of, the state, and the attention (B, 1, S)."""
        raise NotImplementedError

    def together(self, *parts: Tensor) -> Tensor:
        """State, context, and what else there is: tanh([...] W + b)."""
        return torch.tanh(self.combine(self.dropout(torch.cat(parts, -1))))

    def symbols(self) -> Symbols:
        weights = {"W_o": self.combine.W, "b_o": self.combine.b}
        return {"cell": cell_part(self.layers), "attention": self.attention.part(), **weights}

    def given(self, memory: Memory) -> dict[str, Any]:
        states, fed, _ = self.start(memory)
        return {"s": state_of(states, self.layers), "H": memory.hidden[0], **dict.fromkeys(self.feeds, fed[0])}

    def bridge_stages(self, memory: Memory) -> list[Stage]:
        return self.first.stages(memory)


class AttendFirst(AttentiveDecoder):
    """Bahdanau: the state before attends, and the new state is made of the token and the context."""

    definition: Equations[..., Any] = rnn_attention

    def __init__(self, config: Seq2SeqConfig, memory_width: int) -> None:
        super().__init__(config, memory_width, fed=memory_width, beside=config.embedding)

    def forward(self, x: Tensor, memory: Memory) -> Tensor:
        (cell, *upper), score = self.layers.stack(), self.attention.score
        known = isinstance(cell, GRUResetAfter) and isinstance(score, Additive) and not upper and x.shape[1]
        if not (known and x.is_cpu and torch.is_grad_enabled() and memory.mask.any(1).all()):
            return super().forward(x, memory)
        assert isinstance(cell, GRUResetAfter) and isinstance(score, Additive)
        _, s, prepared = self.start(memory)
        h, keys, mask = prepared.state
        width = x.shape[2]
        from_words = product(x.transpose(0, 1), cell.weight_x[:, :width], cell.bias)
        weights = StepWeights(cell.weight_h, cell.weight_x[:, width:], score.W.T, score.v)
        y, c = attentive_gru(from_words, s, weights, keys, h, mask)
        return self.together(y.transpose(0, 1), c.transpose(0, 1), x)

    def start(self, memory: Memory) -> Any:
        states = self.first(memory)
        return states, states[-1][0], PerInput(self.attention.prepare(memory.hidden, none_if_all_true(memory.mask)))

    def advance(self, x: Tensor, state: Any) -> tuple[tuple[Tensor, ...], Any, Tensor]:
        states, top, prepared = state
        c, a = attend_together(self.attention, top, prepared)
        y, states = self.layers(torch.cat([x, c], -1)[:, None], states)
        y = y[:, 0]
        return (y, c, x), (states, y, prepared), a


class StateFirst(AttentiveDecoder):
    """The state is made first, then attends; the context goes into the next state."""

    definition: Equations[..., Any] = rnn_attention_state_first
    feeds = ("c",)

    def __init__(self, config: Seq2SeqConfig, memory_width: int) -> None:
        self.fed = config.decoder_widths[-1] if config.input_feeding else memory_width
        super().__init__(config, memory_width, fed=self.fed, beside=0)

    def start(self, memory: Memory) -> Any:
        nothing = memory.hidden.new_zeros(memory.hidden.shape[0], self.fed)
        prepared = self.attention.prepare(memory.hidden, none_if_all_true(memory.mask))
        return self.first(memory), nothing, PerInput(prepared)

    def advance(self, x: Tensor, state: Any) -> tuple[tuple[Tensor, ...], Any, Tensor]:
        states, fed, prepared = state
        y, states = self.layers(torch.cat([x, fed], -1)[:, None], states)
        y = y[:, 0]
        c, a = attend_together(self.attention, y, prepared)
        return (y, c), (states, c, prepared), a


class InputFeeding(StateFirst):
    """Luong: the output vector goes into the next step, so outputs are made one by one."""

    definition: Equations[..., Any] = input_feeding
    feeds = ("o",)

    def forward(self, x: Tensor, memory: Memory) -> Tensor:
        state, rows = self.start(memory), []
        for word in x.unbind(1):
            row, state, _ = self.step(word, state, weights=False)
            rows.append(row)
        return torch.stack(rows, 1)

    def step(self, x: Tensor, state: Any, *, weights: bool) -> tuple[Tensor, Any, Sequence[Tensor]]:
        row, (states, _, prepared), attention = super().step(x, state, weights=weights)
        return row, (states, row, prepared), attention


def attend_together(attention: SoftAttention, q: Tensor, prepared: PerInput) -> tuple[Tensor, Tensor]:
    """The rows of each source attend to it together: q (R, H) -> contexts (R, K), weights (R, 1, S)."""
    c, a = attention.attend_to(q.view(prepared.state.h.shape[0], -1, q.shape[1]), prepared.state)
    return c.flatten(0, 1), a.flatten(0, 1)[:, None]


def cell_part(layers: Stacked) -> Part:
    """What a stack of layers computes in a step, with its weights; of a single layer, what that computes."""
    stack = layers.stack()
    return stack[0].part() if len(stack) == 1 else layers.part()


def state_of(states: Sequence[Any], layers: Stacked) -> State:
    """The states of all layers for the first source, as the state of `cell_part`."""
    found = [example_state(state, layer) for state, layer in zip(states, layers.stack(), strict=True)]
    return found[0] if len(found) == 1 else State(found[-1], [found])


def recurrent_decoder(config: Seq2SeqConfig, memory_width: int) -> Decoder:
    """Layers of any cell that is registered, with a fixed context or attention."""
    if config.bridge != "attention":
        return (EveryStepDecoder if config.every_step else ContextDecoder)(config, memory_width)
    if config.order == "attend-first":
        return AttendFirst(config, memory_width)
    return (InputFeeding if config.input_feeding else StateFirst)(config, memory_width)
