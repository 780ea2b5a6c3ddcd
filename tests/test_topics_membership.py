"""Which papers are about a topic."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rag.embed.minilm import MiniLM
from rag.errors import QuestionError
from rag.retrieve.acronyms import Acronyms
from rag.retrieve.concordance import ARRAYS, FOLDER, Concordance, concordance
from rag.retrieve.filters import Filters
from rag.retrieve.hybrid import Retriever
from rag.retrieve.kin import kin
from rag.retrieve.wording import aspects
from rag.store.snapshot import Snapshot
from rag.topics.membership import FLOOR, Membership, members
from rag.types import Paper
from tests.corpus import PAPERS, index
from tests.fakes import HashEmbedder, paper

MORE = [
    paper(
        "federated",
        "Hospitals may not pool their records. We introduce Tally, which trains one model by "
        "federated learning (FL) and hides each clinic's updates. Four clinics gain 3 points.",
    ),
    paper(
        "fl-only",
        "Phones differ in speed and battery. We schedule FL so that slow phones join later "
        "rounds. Rounds of FL take half as long.",
    ),
    paper(
        "passing",
        "Tables of weather stations have gaps. We present a dataset of 900 stations with marked "
        "gaps. It has been used with regression, with forests and once with federated learning.",
    ),
    paper(
        "regress",
        "Hourly tides are noisy. We develop a robust regression that ignores outliers. Our "
        "regression needs no tuning.",
    ),
    paper(
        "tokens",
        "Words are cut into pieces before a model reads them. We study tokenization for rare "
        "languages. Our tokenizer needs a third fewer pieces.",
    ),
    paper(
        "speed",
        "Decoding is slow because each token waits for the last. We colour the cache by age and "
        "drop old tokens. Latency falls by 41 % and throughput doubles.",
    ),
]

Ask = Callable[..., Membership]


@pytest.fixture(scope="module")
def all_papers() -> list[Paper]:
    return [*PAPERS, *MORE]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM, all_papers: list[Paper]) -> Ask:
    """``members`` over the eight papers and five more, with ids for rows."""
    store = tmp_path_factory.mktemp("topics") / "store"
    index(store, minilm, all_papers)
    retriever = Retriever(Snapshot.open(store), minilm)
    return lambda topic, **how: members(retriever, topic, **how)


@pytest.fixture(scope="module")
def ids(ask: Ask, all_papers: list[Paper]) -> Callable[[str], set[str]]:
    """Ids of the papers about a topic: the rows of a store are in the order of its papers."""
    return lambda topic: {all_papers[match.row].paper_id for match in ask(topic).matched}


@pytest.mark.parametrize(
    ("topic", "found"),
    [
        ("reinforcement learning", {"grid"}),
        ("papers about honeybees", {"bees"}),
        ("diffusion models", {"cells"}),
        ("benchmark contamination", {"leak"}),
        ("robotics", {"grip"}),
        ("tokenisation", {"tokens"}),
        ("theorem proving", {"proof"}),
        ("how to make inference faster", {"speed"}),
        ("robotics and reinforcement learning", {"grip", "grid"}),
    ],
)
def test_a_topic_gets_its_papers_and_no_others(
    ids: Callable[[str], set[str]], topic: str, found: set[str]
) -> None:
    assert ids(topic) == found


@pytest.mark.parametrize(
    "topic", ["volcanology", "medieval history", "quantum error correction", "contract law"]
)
def test_a_foreign_topic_gets_none(ask: Ask, topic: str) -> None:
    assert not ask(topic).matched


def test_an_abbreviation_and_what_it_means_are_one_topic(ids: Callable[[str], set[str]]) -> None:
    assert ids("FL") == ids("federated learning") >= {"federated", "fl-only"}


def test_a_passing_mention_counts_for_less(ask: Ask, all_papers: list[Paper]) -> None:
    relevance = {
        all_papers[match.row].paper_id: match.relevance
        for match in ask("regression", floor=0.0).matched
    }
    assert max(relevance, key=lambda id: relevance[id]) == "regress"
    assert relevance["regress"] > relevance["passing"] > relevance["federated"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tokenization", "tokenisation"),
        ("colour", "color"),
        ("language model", "language-models"),
        ("honeybees", "honey bees"),
        ("microscopy", "microscpy"),
    ],
)
def test_spelling_makes_no_difference(ids: Callable[[str], set[str]], one: str, other: str) -> None:
    assert ids(one) == ids(other) != set()


def test_every_paper_is_a_member_a_near_miss_or_far(ask: Ask, all_papers: list[Paper]) -> None:
    strict = ask("language models", floor=0.95)
    lax = ask("language models", floor=0.0)
    assert len(lax.matched) == lax.population == len(all_papers)
    assert not lax.omitted and lax.omitted_count == 0
    assert len(strict.matched) + strict.omitted_count <= strict.population
    assert strict.omitted_count >= len(strict.omitted) > 0
    both = [match.relevance for match in (*strict.matched, *strict.omitted)]
    assert both == sorted(both, reverse=True)
    assert all(match.relevance < 0.95 for match in strict.omitted)


def test_reasons_say_what_a_paper_has(ask: Ask, all_papers: list[Paper]) -> None:
    found = ask("federated learning", floor=0.0).matched
    reason = {all_papers[match.row].paper_id: match.reason for match in found}
    assert reason["federated"] == 'mentions "federated learning" 2 times'
    assert reason["passing"] == 'mentions "federated learning" once'
    assert reason["bees"] == "near in meaning only"
    missed = ask("sea ice", floor=0.99).omitted
    assert any(
        'mentions "sea" but not "ice"' in match.reason
        and f"({match.relevance:.2f}, below the floor 0.99)" in match.reason
        for match in missed
    )


def test_filters_choose_the_population(ask: Ask) -> None:
    found = ask("language models", filters=Filters(area="language models"))
    assert found.population == 2
    with pytest.raises(QuestionError):
        ask("language models", filters=Filters(area="alchemy"))


def test_ties_go_by_id(tmp_path: Path) -> None:
    store = tmp_path / "store"
    twins = [paper(id, f"We study kites over lake number {n}.") for n, id in enumerate("cab")]
    index(store, HashEmbedder(), [*twins, *PAPERS])
    found = members(Retriever(Snapshot.open(store), HashEmbedder()), "kites", floor=0.0)
    by_relevance: dict[float, list[str]] = {}
    ids = Snapshot.open(store).ids
    for match in found.matched:
        by_relevance.setdefault(match.relevance, []).append(ids[match.row])
    assert all(tied == sorted(tied) for tied in by_relevance.values())


@pytest.mark.parametrize("topic", ["", " ?! ", "\x00"])
def test_a_topic_needs_words(ask: Ask, topic: str) -> None:
    with pytest.raises(QuestionError):
        ask(topic)


@pytest.mark.parametrize(
    "topic",
    ["ﱞ", "the", "papers", "<script>alert(1)</script>", "a and b or c", "x" * 19_000]
    + ["word " * 3_900, "graphs, " * 2_000],
)
def test_odd_topics_do_no_harm(ask: Ask, topic: str) -> None:
    assert len(ask(topic).matched) <= ask(topic).population


def test_an_empty_store_has_no_members(tmp_path: Path) -> None:
    index(tmp_path / "store", HashEmbedder(), [])
    retriever = Retriever(Snapshot.open(tmp_path / "store"), HashEmbedder())
    assert members(retriever, "kites") == Membership((), (), 0, 0)


def test_same_in_every_process(built: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from rag.embed.minilm import MiniLM\n"
        "from rag.retrieve.hybrid import Retriever\n"
        "from rag.store.snapshot import Snapshot\n"
        "from rag.topics.membership import members\n"
        "retriever = Retriever(Snapshot.open(Path(sys.argv[1])), MiniLM())\n"
        "print(members(retriever, 'language models and robots', floor=0.0))\n"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", script, str(built)],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parent.parent)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1] != ""


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("We use slow tide gauging (STG) here.", "stg", ("slow", "tide", "gaug")),
        ("Large Language Models (LLMs) write.", "llm", ("languag", "model")),
        ("A Rotary Positional Embedding (RoPE) turns.", "rope", ("rotari", "posit", "embed")),
        ("Test-Time Adaptation (TTA) helps.", "tta", ("test", "time", "adapt")),
        ("We beat the best (SOTA) by far.", "sota", None),
    ],
)
def test_abbreviations_are_learnt_from_their_definitions(
    text: str, short: str, long: tuple[str, ...] | None
) -> None:
    acronyms = Acronyms()
    acronyms.read(text)
    assert acronyms.meanings(short) == ([long] if long else [])


def test_a_hostile_abstract_is_read_in_no_time() -> None:
    Acronyms().read("(" * 200_000 + "A" * 200_000 + "(AB)" * 50_000)


def test_only_what_names_topics_is_taken_for_a_list(built: Path) -> None:
    corpus = concordance(Retriever(Snapshot.open(built), HashEmbedder()))
    assert len(aspects("robotics and reinforcement learning", corpus, {})) == 2
    assert len(aspects("pollen and teapots", corpus, {})) == 1
    assert len(aspects("robots, video, speech, graphs, music, bandits, causality", corpus, {})) == 1


def test_the_concordance_of_an_index_is_the_one_that_its_papers_have(built: Path) -> None:
    snapshot = Snapshot.open(built)
    kept = Concordance.load(snapshot.folder / FOLDER)
    made = Concordance.of(snapshot.papers(), map(snapshot.spans, range(len(snapshot))))
    assert kept.acronyms.definitions == made.acronyms.definitions
    for name in ARRAYS:
        assert np.array_equal(getattr(kept, name), getattr(made, name))
    for term in ("robot", "strawberri", "proof"):
        assert kept.places((term,)).tolist() == made.places((term,)).tolist()


@pytest.mark.parametrize(
    ("name", "content"), [("words.json", '{"format": 0}'), ("order.npy", ""), ("ends.npy", None)]
)
def test_a_concordance_that_cannot_be_read_is_made_anew(
    built: Path, tmp_path: Path, name: str, content: str | None
) -> None:
    whole = concordance(Retriever(Snapshot.open(built), HashEmbedder()))
    copy = Path(shutil.copytree(built, tmp_path / "copy"))
    broken = Snapshot.open(copy).folder / FOLDER / name
    broken.unlink()
    if content is not None:
        broken.write_text(content)
    anew = concordance(Retriever(Snapshot.open(copy), HashEmbedder()))
    assert anew.order.tolist() == whole.order.tolist()


def test_kin_are_known_for_common_topics_only() -> None:
    medical = kin(("medic",))
    assert medical and medical.inside > medical.outside and "clinic" in medical.terms
    assert kin(("medicin",)) == medical
    assert kin(("honeybe",)) is None


def test_the_floor_is_a_probability() -> None:
    assert 0 < FLOOR < 1
