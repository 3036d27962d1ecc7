"""A small LSTM that foresees the next run from those before it, for the methods that judge its errors."""

from __future__ import annotations

import numpy as np

from byhistory.profile.arrays import Floats

WINDOW, HIDDEN, EPOCHS, RATE = 5, 32, 40, 0.01
"""Runs that the next one is foreseen from, units, rounds of training and its step (choices for thirty runs)."""


def windows(series: Floats, size: int) -> Floats:
    """Every stretch of this many rows, oldest first."""
    return np.lib.stride_tricks.sliding_window_view(series, size, axis=0).transpose(0, 2, 1)


def foresee(history: Floats, layers: int = 1, window: int = WINDOW) -> tuple[Floats, Floats]:
    """The errors on the past (one row per run, from the first with a full window before it), and the next run foreseen.

    Trained on this past alone, the same way each time; one thread, as two rivals may run beside each other.
    """
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    metrics = history.shape[1]
    size = min(window, len(history) - 2)
    stretches = torch.tensor(windows(history, size).copy(), dtype=torch.float32)
    targets = torch.tensor(history[size:], dtype=torch.float32)
    network = torch.nn.LSTM(metrics, HIDDEN, layers, batch_first=True)
    last = torch.nn.Linear(HIDDEN, metrics)
    optimiser = torch.optim.Adam([*network.parameters(), *last.parameters()], lr=RATE)
    for _ in range(EPOCHS):
        optimiser.zero_grad()
        loss = torch.nn.functional.mse_loss(last(network(stretches[:-1])[0][:, -1]), targets)
        loss.backward()
        optimiser.step()
    with torch.no_grad():
        foreseen = last(network(stretches)[0][:, -1]).numpy().astype(float)
    return history[size:] - foreseen[:-1], foreseen[-1]
