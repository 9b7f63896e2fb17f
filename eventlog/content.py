"""Bodies of artifacts: where the log keeps a hash, `content` keeps the bytes, in numbered parts.

A body is stored before the fact that names it and is never changed: its name is the sha256 of
all its parts one after the other. Storing it again changes nothing; a crash in between leaves at
most a body that no fact names. Parts are numbered from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from workindex.domain.errors import InvalidInput
from workindex.eventlog.database import Connection, tenant_transaction

PART_BYTES_MAX = 1024 * 1024
PARTS_MAX = 100_000
_SEND_BYTES = 8 * 1024 * 1024
_PARTS_AT_ONCE = 4


class Body(NamedTuple):
    """What a fact says of a stored body."""

    sha256: str
    size_bytes: int
    parts: int


# Binds: user, hash, media type, part numbers, bodies. Waits for an append of the same parts.
INSERT = """
INSERT INTO content (user_id, sha256, part, media_type, body)
SELECT %s, %s, given.part, %s, given.body
FROM unnest(%s::int[], %s::bytea[]) AS given (part, body)
ON CONFLICT (user_id, sha256, part) DO NOTHING
"""

# Binds: user, hash. The size of every part, in order.
SIZES = "SELECT octet_length(body) FROM content WHERE user_id = %s AND sha256 = %s ORDER BY part"

# Binds: user, hash, first part, last part. The parts in order.
PARTS = """
SELECT part, body FROM content
WHERE user_id = %s AND sha256 = %s AND part BETWEEN %s AND %s ORDER BY part
"""


def body_of(parts: Sequence[bytes]) -> Body:
    """The name and size of a body.

    Raises: InvalidInput for no parts, too many, or one that is too large or empty.
    """
    if not 1 <= len(parts) <= PARTS_MAX:
        raise InvalidInput(f"a body has 1 to {PARTS_MAX:,} parts, this one {len(parts):,}")
    digest = sha256()
    for number, part in enumerate(parts):
        if len(part) > PART_BYTES_MAX:
            raise InvalidInput(
                f"part {number} takes {len(part):,} bytes, at most {PART_BYTES_MAX:,}: "
                "cut the body into more parts"
            )
        if not part and len(parts) > 1:
            # Then two cuts of the same bytes differ in a part that both have.
            raise InvalidInput(f"part {number} is empty: leave it out")
        digest.update(part)
    return Body(digest.hexdigest(), sum(map(len, parts)), len(parts))


def store(conn: Connection, user_id: str, parts: Sequence[bytes], media_type: str) -> Body:
    """Store a body of one user whole, or find that it is there.

    Raises: InvalidInput for a body that cannot be stored, or is there cut in another way (its
    parts would mix).
    """
    body = body_of(parts)
    with tenant_transaction(conn, user_id):
        for first, last in _sendings(parts):
            numbers = list(range(first, last))
            binds = (user_id, body.sha256, media_type, numbers, list(parts[first:last]))
            conn.execute(INSERT, binds)
        sizes = [size for (size,) in conn.execute(SIZES, (user_id, body.sha256))]
        if sizes != [len(part) for part in parts]:
            raise InvalidInput(
                f"the body {body.sha256} is there already, cut into other parts: use it as it "
                "is, or change its first line"
            )
    return body


def read(
    conn: Connection, user_id: str, sha256_: str, first: int = 0, last: int | None = None
) -> list[bytes]:
    """Parts `first` to `last` of a body, both included; without `last` to its end.

    Empty where the user has no such body or it has no such parts. A whole body is compared with
    its name.

    Raises: InvalidInput where what is stored is not what its name says.
    """
    end = PARTS_MAX if last is None else last
    with tenant_transaction(conn, user_id):
        rows = conn.execute(PARTS, (user_id, sha256_, first, end)).fetchall()
    parts = [bytes(body) for _, body in rows]
    is_gapless = [number for number, _ in rows] == list(range(first, first + len(rows)))
    is_whole = first == 0 and last is None and bool(rows)
    if not is_gapless or (is_whole and sha256(b"".join(parts)).hexdigest() != sha256_):
        raise InvalidInput(
            f"the body {sha256_} of user {user_id} is damaged: restore it, or import it again"
        )
    return parts


def read_start(conn: Connection, user_id: str, sha256_: str, bytes_max: int) -> bytes | None:
    """The beginning of a body, of about this length, None where the user has no such body.

    Takes no transaction of its own: the connection belongs to the tenant or to maintenance.
    """
    found: list[bytes] = []
    length = 0
    while length < bytes_max:
        rows = conn.execute(
            PARTS, (user_id, sha256_, len(found), len(found) + _PARTS_AT_ONCE - 1)
        ).fetchall()
        for number, body in rows:
            if number != len(found):
                return b"".join(found) or None
            found.append(bytes(body))
            length += len(body)
        if len(rows) < _PARTS_AT_ONCE:
            break
    return b"".join(found)[:bytes_max] if found else None


def _sendings(parts: Sequence[bytes]) -> list[tuple[int, int]]:
    """Ranges of parts that are sent in one statement each."""
    ranges = []
    first = size = 0
    for number, part in enumerate(parts):
        if number > first and size + len(part) > _SEND_BYTES:
            ranges.append((first, number))
            first, size = number, 0
        size += len(part)
    return [*ranges, (first, len(parts))]
