"""Which files does an import read, and what bytes are in them? Gzip is known by its content."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, cast

from workindex.domain.errors import InvalidInput

FILE_BYTES_MAX = 1024 * 1024 * 1024
CHUNK_BYTES = 256 * 1024


def files_of(paths: Sequence[Path], endings: tuple[str, ...]) -> list[Path]:
    """The files that the paths name; a folder stands for its files with one of the endings.

    Raises: InvalidInput for a folder without any, or a file that is named twice.
    """
    files: dict[Path, Path] = {}
    for path in paths:
        found = [path]
        if path.is_dir():
            found = sorted(f for f in path.iterdir() if f.name.endswith(endings) and f.is_file())
        if not found:
            raise InvalidInput(f"the folder {path} holds no {' or '.join(endings)} file")
        for file in found:
            if file.resolve() in files:
                raise InvalidInput(f"{file} is named twice: leave one out")
            files[file.resolve()] = file
    return list(files.values())


def chunks(path: Path, bytes_max: int = FILE_BYTES_MAX) -> Iterator[bytes]:
    """The unpacked content, piece by piece.

    Raises: InvalidInput where the file cannot be read or unpacks to too much.
    """
    total = 0
    try:
        with path.open("rb") as file:
            stream = unpacked(file)
            while chunk := stream.read(CHUNK_BYTES):
                total += len(chunk)
                if total > bytes_max:
                    raise InvalidInput(f"{path} holds more than {bytes_max:,} bytes: split it")
                yield chunk
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidInput(f"{path} cannot be read: {error}") from error


def unpacked(file: BinaryIO) -> BinaryIO:
    """The file's content, without its gzip packing if it has one."""
    is_packed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    return cast(BinaryIO, gzip.GzipFile(fileobj=file)) if is_packed else file
