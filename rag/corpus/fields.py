"""A mapping of field names to values, as exports have them, becomes a record.

Knows the names that fields go by, in the languages that we met them in, and what they are wrapped
in; knows no file format.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import chain

from rag.corpus.identity import arxiv_of, doi_of
from rag.corpus.naming import in_force, squashed
from rag.corpus.record import NO_ABSTRACT, RawRecord, reject
from rag.corpus.values import (
    is_empty,
    list_of,
    names_of,
    prose_of,
    text_of,
    words_in_order,
    year_of,
)
from rag.types import Rejection

_NAMES: dict[str, tuple[str, ...]] = {
    field: tuple(names.split())
    for field, names in {
        "abstract": "abstract abstracts abstracttext abstractnote paperabstract abstracten"
        " englishabstract notesabstract originalabstract kurzfassung zusammenfassung résumé"
        " resume resumen resumo riassunto samenvatting sammanfattning streszczenie abstrakt özet"
        " аннотация реферат 摘要 中文摘要 英文摘要 要旨 要約 抄録 초록 summary text description"
        " dcdescription",
        "title": "title primarytitle articletitle papertitle documenttitle submissiontitle"
        " originaltitle translatedtitle displayname headline paper name titel titre título titulo"
        " titolo tytuł başlık название заглавие 标题 題名 题名 篇名 标题名称"
        " 论文标题 タイトル 제목",
        "id": "id uid paperid articleid submissionid forum openreviewid corpusid pmid"
        " accessionnumber eid utuniquewosid",
        "doi": "doi dois articledoi digitalobjectidentifier electronicresourcenum elocationid",
        "arxiv": "arxiv arxivid eprint",
        "url": "url urls link links site openreviewurl forumurl paperurl pageurl htmlurl"
        " landingpageurl sourceurl articleurl openurllink absurl abs entryid ee href pdf pdfurl"
        " pdflink downloadurl openaccesspdf identifier",
        "authors": "authors author authorlist authornames authorfullnames authorsfullname"
        " authorfullname contribgroup firstauthors authorstring authorships creators"
        " creator byline autoren autor auteurs auteur autores autori авторы автор 作者 著者 저자",
        "venue": "venue conference conferencename event eventtitle journal journalname"
        " journaltitle publication publicationname sourcetitle booktitle publicationtitle"
        " containertitle secondarytitle fulltitle isoabbreviation pubtitle journalbook"
        " journalref alternatetitle3 zeitschrift revue revista rivista журнал 期刊 刊名 会议",
        "year": "year publicationyear publishedyear yearpublished pubyear date published issued"
        " publishedat publishedprint publishedonline publicationdate datepublished pubdate"
        " coverdate dateissued pubdates created updated updatedate jahr année annee año ano"
        " anno год 年 年份 发表时间",
        "status": "status decision presentation presentationtype venueid",
        "area": "area primaryarea subjectarea primarycategory maincategory categories category"
        " topic primarytopic session track",
        "keywords": "keywords keyword authorkeywords manualtags tags subjects subject"
        " descriptors indexterms schlagwörter schlagworte motsclés palabrasclave palavraschave"
        " parolechiave ключевыеслова 关键词 关键字 キーワード 키워드",
    }.items()
}
"""Field → its names without spaces, marks and capitals, the plainest first."""

_WEAK = frozenset(("summary", "text", "description", "dcdescription"))
"""Names of an abstract that may as well say what a whole list is."""
_NESTS = frozenset(
    "content info paper article work row node data document record attributes fields bibjson"
    " metadata medlinecitation pubmeddata articleidlist externalids ids primarylocation titles"
    " dates contributors urls relatedurls titleinfo origininfo front articlemeta titlegroup dc"
    " oaidc arxiv arxivraw mods".split()
)
"""Names of objects that hold fields of the same record."""
_PERIODICALS = frozenset(
    "journal source periodical journalinfo journalissue journalmeta hostvenue relateditem".split()
)
"""Names of objects that say where it appeared."""
_PROSE = 25
"""Characters from which on a text under such a name is an abstract."""
_DEEPEST = 4
_PREFIX = re.compile(r"^(?:[a-z]{2,8}:|citation_(?=[a-z])|@)", re.IGNORECASE)
"""Of a name out of XML or a page's head: ``dc:title``, ``citation_title``."""
_ASIDE = re.compile(r"[(\[（].*?[)\]）]")
_COUNTER = re.compile(r"\d{1,5}")
"""An id that only counts the records of one file."""
_ARXIV = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?")
_ARXIV_AREA = re.compile(r"[a-z-]+(?:\.[A-Za-z-]+)?(?=(?:[ ,;]+[a-z-]+\.[A-Za-z-]+)+$)")
_CITATION = re.compile(r"([^()]{3,200}?) \(([12]\d{3})\)")
_PLACE = re.compile(r"(?:https?://|www\.|[\w-]+(?:\.[\w-]+)+/)\S+", re.IGNORECASE)
_OF_PAPER = re.compile(r"//(?:\w+\.)?(?:openreview\.net|arxiv\.org|(?:dx\.)?doi\.org)/")
_NO_AREA = frozenset(("main", "main track", "main conference"))


