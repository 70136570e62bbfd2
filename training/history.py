"""A trunk on the ``history`` observation: what the deciding seat recalls, read row by row."""

import math
from collections.abc import Sequence

import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

from masked_monsters.training.config import HEADS

CHUNK = 128
"""Histories of like lengths that attention reads at once; it also bounds the memory it takes."""


class HistoryTrunk(BaseFeaturesExtractor):
    """The features are those of the last row in use, which says what is to be decided.

    It takes histories of any length, so that an agent can play at tables of all sizes. Rows that are
    not used do not change the features.
    """

    offsets: torch.Tensor

    def __init__(self, observation_space: spaces.Box, kind: str, hidden: Sequence[int]) -> None:
        """Random weights.

        Args:
            observation_space: of ``history``; the length does not matter.
            kind: ``"gru"`` or ``"attention"``.
            hidden: the layers' sizes, all the same.
        """
        width = hidden[-1]
        super().__init__(observation_space, features_dim=width)
        sizes = torch.as_tensor(observation_space.high[0]).long() + 1
        self.register_buffer("offsets", sizes.cumsum(0) - sizes, persistent=False)
        self.embedding = nn.EmbeddingBag(int(sizes.sum()), width, mode="sum")
        reader = {"gru": Recurrent, "attention": Attention}[kind]
        self.reader = reader(width, len(hidden))

    def forward(self, history: torch.Tensor) -> torch.Tensor:
        """``(k, tokens, columns)`` int8 observations; ``(k, features_dim)`` features."""
        used = history[:, :, 0].ne(0).sum(1)  # a row in use begins with its kind, which is not 0
        history = history[:, : used.max()]
        rows = self.embedding((history + self.offsets).flatten(0, 1))
        return self.reader(rows.unflatten(0, history.shape[:2]), used)


class Recurrent(nn.Module):
    """Gated recurrent units (Cho et al. 2014); the last state of the last layer."""

    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        self.units = nn.GRU(width, width, layers, batch_first=True)

    def forward(self, rows: torch.Tensor, used: torch.Tensor) -> torch.Tensor:
        """``(k, tokens, width)``, of which the first ``used``, ``(k,)``, count; ``(k, width)``."""
        packed = pack_padded_sequence(rows, used.cpu(), batch_first=True, enforce_sorted=False)
        _, last = self.units(packed)
        return last[-1]


class Attention(nn.Module):
    """A Transformer encoder (Vaswani et al. 2017) that normalises first (Xiong et al. 2020)."""

    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(
            width, HEADS, 4 * width, dropout=0, batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(
            layer, layers, nn.LayerNorm(width), enable_nested_tensor=False
        )
        for weights in self.encoder.parameters():  # torch gives all layers the same
            if weights.dim() > 1:
                nn.init.xavier_uniform_(weights)

    def forward(self, rows: torch.Tensor, used: torch.Tensor) -> torch.Tensor:
        """``(k, tokens, width)``, of which the first ``used``, ``(k,)``, count; ``(k, width)``."""
        order = used.argsort()  # so that short ones are not padded to the length of the longest
        parts = [self._read(rows[part], used[part]) for part in order.split(CHUNK)]
        return torch.cat(parts)[order.argsort()]

    def _read(self, rows: torch.Tensor, used: torch.Tensor) -> torch.Tensor:
        place = torch.arange(int(used.max()), device=rows.device)
        rows = rows[:, : len(place)] + positional_encoding(place, rows.shape[-1])
        read = self.encoder(rows, src_key_padding_mask=place >= used[:, None])
        return read[torch.arange(len(read), device=rows.device), used - 1]


def positional_encoding(place: torch.Tensor, width: int) -> torch.Tensor:
    """Sines and cosines of places, ``(n,)``, from fast to slow; ``(n, width)`` (Vaswani et al. 2017)."""
    octaves = torch.arange(0, width, 2, device=place.device) / width
    angle = place[:, None] * torch.exp(-math.log(10_000) * octaves)
    return torch.cat([angle.sin(), angle.cos()], dim=1)
