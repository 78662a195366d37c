"""torch alone: each model as textbooks write it, in a plain training loop."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_steps import steps  # type: ignore[import-not-found]  # beside this file
from training_turns import Step, serve  # type: ignore[import-not-found]  # beside this file

PAD = 0
Batch = dict[str, Tensor]


class Transformer(nn.Module):
    """`nn.Transformer` between one embedding for source, target and output; dropout where Marian has it."""

    def __init__(self, sizes: dict[str, Any]) -> None:
        super().__init__()
        width, layers = sizes["embedding"], len(sizes["encoder_widths"])
        self.embedding = nn.Embedding(sizes["vocabulary"], width)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)
        self.bias = nn.Parameter(torch.zeros(sizes["vocabulary"]))
        self.transformer = nn.Transformer(
            width, sizes["heads"], layers, layers, sizes["hidden"], sizes["dropout"], batch_first=True
        )
        for module in self.transformer.modules():
            if isinstance(module, nn.MultiheadAttention):
                module.dropout = 0.0
            if isinstance(module, nn.TransformerEncoderLayer | nn.TransformerDecoderLayer):
                module.dropout = nn.Dropout(0.0)  # the one inside the feed-forward network
        self.dropout = nn.Dropout(sizes["dropout"])
        place = torch.arange(512)[:, None]
        waves = place * torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
        self.register_buffer("places", torch.stack([waves.sin(), waves.cos()], -1).flatten(1))
        self.smoothing = sizes["smoothing"]

    def embed(self, tokens: Tensor) -> Tensor:
        scaled = self.embedding(tokens) * math.sqrt(self.embedding.embedding_dim)
        embedded: Tensor = self.dropout(scaled + self.places[: tokens.shape[1]])  # type: ignore[index]
        return embedded

    def loss(self, batch: Batch) -> Tensor:
        padding = batch["source"] == PAD
        causal = nn.Transformer.generate_square_subsequent_mask(batch["decoder_input"].shape[1])
        y = self.transformer(
            self.embed(batch["source"]), self.embed(batch["decoder_input"]), tgt_mask=causal, tgt_is_causal=True,
            src_key_padding_mask=padding, memory_key_padding_mask=padding,
        )  # fmt: skip
        logits = F.linear(y, self.embedding.weight, self.bias)
        return F.cross_entropy(
            logits.flatten(0, 1), batch["labels"].flatten(), ignore_index=PAD, label_smoothing=self.smoothing
        )


class Attention(nn.Module):
    """`nn.GRU` from both ends, and a decoder of `nn.GRUCell` with additive attention, step by step."""

    def __init__(self, sizes: dict[str, Any]) -> None:
        super().__init__()
        width, hidden, vocabulary = sizes["embedding"], sizes["decoder_widths"][0], sizes["vocabulary"]
        self.source, self.target = nn.Embedding(vocabulary, width), nn.Embedding(vocabulary, width)
        self.encoder = nn.GRU(width, sizes["encoder_widths"][0], batch_first=True, bidirectional=True)
        memory = 2 * sizes["encoder_widths"][0]
        self.start = nn.Linear(memory, hidden)
        self.query, self.key = (nn.Linear(size, sizes["hidden"], bias=False) for size in (hidden, memory))
        self.score = nn.Linear(sizes["hidden"], 1, bias=False)
        self.cell = nn.GRUCell(width + memory, hidden)
        self.combine = nn.Linear(hidden + memory + width, hidden)
        self.readout = nn.Linear(hidden, vocabulary)
        self.dropout = nn.Dropout(sizes["dropout"])
        self.smoothing = sizes["smoothing"]

    def loss(self, batch: Batch) -> Tensor:
        states, last = self.encoder(self.dropout(self.source(batch["source"])))
        padding = batch["source"] == PAD
        keys = self.key(states)
        s = torch.tanh(self.start(torch.cat([last[0], last[1]], -1)))
        made = []
        for x in self.dropout(self.target(batch["decoder_input"])).unbind(1):
            scores = self.score(torch.tanh(self.query(s)[:, None] + keys))[..., 0].masked_fill(padding, -math.inf)
            context = (torch.softmax(scores, -1)[:, None] @ states)[:, 0]
            s = self.cell(torch.cat([x, context], -1), s)
            made.append(torch.cat([s, context, x], -1))
        y = torch.tanh(self.combine(self.dropout(torch.stack(made, 1))))
        return F.cross_entropy(
            self.readout(y).flatten(0, 1), batch["labels"].flatten(), ignore_index=PAD, label_smoothing=self.smoothing
        )


class Classifier(nn.Module):
    """`nn.LSTM`; the state at the last token of each text goes into a linear layer."""

    def __init__(self, sizes: dict[str, Any]) -> None:
        super().__init__()
        self.embedding = nn.Embedding(sizes["vocabulary"], sizes["embedding"])
        self.lstm = nn.LSTM(sizes["embedding"], sizes["widths"][0], batch_first=True)
        self.dropout = nn.Dropout(sizes["dropout"])
        self.readout = nn.Linear(sizes["widths"][0], 2)

    def loss(self, batch: Batch) -> Tensor:
        y, _ = self.lstm(self.dropout(self.embedding(batch["x"])))
        last = y[torch.arange(len(y)), batch["lengths"] - 1]
        return F.cross_entropy(self.readout(self.dropout(last)), batch["targets"].flatten())


class Characters(nn.Module):
    """`nn.LSTM` that predicts the next character."""

    def __init__(self, sizes: dict[str, Any]) -> None:
        super().__init__()
        self.embedding = nn.Embedding(sizes["vocabulary"], sizes["embedding"])
        self.lstm = nn.LSTM(sizes["embedding"], sizes["widths"][0], batch_first=True)
        self.dropout = nn.Dropout(sizes["dropout"])
        self.readout = nn.Linear(sizes["widths"][0], sizes["vocabulary"])

    def loss(self, batch: Batch) -> Tensor:
        y, _ = self.lstm(self.dropout(self.embedding(batch["tokens"])))
        return F.cross_entropy(self.readout(self.dropout(y)).flatten(0, 1), batch["targets"].flatten())


MODELS = {
    "tiny": Transformer, "small": Transformer, "GRU with attention": Attention, "LSTM classifier": Classifier,
    "character LSTM": Characters,
}  # fmt: skip


def start(job: dict[str, Any]) -> tuple[dict[str, Any], Step]:
    torch.set_num_threads(job["threads"])
    model = MODELS[job["model"]](job["sizes"])
    answer: tuple[dict[str, Any], Step] = steps(job, model, model.loss)
    return answer


serve(start)
