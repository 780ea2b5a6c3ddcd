"""A model's opinion of answers, by LlamaIndex's evaluators with our own prompts: advice, which
gates nothing.

The evaluators ask. What the replies come to is read by ``verdicts``: theirs take any reply with
a "yes" in it for one, and NaN for a score. Loads LlamaIndex; ``verdicts`` has the judges' names.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    CompletionResponse,
    CompletionResponseGen,
    LLMMetadata,
    MessageRole,
)
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.evaluation import (
    CorrectnessEvaluator,
    FaithfulnessEvaluator,
    GuidelineEvaluator,
)
from llama_index.core.evaluation.guideline import EvaluationData
from llama_index.core.llms import CustomLLM
from llama_index.core.output_parsers import PydanticOutputParser
from llama_index.core.prompts import ChatPromptTemplate

from rag.engine.context import cleaned
from rag.errors import HOPELESS, ContextOverflow, EndpointError
from rag.evaluate.as_json import utf8
from rag.evaluate.types import Case, Judged, Sample
from rag.evaluate.verdicts import SCALES, applies, read_verdict
from rag.models import Message, Model
from rag.models.tokens import count_messages
from rag.prompts import Task

REPLY_TOKENS = 400
"""Of a reply at most: a few sentences and a verdict, with room for a model that thinks aloud."""

ANSWER_CHARS = 400
"""Of the answer before, where a question goes on from one."""

BOUNDLESS = 10**9
"""Tokens of a window in which LlamaIndex splits nothing: what it would ask about a second part of
the quotes is not in our prompts. Whether all fits is looked at before it is sent."""


def task_of(judge: str) -> str:
    """The name of a judge's task under the prompts."""
    return f"judge_{judge}"


class Judges:
    """The judges called ``names``, all of them one ``model``; ``tasks`` has each one's prompts
    by the task's name. May be asked from several threads if the model may."""

    def __init__(self, model: Model, tasks: Mapping[str, Task], names: Sequence[str]) -> None:
        self._llm = JudgeLLM(model)
        self._tasks = {name: tasks[task_of(name)] for name in SCALES if name in names}
        self.model = model

    @property
    def prompts(self) -> tuple[str, ...]:
        """``name@hash`` of what the judges are given."""
        return tuple(task.identity for task in self._tasks.values())

    def judge(self, sample: Sample, case: Case) -> dict[str, Judged]:
        """The verdicts of the judges that the sample is anything for, by their names.

        Where a server fails for this sample, it is unscored and says why. Raises what all others
        would meet as well: EndpointUnreachable, KeyRefused, ModelUnknown, QuotaExhausted, and
        BudgetError.
        """
        return {
            name: self._judged(name, task, sample, case)
            for name, task in self._tasks.items()
            if applies(name, sample, case)
        }

    def absent(self, sample: Sample, case: Case, reason: str) -> dict[str, Judged]:
        """No verdict, of all that would be asked for one."""
        asked = [name for name in self._tasks if applies(name, sample, case)]
        return {name: Judged(None, reason) for name in asked}

    def _judged(self, name: str, task: Task, sample: Sample, case: Case) -> Judged:
        mark = _mark(name, sample, case)
        try:
            reply = _ASK[name](self._llm, task, mark, sample, case)
        except HOPELESS:
            raise
        except EndpointError as error:
            return Judged(None, error.message)
        return read_verdict(reply, mark, SCALES[name])


def _correctness(llm: CustomLLM, task: Task, mark: str, sample: Sample, case: Case) -> str:
    template = _template(
        task,
        mark,
        question="{query}",
        reference="{reference_answer}",
        answer="{generated_answer}",
    )
    evaluator = CorrectnessEvaluator(llm, template, parser_function=lambda reply: (None, reply))
    answer, reference = cleaned(sample.text), utf8(case.reference)
    return _said(evaluator.evaluate(_asked(case), answer, reference=reference).feedback)


def _groundedness(llm: CustomLLM, task: Task, mark: str, sample: Sample, case: Case) -> str:
    template = _template(task, mark, quotes="{context_str}", answer="{query_str}")
    evaluator = FaithfulnessEvaluator(llm, eval_template=template, refine_template=template)
    quotes = [f"{cleaned(quote.paper)}: {cleaned(quote.text)}" for quote in sample.quotes]
    return _said(evaluator.evaluate(None, cleaned(sample.text), quotes).feedback)


