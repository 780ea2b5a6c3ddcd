"""The page of digests as text: what stands on it, and that it is the same every time."""

from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from rag.publish.html import digest_page, pieces
from rag.types import Atlas, OpenEnd
from tests.digests import atlas, empty, hostile, large, living, machines

DIGESTS = [machines(), living(), empty()]
PAGE = digest_page(DIGESTS, atlas(DIGESTS))


def test_every_link_leads_somewhere_on_the_page_or_to_the_web() -> None:
    ids = re.findall(r'\bid="([^"]+)"', PAGE)
    assert len(ids) == len(set(ids))
    links = re.findall(r'\bhref="([^"]+)"', PAGE)
    assert {link for link in links if not link.startswith("#")} == {"https://example.org/tide"}
    assert {link[1:] for link in links if link.startswith("#")} <= set(ids)


def test_links_to_the_web_tell_it_nothing() -> None:
    outward = re.findall(r'<a [^>]*href="http[^>]*>', PAGE)
    assert outward and all('rel="noopener noreferrer"' in link for link in outward)


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "file:///etc", "http:"])
def test_only_addresses_of_the_web_become_links(url: str) -> None:
    assert f'href="{url}' not in digest_page([hostile(url)], atlas())


def test_each_abstract_stands_there_once_with_all_its_quotes() -> None:
    assert PAGE.count("We present") == 1
    abstract = re.search(r"<p class=\"abstract\">(.*neighbouring harbours.*)</p>", PAGE)
    assert abstract
    assert re.findall("<mark>(.*?)</mark>", abstract[1]) == [
        "Coastal gauges fail during storms",
        "a graph network that fills",
        "the error of the water level from 9.4 cm to",
    ]


def test_what_is_not_stated_is_told_by_numbers_that_lead_to_this_digest() -> None:
    digest = large(12)
    ids = tuple(entry.paper.paper_id for entry in digest.entries)
    some, many = OpenEnd("Which bees", ids[:2]), OpenEnd("Which year", ids)
    page = digest_page([digest, replace(digest, open_ends=(some, many))], atlas([digest]))
    (bees, year) = re.findall(r"<li>Which.*</li>", page)
    assert re.findall(r'href="#(d2-\d+)".*?>(\[\d+\])<', bees) == [("d2-1", "[1]"), ("d2-2", "[2]")]
    assert bees.endswith("[2]</a></span></li>")
    assert year.endswith("[10]</a> and 2 others</span></li>")


def test_a_long_table_of_figures_is_folded() -> None:
    (finding, _) = machines().findings
    page = digest_page([replace(machines(), findings=(finding,) * 21)], atlas())
    assert "<summary>21 figures</summary>" in page
    assert 'class="quote"' not in page
    assert "figures</summary>" not in PAGE
    assert PAGE.count('<td class="quote">') == 2


def test_what_is_not_carried_by_its_quotes_is_marked() -> None:
    marked = re.findall(r"<p[^>]*>([^<]*)<[^\n]*not supported by its quotes", PAGE)
    assert marked == ["All of them are cheap.", "LemmaLoom never fails."]


def test_all_parts_of_a_digest_are_there() -> None:
    for text in (
        "4 of 8 papers are on this topic; 3 more come near.",
        "One line was written anew.",
        "from Weather to Structure",
        "heads · test set",
        "goals closed",
        "Whether code is public",
        "only near the topic",
        "and 2 more",
        "c0ffee12",
        "None of 8 papers is on this topic.",
    ):
        assert text in PAGE


def test_the_policy_lets_only_this_script_run() -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', PAGE)
    script = re.search(r"<script>(.*)</script>", PAGE, re.DOTALL)
    assert policy and script
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert "default-src 'none'" in policy[1]
    assert f"script-src 'sha256-{digest}';" in policy[1]


def test_a_page_without_papers_has_no_pictures() -> None:
    page = digest_page([empty()], atlas([empty()]))
    assert "<figure" not in page
    assert 'href="#abstracts"' not in page


def test_papers_of_one_topic_have_no_map() -> None:
    page = digest_page([living()], Atlas(("Sensing",), atlas([living()]).points))
    assert "<figure" not in page


def test_a_remark_stands_under_the_title_as_text() -> None:
    page = digest_page([living()], atlas(), remark="All <b>invented</b>.")
    assert '<p class="remark">All &lt;b&gt;invented&lt;/b&gt;.</p>' in page
    assert 'class="remark"' not in PAGE


def test_the_same_digests_make_the_same_page_in_another_process() -> None:
    script = "import sys, tests.test_publish_html as t; sys.stdout.buffer.write(t.PAGE.encode())"
    again = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert again.stdout.decode() == PAGE


def test_a_conference_makes_a_page_quickly() -> None:
    digest = large(4_000)
    start = time.monotonic()
    page = digest_page([digest], atlas([digest]))
    assert time.monotonic() - start < 5
    assert len(page.encode()) < 8_000_000


def test_pieces_of_a_text_where_spans_overlap_or_lie_at_its_ends() -> None:
    assert pieces("abcdef", [(0, 2), (1, 3), (5, 6)]) == [
        ("a", True),
        ("b", True),
        ("c", True),
        ("de", False),
        ("f", True),
    ]
    assert pieces("abc", []) == [("abc", False)]
    assert pieces("", []) == []
