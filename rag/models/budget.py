"""Money: what a request may cost at most, what it did cost, and where it stops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rag.errors import BudgetError, RagError
from rag.models import Message, Model, OnText, Reply
from rag.models.ledger import Ledger
from rag.models.prices import Price
from rag.models.tokens import count_messages
from rag.models.wrapped import Wrapped, thinking
from rag.types import Usage


@dataclass(frozen=True, slots=True)
class Estimate:
    """A request before it is made: tokens in, the most tokens out, and what these would cost in
    US dollars; None without a known price."""

    input_tokens: int
    output_tokens: int
    cost_usd: float | None


def estimate(
    messages: Sequence[Message], limit: int, model: Model, price: Price | None
) -> Estimate:
    """What a request for a reply of at most ``limit`` tokens comes to."""
    asked = count_messages(model.count, messages)
    most = limit + thinking(model)
    return Estimate(asked, most, price.cost(asked, most) if price else None)


class Metered(Wrapped):
    """A model whose requests are counted, entered in the ledger and held to a budget.

    ``usage`` is the sum over all replies. ``budget_usd`` None is no budget; ``price`` None is a
    price that is not known, with which a budget cannot be held.
    """

    def __init__(
        self,
        model: Model,
        price: Price | None,
        budget_usd: float | None = None,
        ledger: Ledger | None = None,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        super().__init__(model)
        self._price = price
        self._budget = budget_usd
        self._ledger = ledger
        self._note = note
        self.usage = Usage()

    @property
    def spent(self) -> float:
        """US dollars, as far as the price is known."""
        return self.usage.cost_usd

    def reply(
        self, messages: Sequence[Message], limit: int, on_text: OnText | None = None
    ) -> Reply:
        """The model's reply with its cost. Raises BudgetError before the budget can be passed."""
        expected = estimate(messages, limit, self._model, self._price)
        self._check(expected)
        heard: list[str] = []

        def hear(text: str) -> None:
            heard.append(text)
            if on_text:
                on_text(text)

        try:
            reply = self._model.reply(messages, limit, hear if on_text else None)
        except BaseException as error:
            # An interrupted answer is paid for as far as it got; a refused request is not.
            if heard or not isinstance(error, RagError):
                self._enter(Usage(expected.input_tokens, self.count("".join(heard))))
            raise
        return replace(reply, usage=self._enter(reply.usage))

    def _check(self, expected: Estimate) -> None:
        if self._budget is None:
            return
        if expected.cost_usd is None:
            message = f"A budget is set, but the price of {self.name!r} is not known."
            raise BudgetError(message, "add it to the file that RAG_PRICES names")
        if self.spent + expected.cost_usd > self._budget:
            message = (
                f"The next request may cost ${expected.cost_usd:.4f}; of the budget of "
                f"${self._budget:.4f}, ${self.spent:.4f} are spent."
            )
            raise BudgetError(message, "raise --budget, ask for less, or use a cheaper model")

    def _enter(self, usage: Usage) -> Usage:
        """Add to the sums and the ledger; returns the usage with its cost."""
        tokens = usage.input_tokens, usage.output_tokens
        cost = self._price.cost(*tokens) if self._price else None
        if cost is None and not self.usage.input_tokens:
            self._note(f"the price of {self.name} is not known; its cost is not counted")
        usage = replace(usage, cost_usd=cost or 0.0)
        self.usage += usage
        if self._ledger:
            self._ledger.add(self.name, *tokens, cost)
        return usage