def record_from(fields: Mapping[str, object], line: int) -> RawRecord | Rejection:
    """The record that ``fields`` describe, or why they describe none.

    Names match whatever their case, spaces and marks. The abstract must be text or made of
    texts (its sentences, its parts); every other value of a wrong type is converted or ignored.
    Line 0 is for who only tries: that record's names are not remembered.
    """
    named = _named(fields)
    if line:
        in_force().meet(fields, named, _canonical)
    abstract = next(filter(None, map(prose_of, _values(named, "abstract"))), None)
    if abstract is None:
        return reject(line, _why_no_abstract(named, fields))
    url = _url(named)
    return RawRecord(
        line=line,
        abstract=abstract,
        id=_id(named, url),
        title=_first_text(named, "title"),
        url=url,
        doi=doi_of(*map(text_of, _values(named, "doi"))),
        arxiv=arxiv_of(*map(text_of, _values(named, "arxiv"))),
        authors=_first(names_of, named, "authors"),
        venue=_first_text(named, "venue"),
        year=next(filter(None, map(year_of, _values(named, "year"))), None),
        status=_first_text(named, "status"),
        area=_area(named),
        keywords=_first(list_of, named, "keywords"),
    )


def has_abstract(fields: Mapping[str, object], weak: bool = True) -> bool:
    """Whether there is one; without ``weak``, under a name that says so, and else long enough."""
    named = _named(fields)
    texts = ((name in _WEAK, prose_of(named.get(name)) or "") for name in _NAMES["abstract"])
    return any(weak and len(text) >= _PROSE if doubtful else text for doubtful, text in texts)


def is_like_record(fields: Mapping[str, object]) -> bool:
    """Whether what has no abstract is a paper all the same: a title and something else of one."""
    named = _named(fields)
    others = ("abstract", "authors", "doi", "arxiv", "keywords", "year", "venue")
    told = (name for field in others for name in _NAMES[field] if name in named)
    return _first_text(named, "title") is not None and any(told)


def field_of(name: str) -> str | None:
    """The field that goes by a name, also with an aside, "Title (en)", or a second name."""
    return _field(name[:200])


def knows(name: str) -> bool:
    """Whether some field goes by a name: by two or more such names a header is known."""
    return is_usual(name) or squashed(name) in in_force().told.values()


def is_usual(name: str) -> bool:
    """The same without what a person told of the file at hand."""
    return field_of(name) is not None


FIELDS = tuple(_NAMES)
"""Our fields, the abstract first."""


_FIELDS = {name: field for field, names in _NAMES.items() for name in names}


@lru_cache(maxsize=10_000)
def _field(name: str) -> str | None:
    return _FIELDS.get(_canonical(name))


@lru_cache(maxsize=10_000)
def _canonical(name: str) -> str:
    """The squashed name by which a field is known, if one is; else the squashed name."""
    bare = _PREFIX.sub("", name.strip())
    without = _ASIDE.sub("", bare)
    forms = chain((bare, without), re.split(r"[/|]", without))
    return next((short for form in forms if (short := squashed(form)) in _FIELDS), squashed(bare))


def _named(fields: Mapping[str, object], depth: int = 0) -> dict[str, object]:
    """Values by squashed name, also out of objects that hold fields of the same record, as
    OpenReview's ``content`` does. Of equal names the outer counts, then the first filled."""
    named: dict[str, object] = {}
    inner: list[dict[str, object]] = []
    told = frozenset(in_force().told.values())
    for name, value in fields.items():
        short = squashed(str(name)[:200])
        short = short if short in told else _canonical(str(name)[:200])
        if is_empty(named.get(short)):
            named[short] = value
        if isinstance(value, Mapping) and depth < _DEEPEST:
            if short in _NESTS:
                inner.append(_named(value, depth + 1))
            elif short in _PERIODICALS:
                inner.append(_appeared(value, depth + 1))
    inner.append(_cited(named.get("source")))
    if text := words_in_order(named.get("abstractinvertedindex")):
        named.setdefault("abstract", text)
    for short, value in chain.from_iterable(held.items() for held in inner):
        if is_empty(named.get(short)):
            named[short] = value
    # What CSL-JSON leaves to whoever wrote it, which is said more exactly there.
    custom = named.get("custom")
    return {**named, **_named(custom, depth + 1)} if isinstance(custom, Mapping) else named


