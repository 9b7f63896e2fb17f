"""Where a thread stands, so that a turn can go on without the turns before.

Written after the reply: `compaction` says when, `making` goes from what a caller gives through
`scene` (what is read) and `contents` (what must be in it) to a `body` that is drafted and verified.
Told in a turn: `checking` holds it against rows and messages, `stage` offers what is left. Both
rest on `records` (what it holds of a row) and `words` (what somebody said, and on what messages).
"""
