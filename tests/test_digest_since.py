"""``rag.digest.since``: what has become of a topic since an earlier digest of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rag.digest.saved import Saved, SavedDigest, read_digests
from rag.digest.since import changes, compared, on_topic, remarks
from rag.errors import SourceError
from rag.types import Change, Citation, Coverage, Digest, Entry, Group, MadeFrom, Omission, Paper
from tests.corpus import PAPERS

BY_ID = {paper.paper_id: replace(paper, status="poster") for paper in PAPERS}
STORE = set(BY_ID)


def digest(
    ids: str | Sequence[Paper] = "",
    groups: dict[str, str] | None = None,
    topic: str = "sensing",
    omitted: Sequence[Omission] = (),
    **made: Any,
) -> Digest:
    """A digest of some of the eight papers, or of papers that are like them."""
    papers = [BY_ID[each] for each in ids.split()] if isinstance(ids, str) else ids
    made = {"corpus": "c1", "engine": "extractive", "model": None, "prompts": (), **made}
    return Digest(
        topic=topic,
        overview=(),
        entries=tuple(entry(number, paper) for number, paper in enumerate(papers, start=1)),
        groups=tuple(Group(name, tuple(i.split())) for name, i in (groups or {}).items()),
        findings=(),
        open_ends=(),
        omitted=tuple(omitted),
        coverage=Coverage(len(papers), len(papers), 8, 0),
        made_from=MadeFrom(settings=made.pop("settings", {}), **made),
    )


def entry(number: int, paper: Paper) -> Entry:
    """A paper whose line is its first sentence."""
    end = paper.text.index(".") + 1
    citation = Citation(number, paper.paper_id, paper.text[:end], 0, end)
    return Entry(number, paper, paper.text[:end], (citation,), True, 0.9)


def saved(folder: Path, *digests: Digest, drop: Sequence[str] = ()) -> Saved:
    """Digests written and read again; an older version did not write the fields in ``drop``."""
    data = json.loads(json.dumps({"digests": [each.to_json() for each in digests]}))
    for each in data["digests"]:
        each["entries"] = [{k: v for k, v in e.items() if k not in drop} for e in each["entries"]]
    path = folder / "old.json"
    path.write_text(json.dumps(data))
    return read_digests(str(path))


def old(folder: Path, *args: Any, drop: Sequence[str] = (), **kwargs: Any) -> SavedDigest:
    return saved(folder, digest(*args, **kwargs), drop=drop).digests[0]


def told(found: Sequence[Change]) -> list[tuple[str, str, str]]:
    return [(each.kind, each.paper_id, each.detail) for each in found]


def test_the_same_digest_has_not_changed(tmp_path: Path) -> None:
    now = digest("tide bees grip", {"water": "tide", "touch": "bees grip"})
    before = saved(tmp_path, now).digests[0]
    assert changes(before, now, STORE) == ()
    assert remarks(before, now) == ("The index has not changed since the earlier digest.",)


def test_papers_come_and_go_for_reasons(tmp_path: Path) -> None:
    omitted = [Omission("grid", "Grid", "only in passing", 0.2)]
    before = old(tmp_path, "tide bees grip leak", omitted=omitted)
    left_out = [Omission("bees", "Bees", "below the floor", 0.3)]
    now = digest("tide grid cells", omitted=left_out)
    assert told(changes(before, now, STORE - {"leak"})) == [
        ("new", "grid", "left out before: only in passing"),
        ("new", "cells", "not in the earlier digest"),
        ("gone", "bees", "left out now: below the floor"),
        ("gone", "grip", "still in the index, but no longer on the topic"),
        ("gone", "leak", "no longer in the index"),
    ]


@pytest.mark.parametrize(
    ("now", "detail"),
    [
        ({"status": "oral"}, "status: poster → oral"),
        ({"status": None}, "status: poster → none"),
        (
            {"venue": "Toy Conference 2031 Oral", "year": 2031},
            "venue: Toy Workshop 2030 → Toy Conference 2031 Oral; year: 2030 → 2031",
        ),
        ({"area": "apiary"}, "area: biology → apiary"),
        ({"url": "https://example.org/b"}, "url: none → https://example.org/b"),
        ({"title": "Hives"}, "title: Reading the Dance Floor of a Hive → Hives"),
        (
            {"text": BY_ID["bees"].text.replace("1,240", "1,300")},
            "text: the abstract was rewritten around what was quoted",
        ),
        (
            {"text": BY_ID["bees"].text.replace("flowers", "food"), "status": "oral"},
            "status: poster → oral; text: words that were quoted are no longer in the abstract",
        ),
    ],
)
def test_a_paper_changes(tmp_path: Path, now: dict[str, Any], detail: str) -> None:
    paper = replace(BY_ID["bees"], **now)
    found = changes(old(tmp_path, "bees"), digest([paper]), STORE)
    assert told(found) == [("changed", "bees", detail)]


def test_an_older_file_is_compared_by_what_it_has(tmp_path: Path) -> None:
    """Without hash, title and status only quotes tell; what a file does not say has not changed."""
    later = ("text_hash", "status", "title", "handle", "venue", "year", "area", "url")
    before = old(tmp_path, "bees", drop=later)
    other = replace(BY_ID["bees"], status="oral", title="Hives", venue="Toy Days", year=2032)
    assert changes(before, digest([other]), STORE) == ()
    reworded = replace(other, text=other.text.replace("flowers", "food"))
    assert [each.kind for each in changes(before, digest([reworded]), STORE)] == ["changed"]


def test_an_earlier_title_may_be_anything(tmp_path: Path) -> None:
    paper = replace(BY_ID["bees"], title="?")
    path = tmp_path / "old.json"
    data = {"digests": [json.loads(json.dumps(digest([paper]).to_json()))]}
    path.write_text(json.dumps(data).replace('"title": "?"', '"title": "\\ud800"'))
    before = read_digests(str(path)).digests[0]
    assert changes(before, digest([paper]), STORE) == ()
    assert [each.kind for each in changes(before, digest("bees"), STORE)] == ["changed"]


def test_a_paper_that_was_merged_is_the_same(tmp_path: Path) -> None:
    merged = replace(BY_ID["proof"], paper_id="proof2031", title="Weaving Lemmas")
    found = changes(old(tmp_path, "tide proof"), digest([BY_ID["tide"], merged]), {"proof2031"})
    detail = "id: proof → proof2031; title: none → Weaving Lemmas"
    assert told(found) == [("changed", "proof2031", detail)]


def test_papers_move_between_groups_not_with_them(tmp_path: Path) -> None:
    before = old(tmp_path, "tide grid bees cells grip", {"A": "tide grid bees", "B": "cells grip"})
    now = digest("cells grip bees tide grid", {"B2": "cells grip bees", "A": "tide grid"})
    assert told(changes(before, now, STORE)) == [("moved", "bees", "from “A” to “B2”")]
    assert "Groups that go by another name now: “B” → “B2”." in remarks(before, now)


def test_a_group_that_fell_apart_was_not_renamed(tmp_path: Path) -> None:
    before = old(tmp_path, "tide grid bees cells", {"A": "tide grid bees cells"})
    now = digest("tide grid bees cells", {"B": "tide grid", "C": "bees cells"})
    assert [each.paper_id for each in changes(before, now, STORE)] == ["bees", "cells"]
    assert not any("another name" in remark for remark in remarks(before, now))


def test_a_paper_may_move_to_another_group_of_the_same_name(tmp_path: Path) -> None:
    before = old(tmp_path, "tide grid bees cells", {"A": "tide grid bees", "B": "cells"})
    now = digest("tide grid bees cells", {"C": "tide grid", "A": "bees cells"})
    assert told(changes(before, now, STORE)) == [
        ("moved", "bees", "from “A” to another group called “A”")
    ]


def test_names_that_were_exchanged_move_nobody(tmp_path: Path) -> None:
    before = old(tmp_path, "tide grid bees cells", {"A": "tide grid", "B": "bees cells"})
    now = digest("tide grid bees cells", {"B": "tide grid", "A": "bees cells"})
    assert changes(before, now, STORE) == ()
    assert "Groups that go by another name now: “A” → “B”, “B” → “A”." in remarks(before, now)


@pytest.mark.parametrize("groups", [None, {"all": "tide grid bees cells"}])
def test_a_digest_that_lost_its_groups(tmp_path: Path, groups: dict[str, str] | None) -> None:
    """Where there are no groups nobody moves; what joins another group does."""
    before = old(tmp_path, "tide grid bees cells", {"A": "tide grid bees", "B": "cells"})
    found = changes(before, digest("tide grid bees cells", groups), STORE)
    assert told(found) == ([("moved", "cells", "from “B” to “all”")] if groups else [])


def test_another_way_of_making_is_told(tmp_path: Path) -> None:
    before = old(tmp_path, "tide", settings={"floor": 0.5})
    now = digest("tide", corpus="c2", engine="llm", model="m-1")
    (remark,) = remarks(before, now)
    assert remark.endswith(
        ": engine: extractive before, llm now; floor: 0.5 before, the default now; "
        "model: none before, m-1 now."
    )


def test_a_setting_that_is_given_now_had_its_default_before(tmp_path: Path) -> None:
    before = old(tmp_path, "tide", corpus="c2")
    (remark,) = remarks(before, digest("tide", settings={"floor": 0.1}))
    assert remark.endswith(": floor: the default before, 0.1 now.")


def test_remarks_are_few_and_short(tmp_path: Path) -> None:
    """However much is called or made otherwise."""
    ids = "tide grid bees cells grip leak prune".split()
    before = old(
        tmp_path,
        " ".join(ids),
        {f"old {id} {'x' * 500}": id for id in ids},
        topic="gauges",
        settings={f"s{n}": "x" * 500 for n in range(20)},
    )
    now = digest(" ".join(ids), {f"new {id}": id for id in ids})
    found = remarks(before, now)
    assert len(found) == 4
    assert sum("another name" in remark for remark in found) == 1
    assert all(len(remark) < 1_000 for remark in found)
    assert found[-1].endswith(", 2 more.")


def test_topics_are_found_by_their_words(tmp_path: Path) -> None:
    file = saved(tmp_path, digest("tide", topic="Sea Level"), digest("bees", topic="hives"))
    assert on_topic(file, "sea  level").entries[0].paper_id == "tide"
    with pytest.raises(SourceError, match="no digest on “robots”; it has “Sea Level”, “hives”"):
        compared(file, [digest("grip", topic="robots")], STORE, asked=True)


def test_topics_that_nobody_asked_for_are_found_by_their_papers(tmp_path: Path) -> None:
    file = saved(
        tmp_path,
        digest("tide grid leak", topic="grids and seas"),
        digest("bees cells", topic="animals"),
        digest("prune", topic="heads"),
    )
    first, second, third = compared(
        file,
        [
            digest("bees cells leak", topic="small things"),
            digest("tide grid", topic="grids and seas"),
            digest("proof", topic="lemmas"),
        ],
        STORE - {"prune"},
        asked=False,
    )
    assert told(first.changes or ()) == [("new", "leak", "was under the topic “grids and seas”")]
    assert "Compared with “animals”, the earlier topic nearest to it." in first.notes
    assert "Topics of the earlier file that are no more: “heads”." in first.notes
    assert told(second.changes or ()) == [("gone", "leak", "now under the topic “small things”")]
    assert told(third.changes or ()) == [("new", "proof", "not in the earlier digest")]


def test_a_file_without_digests_cannot_be_compared_with(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_text('{"statements": []}')
    with pytest.raises(SourceError, match="holds no digest"):
        read_digests(str(path))
