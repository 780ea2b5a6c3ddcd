"""The pictures of an atlas as SVG and PNG."""

from __future__ import annotations

import random
import re
from itertools import combinations
from xml.etree import ElementTree

import pytest

from rag.errors import ConfigError
from rag.publish import png as png_module
from rag.publish.assets import asset
from rag.publish.figures import map_svg, plot_svg, sizes_svg, trends_svg
from rag.publish.png import png
from rag.publish.svg import cut, width
from rag.publish.topic_map import HEIGHT, WIDTH, labels, shape
from rag.types import Atlas, Point, Trend
from tests.digests import EVIL, atlas, hostile

SVG = "{http://www.w3.org/2000/svg}"


def crowd(topics: int, papers: int) -> Atlas:
    """Topics that lie across each other."""
    draw = random.Random(7)
    middles = [(draw.random(), draw.random()) for _ in range(topics)]
    points = [
        Point(
            f"p{n}",
            f"Paper {n}",
            "It does.",
            n % topics,
            *(middle + draw.gauss(0, 0.08) for middle in middles[n % topics]),
        )
        for n in range(papers)
    ]
    return Atlas(tuple(f"Topic {n} with a name of words" for n in range(topics)), tuple(points))


def texts(svg: str) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_a_plot_has_every_paper_and_every_topic() -> None:
    root = ElementTree.fromstring(plot_svg(crowd(5, 60)))
    hints = [node.text for node in root.iter(f"{SVG}title")]
    assert "Paper 7\nIt does." in hints
    assert "Topic 3 with a name of words: 12 papers" in hints
    assert len(hints) == 65


def test_names_of_topics_keep_apart_and_stay_on_the_map() -> None:
    found = labels(crowd(24, 400))
    assert len(found) >= 20
    assert not any(one.overlaps(other) for one, other in combinations(found, 2))
    for label in found:
        assert label.width / 2 <= label.x <= WIDTH - label.width / 2
        assert label.height / 2 <= label.y <= HEIGHT - label.height / 2


def test_names_hide_no_paper_where_there_is_room() -> None:
    found = crowd(4, 40)
    spots = [
        (26 + point.x * (WIDTH - 52), 26 + (1 - point.y) * (HEIGHT - 52)) for point in found.points
    ]
    placed = labels(found)
    assert len(placed) == 4
    for label in placed:
        for x, y in spots:
            inside = abs(x - label.x) < label.width / 2 and abs(y - label.y) < label.height / 2
            assert not inside


def test_a_long_name_has_two_lines_before_it_is_cut() -> None:
    points = (Point("a", "", "", 0, 0.5, 0.5), Point("b", "", "", 1, 0.1, 0.5))
    long, longer = "Generalizable reasoning and fine-tuning", "Very long names of a topic " * 9
    two, cut_short = labels(Atlas((long, longer), points))
    assert two.lines == ("Generalizable reasoning", "and fine-tuning")
    assert len(cut_short.lines) == 2 and cut_short.lines[1].endswith("…")


def test_topics_are_listed_in_their_order_with_whole_names() -> None:
    names = ("Few", "Many of them", "Mathematical reasoning and policy optimization")
    found = texts(sizes_svg(Atlas(names, (), sizes=(2, 30, 7))))
    assert found == [
        "Papers in each topic",
        "1",
        names[0],
        "2",
        "2",
        names[1],
        "30",
        "3",
        names[2],
        "7",
    ]


def test_a_name_is_where_its_topic_is_at_home_not_between_its_parts() -> None:
    """Nine papers together and four far away: the mean of all would lie among neither."""
    near = [Point(f"a{n}", "", "", 0, 0.1 + n / 300, 0.1) for n in range(9)]
    far = [Point(f"b{n}", "", "", 0, 0.9, 0.9) for n in range(4)]
    (label,) = labels(Atlas(("One",), (*near, *far)))
    assert label.x < WIDTH * 0.3 and label.y > HEIGHT * 0.7


def test_thirty_two_topics_look_different() -> None:
    looks = set()
    for topic in range(32):
        parent = ElementTree.Element("g")
        mark = shape(parent, topic, 0, 0, 10)
        looks.add((topic % 8, mark.get("points")))
    assert len(looks) == 32


def luminance(colour: str) -> float:
    """As WCAG has it, of #rrggbb."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return sum(w * v for w, v in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_every_hue_stands_out_from_its_ground(scheme: int) -> None:
    style = asset("figures.css").split("@media screen")[scheme]
    found = re.search(r"\.ground \{ fill: (#\w+)", style)
    assert found
    ground = luminance(found[1])
    hues = re.findall(r"\.hue\d \{ fill: (#\w+)", style)
    assert len(set(hues)) == 8
    for hue in map(luminance, hues):
        assert (max(hue, ground) + 0.05) / (min(hue, ground) + 0.05) >= 3


def test_trends_are_shares_by_year_and_bars_by_venue() -> None:
    found = atlas()
    assert trends_svg(Atlas(found.topics, found.points)) == ""
    assert {"language models", "2029: 10%", "2031: 10%"} <= set(texts(trends_svg(found)))
    by_venue = Atlas((), (), "venue", (Trend("bees", (("Toy A", 1, 4), ("Toy B", 0, 0))),))
    assert {"A", "25%", "B", "0%"} <= set(texts(trends_svg(by_venue)))


def test_a_text_is_cut_to_its_room_however_long_it_is() -> None:
    assert cut("graph", 10, 100) == "graph"
    assert cut("graph  networks\n", 10, 60) == "graph netw…"
    assert width(cut("m" * 1_000_000, 10, 60), 10) <= 60
    assert cut("wide", 10, 0) == "…"


def test_hostile_texts_make_whole_pictures_that_hold_no_more_than_shapes() -> None:
    for svg in (plot_svg(atlas([hostile()])), plot_svg(Atlas(tuple(EVIL), ()))):
        known = {"svg", "style", "g", "rect", "circle", "polygon", "line", "polyline"}
        tags = {node.tag.removeprefix(SVG) for node in ElementTree.fromstring(svg).iter()}
        assert tags <= known | {"text", "title"}


def test_pictures_of_nothing_are_empty_not_errors() -> None:
    nothing = Atlas((), ())
    assert labels(nothing) == []
    for svg in (map_svg(nothing), sizes_svg(nothing), plot_svg(nothing)):
        ElementTree.fromstring(svg)


def test_png_draws_text_with_the_font_that_comes_along() -> None:
    pytest.importorskip("resvg_py", reason="PNG needs the extra rag[png]")
    pytest.importorskip("font_source_sans_pro", reason="PNG needs the extra rag[png]")
    svg = sizes_svg(crowd(3, 9))
    drawn = png(svg)
    assert drawn.startswith(b"\x89PNG")
    assert drawn == png(svg)
    assert len(drawn) > len(png(svg.replace("<text", "<desc").replace("</text", "</desc"))) + 500


def test_png_without_its_libraries_says_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(png_module, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match="resvg_py and font_source_sans_pro") as caught:
        png("<svg/>")
    assert "pip install 'rag[png]'" in caught.value.fix
