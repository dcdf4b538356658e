"""Tables that would not fit into memory are refused before they are read."""

from __future__ import annotations

from qpfs.data.errors import UnreadableError
from qpfs.memory import memory_of_machine

COLUMN = 400  # bytes that a fit keeps for each row and column, about


def check_room(n_bytes: int, what: str) -> None:
    """Raises UnreadableError if something takes more memory than there is."""
    if n_bytes > (room := memory_of_machine()):
        raise UnreadableError(
            f"{what} would take about {n_bytes / 1e9:,.1f} GB of memory, but there are {room / 1e9:,.1f} GB."
        )
