"""What can go wrong, as types: one class for each thing that a caller does differently.

Every message names the thing, the value and what to do next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from workindex.domain.facts import Fact


class WorkindexError(Exception):
    """Root of every error that this package raises on purpose.

    `code` is stable and meant for programs; the text is meant for people. `field` names the
    offending input, dotted (`approval.arguments.amount`), where one is to blame.
    """

    code: str = "error"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class InvalidInput(WorkindexError):
    """The input has the wrong shape, type, size or characters; nothing was stored."""

    code = "invalid_input"


class ActionNotCanonical(InvalidInput):
    """An action holds a value that RFC 8785 cannot carry exactly; `field` is its path."""

    code = "action_not_canonical"


class CommandRefused(WorkindexError):
    """The state forbids the command.

    `facts` are what the refusal itself establishes (a late grant: ApprovalExpired); they are
    appended before this is raised.
    """

    def __init__(
        self, code: str, message: str, *, facts: Sequence[Fact] = (), field: str | None = None
    ) -> None:
        super().__init__(message, field=field)
        self.code = code
        self.facts = tuple(facts)


class NotPermitted(CommandRefused):
    """The acting principal may not give this command."""

    def __init__(self, message: str) -> None:
        super().__init__("not_permitted", message)


class NotBuilt(CommandRefused):
    """The command exists in the contract but its effect is not built yet."""

    def __init__(self, message: str) -> None:
        super().__init__("not_built", message)


class DuplicateKeyConflict(WorkindexError):
    """The idempotency key was used before for a different command."""

    code = "duplicate_key_conflict"


class VersionConflict(WorkindexError):
    """The stream is not at the version that the caller expected."""

    code = "version_conflict"

    def __init__(self, stream: str, expected: int, actual: int) -> None:
        super().__init__(
            f"stream {stream} is at version {actual}, expected {expected}: "
            f"read it again and decide anew"
        )
        self.stream = stream
        self.expected = expected
        self.actual = actual


class NeedsNewerCode(WorkindexError):
    """The log holds a fact that this version of the program does not know."""

    code = "needs_newer_code"


class CorruptEvent(WorkindexError):
    """A stored event cannot be decoded although its type is known."""

    code = "corrupt_event"


class CorruptLog(WorkindexError):
    """What is stored of a log does not fit together: events are missing or stand past its head."""

    code = "corrupt_log"


class Unavailable(WorkindexError):
    """The database cannot be reached or did not answer in time; trying again is safe."""

    code = "unavailable"


class NotReady(Unavailable):
    """The database answers, but its schema, roles or settings do not fit this program."""

    code = "not_ready"


class StillBehind(WorkindexError):
    """A projection did not reach the position in the time given; waiting longer is safe.

    `position` is how far it is, None where nobody has begun with the user.
    """

    code = "still_behind"

    def __init__(self, message: str, *, position: int | None) -> None:
        super().__init__(message)
        self.position = position


class BatchRefused(WorkindexError):
    """One entry of a batch failed, so the whole batch was not stored.

    `index` is the entry's place (from 0) and `__cause__` its own error.
    """

    code = "batch_refused"
    _shown: ClassVar[str] = "entry {index} of the batch: {cause} (nothing of the batch was stored)"

    def __init__(self, index: int, cause: WorkindexError) -> None:
        super().__init__(self._shown.format(index=index, cause=cause), field=cause.field)
        self.index = index
        self.code = cause.code
        self.__cause__ = cause
