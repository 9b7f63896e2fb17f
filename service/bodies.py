"""The bodies of one user's artifacts: stored before the fact that names them, read by artifact."""

from __future__ import annotations

from collections.abc import Sequence

from workindex.domain.errors import CommandRefused, NotReady
from workindex.eventlog import content
from workindex.eventlog.content import Body
from workindex.eventlog.database import Database
from workindex.eventlog.transcripts import Turn, read_turns
from workindex.projections.artifacts import ArtifactRow
from workindex.projections.bounds import Bounds
from workindex.projections.work_index import Reader


class Bodies:
    """Everything that is stored beside one user's log."""

    def __init__(self, database: Database, reader: Reader, user_id: str) -> None:
        self._database = database
        self._reader = reader
        self._user_id = user_id

    def store(self, parts: Sequence[bytes], media_type: str) -> Body:
        """Store a body; what comes back is what the command `store_artifact` says of it.

        Safe to repeat; give the command that names the body afterwards.

        Raises: InvalidInput for a part of more than 1 MiB; Unavailable.
        """
        with self._database.connection() as conn:
            return content.store(conn, self._user_id, parts, media_type)

    def read(self, artifact_id: str, first: int = 0, last: int | None = None) -> list[bytes]:
        """Parts of an artifact's body, from 0, both ends included; without `last` to its end.

        Raises: CommandRefused (unknown_artifact, artifact_forgotten); NotReady where the rows
        cannot be trusted to say so; Unavailable.
        """
        artifact = self._artifact(artifact_id)
        with self._database.connection() as conn:
            return content.read(conn, self._user_id, artifact.sha256, first, last)

    def turns(self, artifact_id: str, first: int, last: int) -> list[Turn]:
        """Turns of a transcript, from 0, both ends included, as far as it has them.

        Raises: CommandRefused (unknown_artifact, artifact_forgotten); InvalidInput where the
        artifact is no transcript; NotReady where the rows cannot be trusted; Unavailable.
        """
        row = self._artifact(artifact_id)
        with self._database.connection() as conn:
            return read_turns(conn, self._user_id, row.sha256, row.media_type, first, last)

    def _artifact(self, artifact_id: str) -> ArtifactRow:
        bounds = Bounds(id=artifact_id)
        reading = self._reader.read(self._user_id, {"artifact": "named"}, bounds=bounds)
        if unsure := sorted(set(reading.reasons) - {"unknown_user"}):
            raise NotReady(
                f"what is stored for user {self._user_id} is not certain ({', '.join(unsure)}): "
                "run workindex projections list, then read again"
            )
        rows = reading.rows["artifact"]
        row = next((row for row in rows if row.artifact_id == artifact_id), None)
        if row is None:
            raise CommandRefused(
                "unknown_artifact",
                f"user {self._user_id} has no artifact {artifact_id!r}: check the id",
                field="artifact_id",
            )
        if row.status != "stored":
            raise CommandRefused(
                "artifact_forgotten",
                f"artifact {artifact_id!r} is forgotten: its body is not given out any more",
                field="artifact_id",
            )
        found: ArtifactRow = row
        return found
