"""References that carry their own proof, for a backend that keeps no state of its turns.

What the model is shown is the reference with a time and a signature over it, the user and the turn.
Nothing is stored, so nothing can be taken back before it expires.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Final

import orjson
from itsdangerous import BadData, TimestampSigner

from workindex.assembler.tools.references import UnknownReference, plain_ref
from workindex.domain.errors import WorkindexError

SECRET_CHARS_MIN: Final = 32
LIFETIME_SECONDS: Final = 24 * 60 * 60
TOKEN_CHARS_MAX: Final = 2_000
_SALT: Final = "workindex.reference"
# A signature in one form only: base64 is also read with signs that mean nothing.
_SIGNED: Final = re.compile(r"\.[A-Za-z0-9_-]{43}\Z")


class WeakSecret(WorkindexError):
    """A secret is missing or too short to sign with; the secret itself is never told."""

    code = "weak_secret"


class SignedReferences:
    """References as signed tokens: of one user and one turn, for so many seconds.

    `secrets` come newest first: the first signs, all of them verify, so that an old one can be
    left out once what it signed has expired. A backend that goes on with references in later
    turns of a thread names the thread where this asks for the turn.

    Raises: WeakSecret for none, or one of fewer than 32 characters.
    """

    def __init__(self, secrets: Sequence[str], *, lifetime_seconds: int = LIFETIME_SECONDS) -> None:
        if not secrets:
            raise WeakSecret("no secret is given to sign references with")
        for place, secret in enumerate(secrets):
            if len(secret) < SECRET_CHARS_MIN:
                raise WeakSecret(
                    f"secret {place} of {len(secrets)} has {len(secret)} characters, fewer than "
                    f"{SECRET_CHARS_MIN}: make one with python -c 'import secrets; "
                    "print(secrets.token_urlsafe(32))'"
                )
        self._secrets = [secret.encode() for secret in reversed(secrets)]
        self._lifetime_seconds = lifetime_seconds

    def shown(self, user_id: str, turn_id: str, ref: str) -> str:
        """The reference as the model is shown it."""
        return self._signer(user_id, turn_id).sign(ref.encode()).decode()

    def issue(self, user_id: str, turn_id: str, refs: Iterable[str]) -> None:
        """Nothing is kept: what was `shown` resolves."""

    def plain(self, user_id: str, turn_id: str, shown: str) -> str:
        """The reference behind what the model was shown.

        Raises: UnknownReference where it is forged, expired, another user's or another turn's.
        """
        try:
            if len(shown) > TOKEN_CHARS_MAX or _SIGNED.search(shown) is None:
                raise UnknownReference(shown)
            signer = self._signer(user_id, turn_id)
            return plain_ref(signer.unsign(shown, max_age=self._lifetime_seconds).decode())
        except (BadData, UnicodeError) as error:
            raise UnknownReference(shown) from error

    def _signer(self, user_id: str, turn_id: str) -> TimestampSigner:
        salt = orjson.dumps([_SALT, user_id, turn_id])
        return TimestampSigner(self._secrets, salt, key_derivation="hmac", digest_method=sha256)
