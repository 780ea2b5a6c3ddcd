"""Money: what a request may cost at most, what it did cost, and where it stops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Condition, Lock, get_ident

from rag.errors import BudgetError, RagError
from rag.models import Message, Model, OnText, Reply
from rag.models.ledger import Ledger
from rag.models.prices import Price
from rag.models.tokens import count_messages
from rag.models.wrapped import Wrapped, exact, thinking
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


def tell_if_estimated(model: Model, note: Callable[[str], None]) -> None:
    """Say so where the tokens that somebody relies on are a guess."""
    if not exact(model):
        note(f"tokens of {model.name} are estimated: its encoding is not known")


class Purse:
    """What a command spends in US dollars, and may: ``budget_usd`` None is no budget.

    Requests may run inside or beside each other. Until it is known what one did cost, the most
    that it may cost is set aside.
    """

    def __init__(self, budget_usd: float | None = None) -> None:
        self.limited = budget_usd is not None
        self.spent = 0.0
        self._budget = budget_usd or 0.0
        self._aside: list[tuple[int, float]] = []  # by which thread, and how much at most
        self._changed = Condition()

    def set_aside(self, name: str, most: float | None) -> None:
        """Before a request to the model ``name``, which may cost so much, None if nobody knows.

        Where too little is left beside what others have set aside, waits for what they really
        cost. Raises BudgetError if the budget could be passed.
        """
        if self.limited and most is None:
            message = f"A budget is set, but the price of {name!r} is not known."
            raise BudgetError(message, "add it to the file that RAG_PRICES names")
        me = get_ident()
        with self._changed:
            while self._short(most or 0.0) and self._only_others_hold(me):
                self._changed.wait()
            self._check(most or 0.0, self.spent + self._under_way)
            self._aside.append((me, most or 0.0))

    def settle(self, most: float | None) -> None:
        """After the request, with the same amount, in the same thread."""
        with self._changed:
            self._aside.remove((get_ident(), most or 0.0))
            self._changed.notify_all()

    def take(self, cost: float) -> None:
        """What a request did cost."""
        with self._changed:
            self.spent += cost

    def check(self) -> None:
        """Raise BudgetError if what is set aside cannot all be spent any more."""
        with self._changed:
            self._check(self._under_way, self.spent)

    @property
    def _under_way(self) -> float:
        return sum(most for _, most in self._aside)

    def _only_others_hold(self, me: int) -> bool:
        """Whether something is set aside, and nothing by this thread: one that waits inside its
        own request, as a rewrite does, could wait for somebody who waits for it."""
        holders = {thread for thread, _ in self._aside}
        return bool(holders) and me not in holders

    def _short(self, most: float) -> bool:
        return self.limited and self.spent + self._under_way + most > self._budget

    def _check(self, most: float, taken: float) -> None:
        if self.limited and taken + most > self._budget:
            message = (
                f"The next request may cost ${most:.4f}; of the budget of "
                f"${self._budget:.4f}, ${taken:.4f} are spent or under way."
            )
            fix = "raise --budget or RAG_BUDGET, ask for less, or use a cheaper model"
            raise BudgetError(message, fix)


class Metered(Wrapped):
    """A model whose requests are counted, entered in the ledger and paid out of a purse, from any
    thread.

    ``usage`` is the sum over all replies. ``price`` None is a price that is not known, with
    which a budget cannot be held.
    """

    def __init__(
        self,
        model: Model,
        price: Price | None,
        purse: Purse | None = None,
        ledger: Ledger | None = None,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        super().__init__(model)
        self._price = price
        self._purse = purse or Purse()
        self._ledger = ledger
        self._note = note
        self._told = False
        self._lock = Lock()
        self.usage = Usage()
        if hasattr(model, "on_lost"):
            model.on_lost = self._lost

    @property
    def spent(self) -> float:
        """US dollars, as far as the price is known."""
        return self.usage.cost_usd

    def reply(
        self, messages: Sequence[Message], limit: int, on_text: OnText | None = None
    ) -> Reply:
        """The model's reply with its cost. Raises BudgetError before the budget can be passed."""
        expected = estimate(messages, limit, self._model, self._price)
        if self._purse.limited and not self._told:
            self._told = True
            tell_if_estimated(self._model, self._note)
        with self._set_aside(expected.cost_usd):
            return self._reply(messages, limit, on_text, expected)

    @contextmanager
    def _set_aside(self, most: float | None) -> Iterator[None]:
        self._purse.set_aside(self.name, most)
        try:
            yield
        finally:
            self._purse.settle(most)

    def _reply(
        self, messages: Sequence[Message], limit: int, on_text: OnText | None, expected: Estimate
    ) -> Reply:
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
                written = self.count("".join(heard)) + self.thinking
                self._enter(Usage(expected.input_tokens, written))
            raise
        return replace(reply, usage=self._enter(reply.usage))

    def _lost(self, usage: Usage) -> None:
        """Enter a request whose answer never came, though it may be billed; raises BudgetError
        if there is not enough left to make it again."""
        self._enter(usage)
        self._purse.check()

    def _enter(self, usage: Usage) -> Usage:
        """Add to the sums and the ledger; returns the usage with its cost."""
        tokens = usage.input_tokens, usage.output_tokens
        cost = self._price.cost(*tokens) if self._price else None
        if cost is None and not self.usage.input_tokens:
            self._note(f"the price of {self.name} is not known; its cost is not counted")
        usage = replace(usage, cost_usd=cost or 0.0)
        with self._lock:
            self.usage += usage
        self._purse.take(cost or 0.0)
        if self._ledger:
            self._ledger.add(self.name, *tokens, cost)
        return usage


class Meter:
    """Counts requests that are only read, as embeddings are, for a model ``name``: each paid
    out of the purse and entered in the ledger, from any thread."""

    def __init__(self, name: str, price: Price | None, purse: Purse, ledger: Ledger) -> None:
        self._name = name
        self._price = price
        self._purse = purse
        self._ledger = ledger

    def allow(self, tokens: int) -> None:
        """Before a request of about so many tokens. Raises BudgetError."""
        self._purse.set_aside(self._name, self._cost(tokens))

    def enter(self, allowed: int, tokens: int) -> None:
        """After it: as many as were allowed, and as many as it took, 0 if it was refused."""
        cost = self._cost(tokens)
        self._purse.take(cost or 0.0)
        self._purse.settle(self._cost(allowed))
        if tokens:
            self._ledger.add(self._name, tokens, 0, cost)

    def _cost(self, tokens: int) -> float | None:
        return self._price.cost(tokens, 0) if self._price else None
