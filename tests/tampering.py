"""Changes behind everybody's back, one a stored field, and what verify has to say of each."""

from __future__ import annotations

from typing import NamedTuple

from conftest import Urls
from engine import do_as_owner

# What a log without a second copy of itself cannot know, and why.
UNKNOWABLE = {
    "user_log.epoch": "any number is right: it only ever has to be another one",
    "event.recorded_at": "our own time, told once",
    "event.occurred_at": "the world's time, told once; rows that show it differ",
    "command_key.source": "the caller's word",
    "command_key.key": "the caller's word",
    "content.media_type": "the storer's word; parts of one body have to agree",
    "catchup_due.attempts": "a count of a process",
    "catchup_due.next_at": "a plan of a process",
    "projection_generation.fold_version": "another program may have registered it",
    "operator_action.*": "what was decided by hand is no projection",
    "workindex_revision.*": "the program refuses another one when it opens the database",
}


class Change(NamedTuple):
    """A statement behind everybody's back, the column it is about, and words of what is found."""

    column: str
    statement: str
    told: str
    position: int | None = None


TASK = "position = (SELECT min(position) FROM event WHERE type = 'task_changed')"
LOG = [
    Change("user_log.user_id", "UPDATE user_log SET user_id = 'zoe'", "the head says 0"),
    Change("user_log.head", "UPDATE user_log SET head = head - 1", ", the last event is"),
    Change("user_log.head", "UPDATE user_log SET head = head + 1", ", the last event is"),
    Change("user_log.head", "DELETE FROM user_log", "the head says 0, the last event is"),
    Change("user_log.erased_at", "UPDATE user_log SET erased_at = now()", "is marked as erased"),
    Change("event.user_id", f"UPDATE event SET user_id = 'zoe' WHERE {TASK}",
           "position 7 is missing"),
    Change("event.position", "UPDATE event SET position = 200 WHERE position = 9",
           "position 9 is missing", 10),
    Change("event.position", "DELETE FROM event WHERE position = 9", "position 9 is missing", 10),
    Change("event.event_id", f"UPDATE event SET event_id = gen_random_uuid() WHERE {TASK}",
           "is none of ours"),
    Change("event.stream", f"UPDATE event SET stream = 'task/T-9' WHERE {TASK}",
           "is stored in task/T-9, its data says task/T-1"),
    Change("event.stream_version", f"UPDATE event SET stream_version = 900 WHERE {TASK}",
           "stream task/T-1 goes from version"),
    Change("event.type", f"UPDATE event SET type = 'task_started' WHERE {TASK}",
           "of type task_started version 1 does not fit"),
    Change("event.schema_version", f"UPDATE event SET schema_version = 9 WHERE {TASK}",
           "which this program does not know"),
    Change("event.data", f"UPDATE event SET data = data || '{{\"x\": 1}}' WHERE {TASK}",
           "does not fit: x: Extra inputs"),
    Change("event.data", f"UPDATE event SET data = '[]' WHERE {TASK}", "does not fit"),
    Change("event.data", "UPDATE event SET data = '5' WHERE type = 'task_phase_entered'",
           "does not fit"),
    Change("event.metadata", f"UPDATE event SET metadata = '{{}}' WHERE {TASK}", "names no actor"),
    Change("event.metadata", f"UPDATE event SET metadata = '[1]' WHERE {TASK}", "names no actor"),
    Change("event.metadata", f"UPDATE event SET metadata = jsonb_set(metadata, '{{actor,kind}}', "
           f"'\"god\"') WHERE {TASK}", "names no actor in its metadata: Input should be"),
    Change("event.metadata", f"UPDATE event SET metadata = metadata || '{{\"x\": 1}}' "
           f"WHERE {TASK}", "has metadata of another shape"),
    Change("event.metadata", f"UPDATE event SET metadata = metadata || '{{\"trace_id\": 1}}' "
           f"WHERE {TASK}", "has metadata of another shape"),
    Change("event.key_id", f"UPDATE event SET key_id = 'k' WHERE {TASK}", "encrypted with key k"),
    Change("command_key.user_id", "UPDATE command_key SET user_id = 'zoe' WHERE key = 'K-5'",
           "belongs to no command"),
    Change("command_key.key", "DELETE FROM command_key WHERE key = 'K-5'", "belongs to no command"),
    Change("command_key.payload_hash",
           "UPDATE command_key SET payload_hash = left(payload_hash, 63) WHERE key = 'K-5'",
           "the key K-5 of source api has no sha256 of a command"),
    Change("command_key.first_position",
           "UPDATE command_key SET first_position = first_position + 1 WHERE key = 'K-5'",
           "stands for an event of another command"),
    Change("command_key.first_position",
           "UPDATE command_key SET first_position = 105 WHERE key = 'K-5'", "of another command"),
    Change("command_key.first_position",
           "UPDATE command_key SET first_position = 0 WHERE key = 'K-5'", "events from 0 on"),
    Change("command_key.events_count",
           "UPDATE command_key SET events_count = events_count + 1 WHERE key = 'K-5'",
           "stands for an event of another command"),
    Change("command_key.events_count",
           "UPDATE command_key SET events_count = 0 WHERE key = 'K-5'", "belongs to no command"),
    Change("command_key.events_count",
           "UPDATE command_key SET events_count = 1000 WHERE key = 'K-5'", "stands for 1000"),
    Change("content.sha256", "UPDATE content SET sha256 = repeat('a', 64)", "not what its name"),
    Change("content.part", "UPDATE content SET part = 1", "has not all of its parts"),
    Change("content.body", "UPDATE content SET body = 'x'", "is not what its name says"),
    Change("content.body", "INSERT INTO content SELECT user_id, sha256, 1, media_type, 'x' "
           "FROM content", "is not what its name says"),
    Change("content.media_type", "INSERT INTO content SELECT user_id, sha256, 1, 'text/html', '' "
           "FROM content", "has parts of several media types"),
]  # fmt: skip


