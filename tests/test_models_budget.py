"""Money: estimated before, counted after, never more than was allowed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Thread

import pytest

from rag.endpoint import Endpoint, patience
from rag.errors import BudgetError, EndpointUnreachable, KeyRefused, RagError
from rag.models import Message, OnText, Reply
from rag.models.budget import Meter, Metered, Purse, estimate
from rag.models.ledger import Ledger, read
from rag.models.openai import connect
from rag.models.prices import FREE, Price
from rag.types import Usage
from tests.servers import Exchange, Llama, Scripted, stalls

HELLO = [Message("user", "one two three")]
DEAR = Price(100.0, 1000.0)
"""0.0001 dollars a token in, 0.001 a token out."""


class Clerk:
    """Counts a token a word; replies ten words in pieces, or fails with what it is given."""

    name, window = "clerk", 1000

    def __init__(
        self, error: BaseException | None = None, after: int = 0, thinking: int = 0
    ) -> None:
        self.thinking = thinking
        self.asked = 0
        self._error = error
        self._after = after

    def count(self, text: str) -> int:
        return len(text.split())

    def reply(
        self, messages: Sequence[Message], limit: int, on_text: OnText | None = None
    ) -> Reply:
        self.asked += 1
        for n in range(10):
            if self._error and n == self._after:
                raise self._error
            if on_text:
                on_text("word ")
        return Reply("word " * 10, Usage(11, 10))


def test_an_estimate_is_the_most_that_it_can_be() -> None:
    expected = estimate(HELLO, 50, Clerk(), DEAR)
    assert (expected.input_tokens, expected.output_tokens) == (11, 50)
    assert expected.cost_usd == pytest.approx(0.0511)
    assert estimate(HELLO, 50, Clerk(), None).cost_usd is None
    assert estimate(HELLO, 50, Clerk(thinking=30), DEAR).output_tokens == 80


def test_replies_come_with_their_cost_and_are_added_up() -> None:
    model = Metered(Clerk(), DEAR)
    first = model.reply(HELLO, 50)
    model.reply(HELLO, 50, str)
    assert first.usage == Usage(11, 10, pytest.approx(0.0111))  # type: ignore[arg-type]
    assert model.usage.input_tokens == 22
    assert model.spent == pytest.approx(0.0222)
    assert (model.name, model.window, model.count("a b")) == ("clerk", 1000, 2)


def test_it_stops_before_the_budget_is_passed() -> None:
    clerk = Clerk()
    model = Metered(clerk, DEAR, purse=Purse(0.08))
    for _ in range(3):  # 0.0111 each; the fourth might cost 0.0511
        model.reply(HELLO, 50)
    with pytest.raises(BudgetError, match=r"\$0.0511.*\$0.0800.*\$0.0333") as caught:
        model.reply(HELLO, 50)
    assert clerk.asked == 3
    assert "--budget" in caught.value.fix
    assert model.reply(HELLO, 20).text


def test_a_request_inside_a_reply_cannot_pass_the_budget_either() -> None:
    purse = Purse(0.08)
    model = Metered(Clerk(), DEAR, purse)
    inner: list[str] = []

    def rewrite(text: str) -> None:
        with pytest.raises(BudgetError, match=r"\$0.0511 are spent or under way"):
            model.reply(HELLO, 50)
        inner.append(text)

    model.reply(HELLO, 50, rewrite)
    assert len(inner) == 10
    assert purse.spent == pytest.approx(0.0111)
    model.reply(HELLO, 50)  # nothing is set aside any more


def test_what_a_refused_request_set_aside_is_free_again() -> None:
    model = Metered(Clerk(KeyRefused("no", "set it")), DEAR, Purse(0.06))
    for _ in range(3):
        with pytest.raises(KeyRefused):
            model.reply(HELLO, 50)


def test_several_models_pay_out_of_one_purse(tmp_path: Path) -> None:
    purse = Purse(0.06)
    ledger = Ledger(tmp_path, place="here", purpose="embed", note=str)
    meter = Meter("embedder", DEAR, purse, ledger)
    meter.allow(100)
    meter.enter(100, 90)
    meter.allow(200)
    meter.enter(200, 0)  # refused
    with pytest.raises(BudgetError, match=r"\$0.0090"):
        Metered(Clerk(), DEAR, purse).reply(HELLO, 50)
    with pytest.raises(BudgetError):
        meter.allow(600)
    assert [(e.model, e.input_tokens, e.cost_usd) for e in read(tmp_path)] == [
        ("embedder", 90, pytest.approx(0.009))
    ]


def thinks_and_breaks_off(exchange: Exchange) -> None:
    thought = {"choices": [{"index": 0, "delta": {"reasoning_content": "hm"}}]}
    exchange.stream([thought] * 3, cut_after=2)


def test_a_request_that_is_lost_on_the_way_is_paid_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "FIRST_WAIT", 0.01)
    ledger = Ledger(tmp_path, place="here", purpose="ask", note=str)
    with Scripted("one", faults=[thinks_and_breaks_off, stalls(5)]) as server:
        model = Metered(connect(Endpoint("", server.url, timeout=0.3)), DEAR, ledger=ledger)
        expected = estimate(HELLO, 50, model, DEAR)
        with pytest.raises(EndpointUnreachable):
            model.reply(HELLO, 50, str)
    taken = [(entry.input_tokens, entry.output_tokens) for entry in read(tmp_path)]
    assert taken == [(expected.input_tokens, 50)] * 2
    assert model.spent == pytest.approx(2 * (expected.cost_usd or 0))


def test_a_lost_request_is_not_made_again_past_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "FIRST_WAIT", 0.01)
    with Scripted("one", faults=[thinks_and_breaks_off]) as server:
        model = Metered(connect(Endpoint("", server.url)), DEAR, Purse(0.06))
        with pytest.raises(BudgetError):
            model.reply(HELLO, 50, str)
    assert len(server.bodies) == 1


def test_that_tokens_are_estimated_is_told_once_where_a_budget_relies_on_it() -> None:
    notes: list[str] = []
    with Scripted("one") as server:
        for purse in (None, Purse(1.0)):
            model = Metered(connect(Endpoint("", server.url)), FREE, purse, note=notes.append)
            model.reply(HELLO, 5)
            model.reply(HELLO, 5)
    assert notes == ["tokens of scripted are estimated: its encoding is not known"]


@pytest.mark.parametrize("told", [-(10**7), "many", 10**400, 1.5])
def test_a_count_that_cannot_be_one_is_not_the_servers_to_give(told: object) -> None:
    with Scripted("one two") as server:
        server._usage = {"prompt_tokens": told, "completion_tokens": told, "total_tokens": 1}
        model = Metered(connect(Endpoint("", server.url)), DEAR)
        for on_text in (None, str):
            usage = model.reply(HELLO, 5, on_text).usage
            assert 10 < usage.input_tokens < 30
            assert 1 < usage.output_tokens < 5
    assert model.spent > 0


def test_a_budget_of_nothing_allows_what_is_free() -> None:
    assert Metered(Clerk(), FREE, purse=Purse(0.0)).reply(HELLO, 50).usage.cost_usd == 0
    with pytest.raises(BudgetError):
        Metered(Clerk(), DEAR, purse=Purse(0.0)).reply(HELLO, 50)


def test_thoughts_count_towards_the_budget() -> None:
    with pytest.raises(BudgetError):
        Metered(Clerk(thinking=2048), DEAR, purse=Purse(1.0)).reply(HELLO, 50)


def test_a_budget_needs_a_price() -> None:
    clerk = Clerk()
    with pytest.raises(BudgetError, match="'clerk' is not known") as caught:
        Metered(clerk, None, purse=Purse(5.0)).reply(HELLO, 50)
    assert "RAG_PRICES" in caught.value.fix
    assert not clerk.asked


def test_without_a_budget_an_unknown_price_is_noted_once() -> None:
    notes: list[str] = []
    model = Metered(Clerk(), None, note=notes.append)
    for _ in range(2):
        assert model.reply(HELLO, 50).usage == Usage(11, 10, 0.0)
    assert len(notes) == 1


@pytest.mark.parametrize("error", [KeyboardInterrupt(), EndpointUnreachable("broke off", "again")])
def test_an_interrupted_answer_is_paid_for_as_far_as_it_got(
    tmp_path: Path, error: BaseException
) -> None:
    ledger = Ledger(tmp_path, place="here", purpose="ask", note=str)
    model = Metered(Clerk(error, after=4), DEAR, ledger=ledger)
    with pytest.raises(type(error)):
        model.reply(HELLO, 50, str)
    assert model.usage == Usage(11, 4, pytest.approx(0.0051))  # type: ignore[arg-type]
    assert read(tmp_path)[0].output_tokens == 4


@pytest.mark.parametrize("error", [KeyRefused("no", "set it"), RagError("no", "no")])
def test_a_refused_request_costs_nothing(tmp_path: Path, error: RagError) -> None:
    ledger = Ledger(tmp_path, place="here", purpose="ask", note=str)
    model = Metered(Clerk(error), DEAR, ledger=ledger)
    with pytest.raises(type(error)):
        model.reply(HELLO, 50, str)
    assert model.usage == Usage()
    assert not read(tmp_path)


def test_every_request_is_entered(tmp_path: Path) -> None:
    for price in (DEAR, None):
        ledger = Ledger(tmp_path, place="http://here", purpose="ask", note=str)
        Metered(Clerk(), price, ledger=ledger).reply(HELLO, 50)
    first, second = read(tmp_path)
    assert (first.model, first.place, first.purpose) == ("clerk", "http://here", "ask")
    assert (first.input_tokens, first.output_tokens) == (11, 10)
    assert first.cost_usd == pytest.approx(0.0111)
    assert second.cost_usd is None


def test_a_real_answer_costs_nothing_but_is_counted(smollm: Llama) -> None:
    model = Metered(connect(Endpoint("", smollm.url)), FREE, purse=Purse(0.0))
    usage = model.reply(HELLO, 5).usage
    expected = estimate(HELLO, 5, model, FREE)
    assert usage.input_tokens > 0
    assert usage.output_tokens <= expected.output_tokens == 5


def test_a_request_waits_for_what_others_really_cost() -> None:
    """Two requests that may cost 0.06 each and do cost 0.01 fit into 0.1 side by side."""
    purse, order = Purse(0.1), []
    purse.set_aside("a", 0.06)

    def second() -> None:
        purse.set_aside("a", 0.06)
        order.append("second")
        purse.settle(0.06)

    waiting = Thread(target=second)
    waiting.start()
    waiting.join(0.05)
    order.append("first")
    purse.take(0.01)
    purse.settle(0.06)
    waiting.join(5)
    assert order == ["first", "second"]


def test_a_request_inside_another_one_waits_for_nobody() -> None:
    purse = Purse(0.1)
    purse.set_aside("a", 0.06)
    with pytest.raises(BudgetError, match=r"\$0\.0600 are spent or under way"):
        purse.set_aside("a", 0.06)