def _cited(source: object) -> dict[str, object]:
    """The venue and year in one text, as Embase has them: "Journal (2014) 3:3 (152-160)…"."""
    found = _CITATION.match(text_of(source) or "")
    return {"venue": found[1], "year": found[2]} if found else {}


def _appeared(periodical: Mapping[str, object], depth: int) -> dict[str, object]:
    """The venue and year that a journal or conference as an object tells."""
    named = _named(periodical, depth)
    venue = _first_text(named, "venue") or _first_text(named, "title")
    return {"venue": venue, "year": next(_values(named, "year"), None)}


def _values(named: Mapping[str, object], field: str) -> Iterator[object]:
    """The values of a field, by any of its names, that are neither missing nor empty."""
    names = in_force()
    for name in names.names_of(field, _NAMES[field], named):
        if not is_empty(named.get(name)):
            names.take(field, name)
            yield named[name]


def _why_no_abstract(named: Mapping[str, object], fields: Mapping[str, object]) -> str:
    given = next((value for value in _values(named, "abstract") if text_of(value) is None), None)
    number = next((v for v in _values(named, "abstract") if isinstance(v, int | float)), None)
    if given is not None or number is not None:
        return f"the abstract is not text but {_json_type(given if number is None else number)}"
    filled = [name[:40] for name in _filled(fields)]
    more = f" and {len(filled) - _SHOWN} more" if len(filled) > _SHOWN else ""
    return f"{NO_ABSTRACT} (keys: {', '.join(filled[:_SHOWN]) or 'none'}{more})"


_SHOWN = 16


def _filled(fields: Mapping[str, object]) -> Iterator[str]:
    """The names of what is there, of an object that wraps them those in it."""
    for name, value in fields.items():
        if isinstance(value, Mapping) and squashed(str(name)) in _NESTS:
            yield from map(str, value)
        elif not is_empty(value):
            yield str(name)


def _json_type(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    names = {list: "a list", dict: "an object", int: "a number", float: "a number"}
    return names.get(type(value), "something else")


def _first_text(named: Mapping[str, object], field: str) -> str | None:
    return next(filter(None, map(text_of, _values(named, field))), None)


def _first(
    read: Callable[[object], tuple[str, ...]], named: Mapping[str, object], field: str
) -> tuple[str, ...]:
    return next(filter(None, map(read, _values(named, field))), ())


def _url(named: Mapping[str, object]) -> str | None:
    """The address that names the paper, else its DOI's or arXiv's, else any that is given."""
    given = [place[0] for value in _values(named, "url") if (place := _place(value))]
    forum = text_of(named.get("forum"))
    doi = doi_of(*map(text_of, _values(named, "doi")), *given)  # also one within an address
    made = (
        f"https://openreview.net/forum?id={forum}" if forum and " " not in forum else None,
        f"https://doi.org/{doi}" if doi else None,
        f"https://arxiv.org/abs/{arxiv}" if (arxiv := _found(_ARXIV, named, "arxiv")) else None,
    )
    of_paper = (url for url in given if _OF_PAPER.search(url))
    return next(filter(None, (*of_paper, *made, *given)), None)


def _place(value: object) -> re.Match[str] | None:
    first = value[0] if isinstance(value, list) and value else value
    return _PLACE.match(text_of(first) or "")


def _found(pattern: re.Pattern[str], named: Mapping[str, object], field: str) -> str | None:
    found = (pattern.search(text_of(value) or "") for value in _values(named, field))
    return next((match[0].rstrip(".,;") for match in found if match), None)


def _id(named: Mapping[str, object], url: str | None) -> str | None:
    """Its own id, unless it only counts the records of a file and an address says more."""
    given = _first_text(named, "id")
    return None if given and url and _COUNTER.fullmatch(given) else given


def _area(named: Mapping[str, object]) -> str | None:
    """Of several categories the first, which is the one that its authors chose."""
    for value in _values(named, "area"):
        area = text_of(value[0] if isinstance(value, list) else value) or ""
        if area and area.casefold() not in _NO_AREA:
            several = _ARXIV_AREA.match(area)
            return several[0] if several else area
    return None