INLINE = "projection_set = 'inline'"
PROGRESS = [
    Change("projection_progress.user_id",
           f"UPDATE projection_progress SET user_id = 'zoe' WHERE {INLINE}", "row"),
    Change("projection_progress.projection_set",
           f"UPDATE projection_progress SET projection_set = 'x' WHERE {INLINE}", "row"),
    Change("projection_progress.generation",
           f"UPDATE projection_progress SET generation = 7 WHERE {INLINE}", "row"),
    Change("projection_progress.position",
           f"UPDATE projection_progress SET position = position - 1 WHERE {INLINE}", "behind"),
    Change("projection_progress.position",
           f"UPDATE projection_progress SET position = position + 1 WHERE {INLINE}", "behind"),
    Change("projection_progress.position", f"DELETE FROM projection_progress WHERE {INLINE}",
           "behind"),
    Change("projection_progress.parked",
           "UPDATE projection_progress SET parked = '{\"memory\": 5}'", "marks of memory"),
    Change("projection_progress.parked",
           "UPDATE projection_progress SET parked = '{\"memory\": {\"position\": 900}}'",
           "marks of memory"),
    Change("projection_progress.parked",
           "UPDATE projection_progress SET parked = '{\"nobody\": {\"position\": 3}}'",
           "marks of nobody"),
    Change("projection_progress.skipped",
           "UPDATE projection_progress SET skipped = '{\"memory\": [{\"position\": \"x\"}]}'",
           "marks of memory"),
    Change("projection_progress.skipped",
           "UPDATE projection_progress SET skipped = '{\"memory\": 7}'", "marks of memory"),
    Change("projection_progress.open_count",
           f"UPDATE projection_progress SET open_count = open_count + 1 WHERE {INLINE}",
           "open_count"),
    Change("work_due.user_id", "UPDATE work_due SET user_id = 'zoe'", "row"),
    Change("work_due.generation", "UPDATE work_due SET generation = 7", "row"),
    Change("work_due.kind", "UPDATE work_due SET kind = 'ghost'", "due_at"),
    Change("work_due.id", "UPDATE work_due SET id = id || 'x'", "due_at"),
    Change("work_due.due_at", "UPDATE work_due SET due_at = due_at + interval '1 second'",
           "due_at"),
    Change("work_due.due_at", "DELETE FROM work_due", "due_at"),
    Change("work_due.due_at", "INSERT INTO work_due VALUES ('ann', 1, 'task', 'T-1', now())",
           "due_at"),
    Change("catchup_due.generation",
           "INSERT INTO catchup_due VALUES ('ann', 'inline', 7, 0, now())", "row"),
    Change("catchup_due.projection_set",
           "INSERT INTO catchup_due VALUES ('ann', 'x', 1, 0, now())", "row"),
]  # fmt: skip


def park(urls: Urls, member: str, position: int) -> None:
    """Make a member of every user stand still from a position on."""
    do_as_owner(
        urls,
        "UPDATE projection_progress SET parked = parked || jsonb_build_object(%s::text, "
        "jsonb_build_object('position', %s::int, 'failed_position', %s::int))",
        member,
        position,
        position,
    )
