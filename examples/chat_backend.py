"""A whole chat backend: the state path answers what it can prove, a model gets the rest.

Run it with `pip install fastapi uvicorn` and `uvicorn examples.chat_backend:app`, and beside it
`workindex worker`, which makes what was said findable. Who is asking comes from the caller's
credentials (here a header, in earnest your own authentication), never from the text. A model that
may look further and use tools: docs/turns.md.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from workindex import Actor, ContextBudgetExceeded, UserScope, WorkIndex, WorkindexError
from workindex.assembler.rendering import working_set_text

Model = Callable[[str], Awaitable[str]]
ASSISTANT = Actor(kind="agent", id="assistant")


class Message(BaseModel):
    """What the user wrote; `message_id` makes sending it again harmless."""

    text: str
    message_id: str
    thread_id: str = "main"


async def no_model(working_set: str) -> str:
    """Stands where your model call goes; the working set is all that it is given."""
    raise NotImplementedError(f"no model is configured for this:\n{working_set}")


@asynccontextmanager
async def work_index(app: FastAPI) -> AsyncIterator[None]:
    """One Work Index for the life of the application."""
    app.state.work_index = await asyncio.to_thread(WorkIndex.open)
    yield
    await asyncio.to_thread(app.state.work_index.close)


app = FastAPI(lifespan=work_index)
app.state.model = no_model


def caller(request: Request, x_user_id: Annotated[str, Header()]) -> UserScope:
    """The scope of the user whose credentials came with the request."""
    scope: UserScope = request.app.state.work_index.user(x_user_id)
    return scope


async def keep(user: UserScope, actor: Actor, key: str | None = None, **message: Any) -> None:
    """Record a message of the thread, so that later turns know it."""
    posted = {"type": "post_message", **message}
    await asyncio.to_thread(user.record, posted, actor=actor, key=key)


@app.post("/chat")
async def chat(
    request: Request, message: Message, user: Annotated[UserScope, Depends(caller)]
) -> dict[str, Any]:
    """Keep the message; answer from the state, with its proof, or else from the model."""
    turn = message.model_dump()
    me = Actor(kind="user", id=user.user_id)
    await keep(user, me, key=message.message_id, role="user", **turn)
    answer = await asyncio.to_thread(user.ask, message.text)
    if answer is not None:
        return {"route": "state", "text": answer.text, "verdict": answer.verdict}
    try:
        envelope = await asyncio.to_thread(user.assemble, turn)
    except ContextBudgetExceeded as error:
        return {"route": "clarification", "text": error.clarification}
    model: Model = request.app.state.model
    reply = await model(working_set_text(envelope))
    said = {"thread_id": message.thread_id, "reply_to": message.message_id, "text": reply}
    await keep(user, ASSISTANT, role="assistant", **said)
    return {"route": "model", "text": reply}


@app.post("/commands")
async def command(
    body: dict[str, Any], user: Annotated[UserScope, Depends(caller)]
) -> dict[str, Any]:
    """Record a command of the user's: buttons, forms and tools come this way."""
    actor = Actor(kind="user", id=user.user_id)
    receipt = await asyncio.to_thread(user.record, body, actor=actor)
    return {"positions": receipt.positions, "duplicate": receipt.duplicate}


@app.exception_handler(WorkindexError)
async def refused(request: Request, error: WorkindexError) -> JSONResponse:
    """Every error has a code for programs and a text that names what to do next."""
    del request
    return JSONResponse({"code": error.code, "error": str(error)}, status_code=409)