def _rubric(llm: CustomLLM, task: Task, mark: str, sample: Sample, case: Case) -> str:
    template = _template(task, mark, question="{query}", rubric="{guidelines}", answer="{response}")
    evaluator = GuidelineEvaluator(llm, utf8(case.rubric), template, _Unread())
    return _said(evaluator.evaluate(_asked(case), cleaned(sample.text)).feedback)


_ASK: Mapping[str, Callable[[CustomLLM, Task, str, Sample, Case], str]] = {
    "correctness": _correctness,
    "groundedness": _groundedness,
    "rubric": _rubric,
}


def _template(task: Task, mark: str, **names: str) -> ChatPromptTemplate:
    """A task's messages in LlamaIndex's form; ``names`` are what an evaluator calls ours."""
    asked = task["question"].render(mark=mark, **names)
    return ChatPromptTemplate.from_messages([("system", task["system"].text), ("user", asked)])


def _mark(name: str, sample: Sample, case: Case) -> str:
    """What fences the material and makes a verdict one: a hash over all of the material, so that
    whoever wrote a part of it cannot have put it there."""
    quotes = [[quote.paper, quote.text] for quote in sample.quotes]
    shown = [name, case.subject, case.history, case.reference, case.rubric, sample.text, quotes]
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:8]


def _asked(case: Case) -> str:
    """What was asked, and the last turn that it goes on from."""
    asked = cleaned(case.subject)
    if not case.history:
        return asked
    last = case.history[-1]
    return f"{asked}\nAsked after: {cleaned(last.question)} {cleaned(last.answer)[:ANSWER_CHARS]}"


def _said(feedback: str | None) -> str:
    return feedback or ""


class _Unread(PydanticOutputParser[EvaluationData]):
    """Lets a reply through as feedback, and adds no demand for JSON to what is asked."""

    def __init__(self) -> None:
        super().__init__(EvaluationData)

    def format(self, query: str) -> str:
        return query

    def parse(self, text: str) -> EvaluationData:
        return EvaluationData(passing=False, feedback=text)


class JudgeLLM(CustomLLM):
    """A Model of ours as one of LlamaIndex's, so that budget, ledger and cache hold for whatever
    LlamaIndex asks. A reply that is empty or was cut off is an EndpointError: it ends in no
    verdict; and a request too long for the window is one before it is sent."""

    _model: Model = PrivateAttr()

    def __init__(self, model: Model) -> None:
        super().__init__()
        self._model = model

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(
            context_window=BOUNDLESS,
            num_output=REPLY_TOKENS,
            is_chat_model=True,
            model_name=self._model.name,
        )

    def chat(self, messages: Sequence[ChatMessage], **more: Any) -> ChatResponse:
        system = MessageRole.SYSTEM
        asked = [
            Message("system" if message.role == system else "user", message.content or "")
            for message in messages
        ]
        return ChatResponse(message=ChatMessage(role="assistant", content=self._reply(asked)))

    def complete(self, prompt: str, formatted: bool = False, **more: Any) -> CompletionResponse:
        return CompletionResponse(text=self._reply([Message("user", prompt)]))

    def stream_complete(
        self, prompt: str, formatted: bool = False, **more: Any
    ) -> CompletionResponseGen:
        yield self.complete(prompt, formatted)

    def _reply(self, messages: Sequence[Message]) -> str:
        name, window = self._model.name, self._model.window
        limit = min(REPLY_TOKENS, window // 4)
        if count_messages(self._model.count, messages) + limit > window:
            message = f"What {name} would have to read does not fit into its {window:,} tokens."
            raise ContextOverflow(message, "name a judge with a larger window")
        reply = self._model.reply(messages, limit)
        if not reply.text.strip():
            raise EndpointError(f"{name} said nothing.", "name another judge")
        if not reply.finished:
            message = f"{name} came to no verdict within {limit} tokens."
            raise EndpointError(message, "name a judge that thinks less aloud")
        return utf8(reply.text)
