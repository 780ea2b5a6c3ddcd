"""Topics that nobody named: every paper in one, stable, and named after what it shares."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from rag.embed.minilm import MiniLM
from rag.store.snapshot import Snapshot
from rag.topics.clusters import expected, find_topics
from rag.types import Paper
from tests.corpus import index
from tests.fakes import batch, paper, papers, put

SUBJECTS = {
    "tide": ("tide gauges", "a storm", "the water level in the harbour"),
    "bees": ("waggle dances", "a beehive", "the flowers that foragers find"),
    "glaciers": ("glacier tongues", "a warm summer", "the ice that melts into lakes"),
}
FRAMES = (
    "Reading {0} is hard during {1}. We measure {2} with a camera.",
    "What do {0} tell us? A small network learns {2} from recordings of {1}.",
    "{0} and {1} have long been studied. This work maps {2} for ten years.",
    "We publish an open record of {0}. It covers {1} and {2}.",
    "Cheap sensors watch {0}. During {1} they estimate {2} within a minute.",
)


def written() -> list[Paper]:
    """Five papers on each subject, the subjects in turn."""
    return [
        paper(f"{name}-{i}", frame.format(*words).capitalize(), title=f"{words[0].title()} {i}")
        for i, frame in enumerate(FRAMES)
        for name, words in SUBJECTS.items()
    ]


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM) -> Snapshot:
    store = tmp_path_factory.mktemp("subjects") / "store"
    index(store, minilm, written())
    return Snapshot.open(store)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """Enough papers for what is done with many, with vectors that are chance."""
    store = tmp_path_factory.mktemp("many") / "store"
    put(store, batch(papers(130)))
    return Snapshot.open(store)


def subject(snapshot: Snapshot, row: int) -> str:
    return snapshot.ids[row].split("-")[0]


def test_papers_on_one_subject_are_one_topic(subjects: Snapshot) -> None:
    topics = find_topics(subjects, count=3)
    found = [{subject(subjects, row) for row in topic.rows} for topic in topics]
    assert sorted(map(len, found)) == [1, 1, 1]
    named = {next(iter(names)): topic.name for names, topic in zip(found, topics, strict=True)}
    assert named["tide"] == "Tide gauges"
    assert named["bees"] == "Waggle dances"
    assert named["glaciers"] == "Glacier tongues"


def test_every_paper_is_in_one_topic_and_central_ones_are_its_own(many: Snapshot) -> None:
    topics = find_topics(many)
    assert sorted(row for topic in topics for row in topic.rows) == list(range(130))
    for topic in topics:
        assert list(topic.rows) == sorted(topic.rows)
        assert set(topic.central) <= set(topic.rows)
        assert len(topic.central) == min(3, len(topic.rows))
        assert topic.name
    order = [(-len(topic.rows), topic.rows[0]) for topic in topics]
    assert order == sorted(order)


@pytest.mark.parametrize("rows", [[], [3], [3, 5], [3, 5, 6]])
def test_few_papers_are_fine(many: Snapshot, rows: Sequence[int]) -> None:
    topics = find_topics(many, rows)
    assert sorted(row for topic in topics for row in topic.rows) == rows
    assert all(topic.name for topic in topics)


def test_more_topics_than_papers_are_as_many_as_papers(subjects: Snapshot) -> None:
    assert len(find_topics(subjects, [0, 1, 4], count=9)) == 3
    assert len(find_topics(subjects, [0, 1, 4], count=0)) == 1


def test_a_topic_has_three_papers_where_there_are_enough(many: Snapshot) -> None:
    assert min(len(topic.rows) for topic in find_topics(many, range(30), count=6)) >= 3


def test_papers_without_a_common_phrase_are_called_by_two_systems(tmp_path: Path) -> None:
    handles = ["Weighing Clouds by Ear", "OWLET", "Bread", "KILN-3", "Old Night Trains"]
    abstracts = ["Rain is loud.", "Rails hum.", "Crusts crack.", "Ovens cool.", "Owls wait."]
    found = [paper(f"p{i}", text, handle=handles[i]) for i, text in enumerate(abstracts)]
    put(tmp_path / "store", batch(found))
    (topic,) = find_topics(Snapshot.open(tmp_path / "store"), count=1)
    first, second = topic.name.removesuffix(" and 3 others").split(", ")
    assert {first, second} < {"OWLET", "Bread", "KILN-3"}


@pytest.mark.parametrize("count", range(2, 8))
def test_no_paper_is_alone_where_that_can_be_helped(subjects: Snapshot, count: int) -> None:
    assert min(len(topic.rows) for topic in find_topics(subjects, count=count)) > 1


def test_the_same_papers_in_any_order_have_the_same_topics(subjects: Snapshot) -> None:
    rows = list(range(len(subjects)))
    assert find_topics(subjects, rows[::-1]) == find_topics(subjects, rows) == find_topics(subjects)


def test_papers_that_are_all_alike_are_grouped_all_the_same(tmp_path: Path) -> None:
    put(
        tmp_path / "store",
        batch([paper(f"p{i}", "Always the same.", title="T") for i in range(110)]),
    )
    snapshot = Snapshot.open(tmp_path / "store")
    topics = find_topics(snapshot, count=4)
    assert sum(len(topic.rows) for topic in topics) == len(snapshot)


def test_topics_and_places_are_the_same_in_another_process_on_other_threads(many: Snapshot) -> None:
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from rag.store.snapshot import Snapshot\n"
        "from rag.topics.clusters import find_topics\n"
        "from rag.topics.layout import layout\n"
        "snapshot = Snapshot.open(Path(sys.argv[1]))\n"
        "topics = find_topics(snapshot)\n"
        "print(topics, layout(snapshot, range(40), [row % 3 for row in range(40)]).tolist())\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script, str(many.store)],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parent.parent,
            env={"OMP_NUM_THREADS": threads, "PYTHONHASHSEED": threads},
        ).stdout
        for threads in ("1", "2")
    }
    assert len(found) == 1


def test_a_reader_expects_few_topics() -> None:
    assert [expected(papers) for papers in (1, 3, 7, 38, 4302)] == [1, 1, 2, 7, 16]
    assert [expected(papers, akin=True) for papers in (7, 8, 12, 38)] == [2, 2, 3, 6]
