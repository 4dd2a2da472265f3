"""Bitboards as input of networks."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fanorona._native import Board


def planes(own: ArrayLike, opponent: ArrayLike, board: Board | str = "9x5") -> NDArray[np.uint8]:
    """Positions as planes of zeros and ones, of the shape (positions, 2, height, width).

    `own` and `opponent` are bitboards as for Tables.probe_many. The first plane shows the stones of
    the side to move, the second those of its opponent. Row 0 is rank 1, column 0 is file a.

    >>> planes([0b101], [1 << 44]).shape
    (1, 2, 5, 9)
    >>> planes([0b101], [1 << 8], "3x3")[0].tolist()
    [[[1, 0, 1], [0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0], [0, 0, 1]]]
    """
    board = Board(board)
    both = np.stack([np.asarray(own), np.asarray(opponent)], axis=1).astype("<u8")
    bits = np.unpackbits(both.view(np.uint8).reshape(-1, 2, 8), axis=2, bitorder="little")
    return bits[:, :, : board.num_points].reshape(-1, 2, board.height, board.width)
