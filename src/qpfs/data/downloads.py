"""The only module that imports pooch: a file from an address, kept under its checksum."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from qpfs.data.errors import UnreadableError, UsageError
from qpfs.data.stored import no_room
from qpfs.files import NO_ROOM

Tick = Callable[[int, int, str], None]  # called with bytes done, bytes in all, and ""
SCHEMES = ("http", "https", "file")
RETRIES = 2  # a connection that breaks once seldom breaks three times
SECONDS = 30  # seconds that a server may be silent


def is_address(source: str) -> bool:
    scheme, separator, _ = source.partition("://")
    return bool(separator) and scheme.lower() in SCHEMES


def cache_folder() -> Path:
    """Where files are kept: QPFS_CACHE, or a folder in the user's cache."""
    if named := os.environ.get("QPFS_CACHE"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "qpfs"


def downloaded(address: str, folder: Path | None = None, tick: Tick | None = None) -> Path:
    """The file at an address that ends in #sha256=..., fetched once, and completely or not at all."""
    bare, _, fragment = address.partition("#")
    sha256 = fragment.removeprefix("sha256=").lower()
    if not fragment.startswith("sha256=") or not re.fullmatch("[0-9a-f]{64}", sha256):
        raise UsageError(
            f"{address!r} has no checksum; write {bare}#sha256=..., with the 64 digits that `sha256sum` "
            "shows for the file, so that the download can be verified."
        )
    pooch = door()
    name = kept_name(address)
    keeper = pooch.create(
        path=folder or cache_folder(),
        base_url="",
        registry={name: f"sha256:{sha256}"},
        urls={name: bare},
        retry_if_failed=RETRIES,
    )
    over = copied if bare.startswith("file:") else over_http(pooch, keeper.abspath / name, tick)
    try:
        return Path(keeper.fetch(name, downloader=over))
    except (OSError, ValueError) as error:
        raise UnreadableError(f"{bare!r} could not be fetched: {reason(error, keeper.path)}") from error


def kept_name(address: str) -> str:
    """The local name of the file at an address."""
    bare, _, fragment = address.partition("#")
    sha256 = fragment.removeprefix("sha256=").lower()
    return f"{sha256[:12]}-{Path(unquote(urlsplit(bare).path)).name or 'data'}"


def local_files(address: str) -> list[Path]:
    """The local files that belong to an address: itself if it is one, and its kept copy."""
    parts = urlsplit(address)
    itself = [Path(url2pathname(parts.path))] if parts.scheme.lower() == "file" else []
    return [*itself, cache_folder() / kept_name(address)]


def door() -> Any:
    try:
        import pooch
    except ImportError as error:
        raise UsageError("Fetching a file needs pooch: pip install 'qpfs[download]'.") from error
    pooch.get_logger().setLevel("ERROR")  # nothing prints but the command
    return pooch


def over_http(pooch: Any, path: Path, tick: Tick | None) -> Any:
    return pooch.HTTPDownloader(timeout=SECONDS, progressbar=Counter(path, tick))


class Counter:
    """Counts bytes for pooch, and passes the count on; stops before the disk is full."""

    def __init__(self, path: Path, tick: Tick | None) -> None:
        self.path = path
        self.tick = tick
        self.total = 0
        self.done = 0

    def update(self, n: int) -> None:
        if no_room(self.path):
            raise OSError(errno.ENOSPC, "the disk is almost full")
        self.done += n
        if self.tick is not None:
            self.tick(min(self.done, self.total), self.total, "")

    def reset(self) -> None:
        """Ignored: pooch resets the count before it reports the end."""
        self.done = 0

    def close(self) -> None:
        pass


def copied(address: str, output: Any, _: Any) -> None:
    """Copies a file that is named by an address."""
    source = Path(url2pathname(urlsplit(address).path))
    with source.open("rb") as file:
        if hasattr(output, "write"):
            shutil.copyfileobj(file, output)
        else:
            shutil.copyfile(source, output)


def is_in(folder: Path, name: Any) -> bool:
    """Whether an error of the system is about what is in a folder, or about the folder."""
    return isinstance(name, str) and Path(name).is_relative_to(folder)


def reason(error: Exception, folder: Path) -> str:
    """Why a file could not be fetched, and what to do."""
    text = " ".join(str(error).split())
    if isinstance(error, OSError) and (error.errno in NO_ROOM or is_in(folder, error.filename)):
        return f"cannot write to {str(folder)!r} ({error.strerror}); free space, or name another folder."
    if "hash" in text and "known" in text.lower():
        return (
            "the file has another checksum than the one given, and was not kept. Compare the checksum with "
            f"the one that its publisher states. ({text})"
        )
    kind = type(error).__name__
    if kind in ("ChunkedEncodingError", "ContentDecodingError") or "IncompleteRead" in text:
        return f"the transfer broke off, and nothing was kept; try again. ({text})"
    if kind in ("ConnectionError", "ConnectTimeout", "ReadTimeout", "Timeout", "ProxyError", "SSLError"):
        return f"no connection; check the network and the address, and try again. ({text})"
    return text
