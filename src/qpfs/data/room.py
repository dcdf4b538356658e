"""What would not fit into memory is refused before it is read."""

from __future__ import annotations

from qpfs.data.errors import UnreadableError
from qpfs.memory import memory_of_machine

COLUMN = 400  # bytes that a fit keeps for each, about, however little is in it


def check_room(n_bytes: int, what: str) -> None:
    """Raises UnreadableError if something takes more memory than there is."""
    if n_bytes > (room := memory_of_machine()):
        raise UnreadableError(
            f"{what} would take about {n_bytes / 1e9:,.1f} GB of memory, and there are {room / 1e9:,.1f} GB."
        )
