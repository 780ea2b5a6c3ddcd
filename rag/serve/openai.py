"""OpenAI's chat protocol over the corpus, for programs that speak nothing else.

The one model is called ``rag``. A reply is the answer as Markdown, its sources with their quotes
below; the answer's object is the message's field ``rag``. What such a request says of sampling,
tools and system prompts is of no effect: an answer is quoted or checked, however it is asked for.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any, Literal

from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, StrictBool

from rag.chat.markdown import sources_markdown, text_markdown
from rag.errors import QuestionError
from rag.serve.api import NO_BUFFER, REFUSED, STREAM, AtDesk, known_parameters
from rag.serve.failures import ANTICIPATED, ModelNotFound, failure, in_openai_form
from rag.serve.schema import MAX_HISTORY, MAX_QUESTION, AnswerObject, Asked
from rag.serve.work import Done
from rag.types import Answer

MODEL = "rag"
_MODEL = {"id": MODEL, "object": "model", "created": 0, "owned_by": "rag"}
SOURCES = "\n\n---\n\n"
"""What parts an answer from its sources; what follows it is no part of a conversation."""


class Part(BaseModel):
    """A piece of a message; only text says anything here."""

    model_config = ConfigDict(extra="allow")

    type: str
    text: str = ""


class ChatMessage(BaseModel):
    model_config = ConfigDict(extra="allow")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class StreamOptions(BaseModel):
    model_config = ConfigDict(extra="allow")

    include_usage: StrictBool = False


class ChatRequest(BaseModel):
    """A conversation, whose last message of the user is the question."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(default=MODEL, max_length=200)
    messages: list[ChatMessage] = Field(min_length=1, max_length=1_000)
    stream: StrictBool | None = False
    stream_options: StreamOptions | None = None


class Model(BaseModel):
    id: Literal["rag"]
    object: Literal["model"]
    created: int
    owned_by: str


class Models(BaseModel):
    object: Literal["list"]
    data: list[Model]


class Reply(BaseModel):
    """``rag`` is the answer's object."""

    role: Literal["assistant"]
    content: str
    rag: AnswerObject


class Choice(BaseModel):
    index: int
    message: Reply
    finish_reason: Literal["stop"]


class Completion(BaseModel):
    """As OpenAI's, which has fields beside these."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[Choice]
    usage: dict[str, int]


class OpenAIFault(BaseModel):
    """``code`` is what other places call the error's type."""

    message: str
    type: str
    param: str | None
    code: str


class OpenAIFailed(BaseModel):
    error: OpenAIFault


router = APIRouter(
    prefix="/v1",
    tags=["OpenAI"],
    responses={status: {"model": OpenAIFailed} for status in REFUSED},
    dependencies=[Depends(known_parameters)],
)


@router.get("/models", response_model=Models)
async def models(desk: AtDesk) -> dict[str, Any]:
    """The one model."""
    return {"object": "list", "data": [_MODEL]}


@router.get("/models/{name}", response_model=Model)
async def model(name: str) -> Response:
    """The one model, by its name."""
    if name != MODEL:
        raise ModelNotFound(name, MODEL)
    return JSONResponse(_MODEL)


@router.post("/chat/completions", response_model=Completion, responses=STREAM)
async def complete(desk: AtDesk, chat: ChatRequest) -> Response:
    """The answer to the last message of a conversation."""
    if chat.model != MODEL:
        raise ModelNotFound(chat.model, MODEL)
    asked = question_of(chat.messages)
    if not chat.stream:
        answer = await desk.answer(asked)
        return JSONResponse(_completion(asked, answer))
    pieces = desk.streamed(asked)
    usage = bool(chat.stream_options and chat.stream_options.include_usage)
    return StreamingResponse(
        _chunks(pieces, asked, usage), media_type="text/event-stream", headers=NO_BUFFER
    )


def question_of(messages: Sequence[ChatMessage]) -> Asked:
    """The last question and, before it, questions with the answers that followed them; raises
    QuestionError where there is none."""
    said = [message for message in messages if message.role in ("user", "assistant")]
    if not said or said[-1].role != "user" or not said[-1].text.strip():
        raise QuestionError("The last message is no question.", 'give it the role "user"')
    if len(said[-1].text) > MAX_QUESTION:
        fix = f"ask in at most {MAX_QUESTION:,}"
        raise QuestionError(f"The question has {len(said[-1].text):,} characters.", fix)
    history = [
        (asked.text, answered.text.partition(SOURCES)[0])
        for asked, answered in zip(said, said[1:], strict=False)
        if (asked.role, answered.role) == ("user", "assistant")
    ]
    return Asked(question=said[-1].text, history=history[-MAX_HISTORY:])


async def _chunks(
    pieces: AsyncIterator[str | Done[Answer]], asked: Asked, usage: bool
) -> AsyncIterator[str]:
    """An answer as chunks of a completion: its text as it comes, then its sources."""
    id, first = _id(asked), {"role": "assistant"}
    held = ""
    try:
        async for piece in pieces:
            text, held = _whole_words(held, piece)
            if text:
                yield _chunk(id, {**first, "content": text_markdown(text)})
                first = {}
            if isinstance(piece, str):
                continue
            yield _chunk(id, {"content": _sources(piece.value), "rag": piece.value.to_json()})
            yield _chunk(id, {}, "stop")
            if usage:
                yield _event({**_head(id, ".chunk"), "choices": [], "usage": _usage(piece.value)})
        yield "data: [DONE]\n\n"
    except Exception as error:
        yield _event(in_openai_form(failure(error)).content)
        if not isinstance(error, ANTICIPATED):
            raise


def _whole_words(held: str, piece: str | Done[Answer]) -> tuple[str, str]:
    """What can be shown, and what waits for the rest of its last word: cut in two, a link would
    escape notice. At the end nothing waits."""
    if not isinstance(piece, str):
        return held, ""
    held += piece
    end = max(held.rfind(" "), held.rfind("\n")) + 1
    return held[:end], held[end:]


def _completion(asked: Asked, answer: Answer) -> dict[str, Any]:
    text = text_markdown(answer.text) + _sources(answer)
    message = {"role": "assistant", "content": text, "refusal": None, "rag": answer.to_json()}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return {**_head(_id(asked)), "choices": [choice], "usage": _usage(answer)}


def _sources(answer: Answer) -> str:
    return SOURCES + sources_markdown(answer) if answer.sources else ""


def _chunk(id: str, delta: dict[str, Any], finished: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finished, "logprobs": None}
    return _event({**_head(id, ".chunk"), "choices": [choice]})


def _event(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data)}\n\n"


def _head(id: str, kind: str = "") -> dict[str, Any]:
    now = int(time.time())  # which the protocol wants
    return {"id": id, "object": f"chat.completion{kind}", "created": now, "model": MODEL}


def _id(asked: Asked) -> str:
    return f"chatcmpl-{hashlib.sha256(asked.model_dump_json().encode()).hexdigest()[:24]}"


def _usage(answer: Answer) -> dict[str, int]:
    read, written = answer.usage.input_tokens, answer.usage.output_tokens
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
