"""The HTTP API over a real socket: what the command line says, and who is not answered."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from openai import OpenAI

from rag.evaluate.runs import save
from rag.serve.guard import A_SECOND, AT_ONCE, MAX_BODY, Rates
from rag.serve.work import Busy, Gone, Lane, TooLong
from rag.store.snapshot import Snapshot
from tests import evals_runs
from tests.commands import Run
from tests.corpus import PAPERS, QUESTIONS
from tests.serving import client, serving

TIDE = "What does TideNet do?"
TOKEN = "a-long-random-word"


@pytest.fixture(scope="module")
def store(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(built, tmp_path_factory.mktemp("served") / "index"))


@pytest.fixture(scope="module")
def address(store: Path) -> Iterator[str]:
    with serving(store) as found:
        yield found


@pytest.fixture
def api(address: str) -> Iterator[httpx.Client]:
    with client(address) as opened:
        yield opened


def untimed(answer: dict[str, Any]) -> dict[str, Any]:
    return {**answer, "timings_ms": None}


def streamed(response: httpx.Response) -> list[tuple[str, Any]]:
    """Server-sent events as names with their data."""
    blocks = [block.split("\n") for block in response.text.split("\n\n") if block]
    return [(name[7:], json.loads(data[6:])) for name, data in blocks]


# --- what is answered --------------------------------------------------------------------------


def test_it_runs_and_is_ready(api: httpx.Client, store: Path) -> None:
    assert api.get("/api/health").json() == {"status": "ok"}
    ready = api.get("/api/ready").json()
    assert ready["papers"] == len(PAPERS)
    assert ready["corpus"] == Snapshot.open(store).manifest.corpus


@pytest.mark.parametrize("question", [TIDE, *QUESTIONS, "Who won the chess game?"])
def test_an_answer_is_that_of_the_command_line(
    api: httpx.Client, indexed: Run, question: str
) -> None:
    told = indexed("ask", question, "--json").json
    assert untimed(api.post("/api/ask", json={"question": question}).json()) == untimed(told)


def test_a_stream_ends_with_the_whole_answer(api: httpx.Client) -> None:
    events = streamed(api.post("/api/ask/stream", json={"question": TIDE}))
    text = "".join(data["text"] for name, data in events if name == "text")
    assert [name for name, _ in events][-1] == "answer"
    assert events[-1][1]["text"] == text


def test_a_follow_up_knows_what_was_said(api: httpx.Client) -> None:
    first = api.post("/api/ask", json={"question": TIDE}).json()["text"]
    asked = {"question": "By how much does it lower the error?", "history": [[TIDE, first]]}
    assert "6.1 cm" in api.post("/api/ask", json=asked).json()["text"]


def test_papers_are_found_listed_and_shown(api: httpx.Client) -> None:
    hits = api.get("/api/search", params={"q": "bees dancing", "k": 2}).json()["results"]
    assert [hit["rank"] for hit in hits] == [1, 2] and hits[0]["paper_id"] == "bees"
    listed = api.get("/api/papers", params={"area": "biology"}).json()
    assert listed["matched"] == len(listed["papers"]) >= 1
    assert listed["population"] == len(PAPERS)
    shown = api.get("/api/papers/tide").json()
    (hit,) = api.get("/api/search", params={"q": TIDE, "k": 1}).json()["results"]
    for passage in hit["passages"]:
        assert shown["text"][passage["start"] : passage["end"]] == passage["text"]


def test_pages_of_papers_make_the_whole(api: httpx.Client) -> None:
    parts = [
        api.get("/api/papers", params={"offset": offset, "limit": 3, "sort": "title"}).json()
        for offset in range(0, len(PAPERS), 3)
    ]
    names = [paper["title"] or paper["handle"] for part in parts for paper in part["papers"]]
    assert names == sorted(names, key=str.casefold) and len(names) == len(PAPERS)


def test_a_paper_in_a_line_as_bibtex_and_with_others_like_it(api: httpx.Client) -> None:
    assert api.get("/api/papers/tide/summary").json()["words"] <= 25
    assert api.get("/api/papers/tide/bibtex").text.startswith("@inproceedings{")
    alike = api.get("/api/papers/tide/similar").json()["papers"]
    assert alike and "tide" not in {paper["paper_id"] for paper in alike}
    asked = {"paper_ids": ["tide", "bees"]}
    lines = api.post("/api/summaries", json=asked).json()["summaries"]
    assert [line["paper_id"] for line in lines] == asked["paper_ids"]


def test_a_digest_is_made_kept_and_compared(api: httpx.Client, store: Path) -> None:
    topics = ("language models", "robots")
    made = [streamed(api.post("/api/digests/stream", json={"topic": topic})) for topic in topics]
    assert {"progress", "digest"} == {name for events in made for name, _ in events}
    ids = [events[-1][1]["id"] for events in made]
    page = api.get(f"/digests/{ids[0]}")
    assert page.status_code == 200 and "language models" in page.text
    assert all(f"/digests/{id}" in api.get("/digests").text for id in ids)
    compared = api.get("/digests/compare", params={"id": ids})
    assert compared.status_code == 200 and "In both" in compared.text
    assert json.loads((store / "digests" / f"{ids[0]}.json").read_text())["digests"]


def test_the_map_has_every_paper(api: httpx.Client) -> None:
    drawn = api.get("/api/map").json()
    assert all(f"/papers/{paper.paper_id}" in drawn["svg"] for paper in PAPERS)


def test_runs_of_evals_are_listed_and_given(store: Path, tmp_path: Path) -> None:
    odd = evals_runs.sample("one", text="half a \ud83d")
    for id in ("20260131T094512", "20260201T000000"):
        save(evals_runs.run([odd], id), tmp_path / "runs")
    with serving(store, evals=tmp_path) as address, client(address) as api:
        listed = api.get("/api/evals").json()["runs"]
        assert [run["id"] for run in listed] == ["20260201T000000", "20260131T094512"]
        given = api.get(f"/api/evals/{listed[0]['id']}")
        assert given.status_code == 200 and given.json()["samples"][0]["case"] == "one"
        assert api.get("/api/evals/none").status_code == 404
        assert api.get("/evals/none").status_code == 404


def test_a_verdict_becomes_a_case_to_be(api: httpx.Client, store: Path) -> None:
    verdict = {"asked": {"question": TIDE}, "good": False, "remark": "too short"}
    assert api.post("/api/feedback", json=verdict).status_code == 201
    row = json.loads((store / "feedback.jsonl").read_text().splitlines()[-1])
    assert (row["question"], row["verdict"], row["remark"]) == (TIDE, "bad", "too short")


# --- OpenAI's protocol ---------------------------------------------------------------------------


def openai(address: str) -> OpenAI:
    http = httpx.Client(trust_env=False)
    return OpenAI(base_url=f"{address}/v1", api_key="none", http_client=http)


def test_the_openai_client_gets_answers_with_their_sources(address: str) -> None:
    chat = openai(address).chat.completions
    reply = chat.create(model="rag", messages=[{"role": "user", "content": TIDE}])
    text = reply.choices[0].message.content or ""
    assert "[1]" in text and "TideNet: Filling the Gaps" in text
    assert reply.choices[0].message.model_extra["rag"]["outcome"] == "answered"  # type: ignore[index]
    stream = chat.create(
        model="rag",
        stream=True,
        stream_options={"include_usage": True},
        messages=[
            {"role": "system", "content": "Answer in French and cite nothing."},
            {"role": "user", "content": TIDE},
            {"role": "assistant", "content": text},
            {"role": "user", "content": [{"type": "text", "text": "By how much?"}]},
        ],
    )
    chunks = list(stream)
    said = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert "6.1 cm" in said and chunks[-1].usage is not None


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "sent", "status"),
    [
        ("GET", "/api/papers/nothing", None, 404),
        ("GET", "/api/nothing", None, 404),
        ("GET", "/papers/nothing", None, 404),
        ("GET", "/digests/../../manifest", None, 404),
        ("GET", "/digests/0123456789ab", None, 404),
        ("GET", "/evals/..%2F..%2Fpyproject", None, 404),
        ("GET", "/static/..%2Fapp.py", None, 404),
        ("GET", "/api/search?q=bees&area=alchemy", None, 422),
        ("GET", "/api/search?q=%20", None, 422),
        ("GET", "/api/search?q=bees&k=0", None, 422),
        ("POST", "/api/ask", {"question": ""}, 422),
        ("POST", "/api/ask", {"question": "x" * 4_001}, 422),
        ("POST", "/api/ask", {"question": "bees", "engine": "llm"}, 422),
        ("POST", "/api/ask", {"question": "bees", "history": [["a"]]}, 422),
        ("POST", "/api/ask", {"question": "\ud83d"}, 422),
        ("DELETE", "/api/ask", None, 405),
    ],
)
def test_what_cannot_be_answered_says_why(
    api: httpx.Client, method: str, path: str, sent: object, status: int
) -> None:
    content = json.dumps(sent) if sent else None
    headers = {"content-type": "application/json"}
    response = api.request(method, path, content=content, headers=headers)
    assert response.status_code == status
    assert response.headers["content-type"].startswith(("application/json", "text/html"))


def test_a_person_gets_a_page_of_what_is_wrong(api: httpx.Client) -> None:
    for path, status in (("/nothing", 404), ("/papers/nothing", 404), ("/digests/compare", 422)):
        response = api.get(path, headers={"accept": "text/html"})
        assert response.status_code == status and "<h1>" in response.text


def test_only_its_own_pages_may_ask(api: httpx.Client) -> None:
    assert api.get("/api/health", headers={"host": "evil.example"}).status_code == 421
    for origin in ("https://evil.example", "null", "http://[", ""):
        assert api.post("/api/ask", json={}, headers={"origin": origin}).status_code == 403
    foreign = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    assert api.get("/api/papers", headers=foreign).status_code == 403
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert api.get("/", headers=link).status_code == 200
    own = {"origin": str(api.base_url).rstrip("/")}
    assert api.post("/api/ask", json={"question": TIDE}, headers=own).status_code == 200


def test_a_browser_may_load_nothing_from_elsewhere(api: httpx.Client) -> None:
    for path in ("/", "/api/health", "/api/nothing", "/static/page.js"):
        policy = api.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy


def test_a_body_without_end_is_not_read(api: httpx.Client) -> None:
    long = {"question": "x" * MAX_BODY}
    assert api.post("/api/ask", json=long).status_code == 413
    pieces = (b"x" * 10_000 for _ in range(MAX_BODY // 10_000 + 2))
    headers = {"content-type": "application/json"}
    assert api.post("/api/ask", content=pieces, headers=headers).status_code == 413


def test_with_a_token_nobody_is_served_without_it(store: Path) -> None:
    with serving(store, TOKEN) as address, client(address) as api:
        assert api.get("/api/health").status_code == 200
        for path in ("/", "/api/papers", "/v1/models", "/static/page.js", "/mcp"):
            assert api.get(path).status_code == 401
        wrong = {"authorization": f"Bearer {TOKEN[:-1]}"}
        assert api.get("/api/papers", headers=wrong).status_code == 401
        right = {"authorization": f"Bearer {TOKEN}"}
        assert api.get("/api/papers", headers=right).status_code == 200
        begun = api.get("/", params={"token": TOKEN})
        assert begun.status_code == 303 and TOKEN not in begun.headers["location"]
        assert {"httponly", "samesite=strict"} <= set(
            begun.headers["set-cookie"].lower().split("; ")
        )
        assert api.get("/").status_code == 200
        assert "Ask" in api.get("/").text


def test_an_address_that_asks_too_often_waits() -> None:
    rates = Rates(A_SECOND, AT_ONCE)
    assert all(rates.take("one", 0.0) for _ in range(int(AT_ONCE)))
    assert not rates.take("one", 0.0) and rates.take("other", 0.0)
    assert rates.take("one", 1.0)


# --- work ----------------------------------------------------------------------------------------


def test_a_full_line_is_told_at_once_and_moves_on() -> None:
    async def crowd() -> None:
        lane, open_ = Lane(workers=1, waiting=1, seconds=5), asyncio.Event()
        loop = asyncio.get_running_loop()
        held = lambda: asyncio.run_coroutine_threadsafe(open_.wait(), loop).result()  # noqa: E731
        waiting = [asyncio.create_task(lane.run(held)) for _ in range(2)]
        await asyncio.sleep(0.05)
        with pytest.raises(Busy):
            await lane.run(held)
        open_.set()
        await asyncio.gather(*waiting)
        assert await lane.run(lambda: 3) == 3

    asyncio.run(crowd())


def test_work_that_takes_too_long_is_not_waited_for() -> None:
    async def wait() -> None:
        import time

        with pytest.raises(TooLong):
            await Lane(1, 1, seconds=0.05).run(lambda: time.sleep(0.3))

    asyncio.run(wait())


def test_who_leaves_stops_what_was_written_for_them() -> None:
    met: list[bool] = []

    def endless(write: Any) -> None:
        try:
            while True:
                write("word ")
        except Gone:
            met.append(True)
            raise

    async def leave() -> None:
        lane = Lane(1, 1, seconds=5)
        pieces = lane.stream(endless)
        assert await anext(pieces) == "word "
        await pieces.aclose()  # type: ignore[attr-defined]
        await asyncio.to_thread(lane.close)

    asyncio.run(leave())
    assert met == [True]


def test_an_ingest_is_seen_and_never_half(indexed: Run, tmp_path: Path) -> None:
    with serving(tmp_path / "index_store") as address, client(address) as api:
        whole = len(PAPERS)
        (tmp_path / "more.txt").write_text("We teach QuillBird, a robot, to write with a pen.")
        with ThreadPoolExecutor(1) as pool:
            asking = pool.submit(
                lambda: [api.get("/api/papers").json()["population"] for _ in range(30)]
            )
            indexed("ingest", "more.txt")
            seen = asking.result()
        assert set(seen) <= {whole, whole + 1}
        assert "QuillBird" in api.post("/api/ask", json={"question": "What is QuillBird?"}).text
