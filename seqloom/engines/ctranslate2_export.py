"""A Transformer that translates, as CTranslate2 reads it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import numpy as np
from torch import Tensor, nn

from seqloom.engines.ctranslate2_package import CONFIG, import_ctranslate2
from seqloom.errors import SeqloomError
from seqloom.layers.identity import Identity
from seqloom.layers.multi_head import MultiHead, UnscaledDotProduct
from seqloom.layers.norms import EPSILON
from seqloom.layers.positions import AddLearned, AddSinusoidal, PositionAdded
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.tokens.settings import BOS, EOS, SPECIALS, UNK
from seqloom.tokens.tokenizer import Tokenizer


def check_expressible(config: Seq2SeqConfig) -> None:
    """Raise an error that names every setting which CTranslate2's Transformer does not have."""
    wanted = {
        "encoder": "transformer", "decoder": "transformer", "bridge": "attention", "copying": False,
        "norm_kind": "layer", "residual": True,
    }  # fmt: skip
    others = [f"model.{name} = {getattr(config, name)}" for name in wanted if getattr(config, name) != wanted[name]]
    others += [] if config.hidden else ["model.hidden = 0"]
    if others:
        what = f"CTranslate2 runs Transformers alone, and this model has {', '.join(others)}"
        raise SeqloomError(what, remedy="use it with torch as it is, or train a Transformer")


def export_translator(
    model: Seq2Seq, config: Seq2SeqConfig, source: Tokenizer, target: Tokenizer, folder: Path, *, int8: bool
) -> None:
    """Write the files of CTranslate2 into a folder; its own config.json is called ctranslate2.json there."""
    check_expressible(config)
    ctranslate2 = import_ctranslate2()
    spec = specification(ctranslate2, model, config)
    spec.register_source_vocabulary(list(source.vocabulary))
    spec.register_target_vocabulary(list(target.vocabulary))
    names = {"unk_token": UNK, "bos_token": BOS, "eos_token": EOS, "decoder_start_token": BOS}
    for name, token in names.items():
        setattr(spec.config, name, SPECIALS[token])
    spec.config.layer_norm_epsilon = EPSILON
    spec.validate()
    spec.optimize(quantization="int8" if int8 else None)
    with TemporaryDirectory(dir=folder) as aside:
        spec.save(aside)
        for file in Path(aside).iterdir():
            file.rename(folder / (CONFIG if file.name == "config.json" else file.name))


def specification(ctranslate2: Any, model: Seq2Seq, config: Seq2SeqConfig) -> Any:
    """CTranslate2's Transformer with the weights of ours."""
    source: Any = model.source
    encoder, decoder = source.encoder, cast(Any, model.decoder)
    spec = ctranslate2.specs.TransformerSpec.from_config(
        (len(encoder.blocks), len(decoder.blocks)), config.heads, pre_norm=config.norm == "before"
    )
    set_embedding(spec.encoder, spec.encoder.embeddings[0], source.embedding.E, encoder.positions, config.length)
    set_embedding(spec.decoder, spec.decoder.embeddings, model.embedding.E, decoder.positions, config.places)
    for layer, block in zip(spec.encoder.layer, encoder.blocks, strict=True):
        set_attention(layer.self_attention, block.attention, block.norm_1, crossing=False)
        set_network(layer.ffn, block.network, block.norm_2)
    for layer, block in zip(spec.decoder.layer, decoder.blocks, strict=True):
        set_attention(layer.self_attention, block.self_attention, block.norm_1, crossing=False)
        set_attention(layer.attention, block.cross_attention, block.norm_2, crossing=True)
        set_network(layer.ffn, block.network, block.norm_3)
    for part, ours in ((spec.encoder, encoder), (spec.decoder, decoder)):
        if not isinstance(ours.norm, Identity):
            set_norm(part.layer_norm, ours.norm)
    symbols: Any = model.readout.symbols()
    weight = symbols["E"] if "E" in symbols else symbols["W_hy"].T
    spec.decoder.projection.weight, spec.decoder.projection.bias = array(weight), array(symbols["b_y"])
    return spec


def array(weight: Tensor) -> np.ndarray[Any, Any]:
    """A weight as an array of its own: CTranslate2 quantizes in place."""
    return np.array(weight.detach().float().cpu().numpy(), order="C")


def set_embedding(part: Any, embeddings: Any, E: Tensor, positions: PositionAdded, length: int) -> None:
    """Embeddings and positions; the waves are a table too, since CTranslate2 puts sines before cosines."""
    embeddings.weight = array(E)
    part.scale_embeddings = isinstance(positions, AddSinusoidal)
    if isinstance(positions, AddSinusoidal):
        table = array(positions.waves.table(length))
    elif isinstance(positions, AddLearned):
        table = array(positions.positions.P)
    else:
        table = np.zeros((length, E.shape[1]), np.float32)
    part.position_encodings.encodings = table


def set_attention(spec: Any, attention: MultiHead, norm: nn.Module, *, crossing: bool) -> None:
    """Queries, keys and values side by side; with `crossing` the queries by themselves."""
    if isinstance(attention.attend, UnscaledDotProduct):
        spec.queries_scale = 1.0
    joint = attention.W_QKV.T  # (3 D, D): queries, keys, values, and in each the heads
    width = attention.width
    inputs = [joint[:width], joint[width:]] if crossing else [joint]
    for linear, weight in zip(spec.linear, [*inputs, attention.W_O.T], strict=True):
        linear.weight = array(weight)
    set_norm(spec.layer_norm, norm)


def set_network(spec: Any, network: Any, norm: nn.Module) -> None:
    set_norm(spec.layer_norm, norm)
    spec.linear_0.weight, spec.linear_0.bias = array(network.W_1.T), array(network.b_1)
    spec.linear_1.weight, spec.linear_1.bias = array(network.W_2.T), array(network.b_2)


def set_norm(spec: Any, norm: Any) -> None:
    spec.gamma, spec.beta = array(norm.gamma), array(norm.beta)
