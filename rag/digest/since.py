"""What has become of a topic since an earlier digest of it.

Papers are the same by id or, where an id is gone, by the earlier quotes standing in their text:
an abstract that has met its titled record goes by another id. Groups, and topics that nobody
asked for, are the same by their papers, not by their names, so a new name alone moves nobody.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace
from functools import cached_property

from rag.digest.saved import FACTS, Saved, SavedDigest, SavedEntry, canonical
from rag.errors import SourceError
from rag.types import Change, Digest, Entry, Group

MOST = 5
"""Topics, groups or settings that a remark names, and"""
LONGEST = 80
"""characters shown of each: the file may hold anything."""

Topics = Mapping[str, str]
"""The topic of each paper_id, where every paper is under one."""


def compared(
    saved: Saved, digests: Sequence[Digest], store_ids: Collection[str], *, asked: bool
) -> list[Digest]:
    """The digests with what has changed since a saved file, and with remarks on that.

    Topics that were ``asked`` for are found by their words; SourceError for one that the file
    does not have. Of others the earlier digest is the one with the most papers in common.
    """
    if asked:
        return [_since(on_topic(saved, new.topic), new, store_ids) for new in digests]
    before = [{entry.paper_id for entry in old.entries} for old in saved.digests]
    now = [{entry.paper.paper_id for entry in new.entries} for new in digests]
    pairs = {j: i for i, j in _paired(before, now).items()}
    was = {entry.paper_id: old.topic for old in saved.digests for entry in old.entries}
    is_now = {entry.paper.paper_id: new.topic for new in digests for entry in new.entries}
    found = []
    for j, new in enumerate(digests):
        old = saved.digests[pairs[j]] if j in pairs else SavedDigest(new.topic)
        found.append(_since(old, new, store_ids, was, is_now))
    lost = [old.topic for i, old in enumerate(saved.digests) if i not in pairs.values()]
    if lost and found:
        told = f"Topics of the earlier file that are no more: {_listed(lost)}."
        found[0] = replace(found[0], notes=(*found[0].notes, told))
    return found


def on_topic(saved: Saved, topic: str) -> SavedDigest:
    """The saved digest on a topic; SourceError, naming those that there are, if it has none."""
    for old in saved.digests:
        if _plain(old.topic) == _plain(topic):
            return old
    known = _listed([old.topic for old in saved.digests])
    message = f"{saved.path} has no digest on “{topic}”; it has {known or 'none at all'}."
    raise SourceError(message, "ask for a topic that it has, or leave out --since")


def changes(
    old: SavedDigest,
    new: Digest,
    store_ids: Collection[str],
    was: Topics | None = None,
    is_now: Topics | None = None,
) -> tuple[Change, ...]:
    """What is new, gone, changed and moved, in this order and each in that of its digest.

    ``store_ids`` are the papers of today's index. ``was`` and ``is_now`` tell under which topic
    a paper was and is, for those that have come from another or gone there.
    """
    pairing = _Pairing(old, new)
    return (
        *_new(pairing, was or {}),
        *_gone(pairing, store_ids, is_now or {}),
        *_changed(pairing),
        *_moved(pairing),
    )


def remarks(old: SavedDigest, new: Digest) -> tuple[str, ...]:
    """What a reader of the changes should know, a sentence each: what else the two were made
    from, and what only goes by another name."""
    told = [*_made_otherwise(old.made_from, new)]
    if _plain(old.topic) != _plain(new.topic):
        told.append(f"Compared with “{_short(old.topic)}”, the earlier topic nearest to it.")
    renamed = [f"“{_short(was)}” → “{_short(now)}”" for was, now in _Pairing(old, new).renamed]
    if renamed:
        told.append(f"Groups that go by another name now: {_some(renamed)}.")
    return tuple(told)


@dataclass(frozen=True)
class _Pairing:
    """Which papers and groups of two digests are the same."""

    old: SavedDigest
    new: Digest

    @cached_property
    def papers(self) -> dict[str, Entry]:
        """The entry now of each earlier paper_id that has one."""
        now = {entry.paper.paper_id: entry for entry in self.new.entries}
        pairs = {e.paper_id: now[e.paper_id] for e in self.old.entries if e.paper_id in now}
        free = {i: _plain(now[i].paper.text) for i in now if i not in pairs}
        for entry in self.old.entries:
            same = None if entry.paper_id in pairs else _holding(entry.quotes, free)
            if same:
                pairs[entry.paper_id] = now[same]
                del free[same]
        return pairs

    @cached_property
    def entries(self) -> list[tuple[SavedEntry, Entry]]:
        """What there was and is of each paper in both, in the new order."""
        before = {self._today(entry.paper_id): entry for entry in self.old.entries}
        ids = [(entry.paper.paper_id, entry) for entry in self.new.entries]
        return [(before[paper_id], entry) for paper_id, entry in ids if paper_id in before]

    @cached_property
    def groups(self) -> dict[int, int]:
        """The group now, by index, of each earlier one that has one."""
        return _paired(*self._members)

    @property
    def renamed(self) -> Iterator[tuple[str, str]]:
        """The names, then and now, of groups that are mostly the same under another one."""
        before, now = self._members
        for i, j in self.groups.items():
            names = self.old.groups[i].name, self.new.groups[j].name
            if names[0] != names[1] and 2 * len(before[i] & now[j]) > len(before[i] | now[j]):
                yield names

    @cached_property
    def _members(self) -> tuple[list[set[str]], list[set[str]]]:
        """The papers of each earlier group and of each now, all by what they go by now."""
        before = [{self._today(each) for each in group.paper_ids} for group in self.old.groups]
        return before, [set(group.paper_ids) for group in self.new.groups]

    def _today(self, paper_id: str) -> str:
        """What a paper goes by now."""
        entry = self.papers.get(paper_id)
        return entry.paper.paper_id if entry else paper_id


def _paired(before: Sequence[Set[str]], now: Sequence[Set[str]]) -> dict[int, int]:
    """Which set of now each earlier one has become, by index: those with the most in common
    first, of these the ones with the least else; ties in their order."""
    alike = sorted(
        (-len(earlier & later), len(earlier | later), i, j)
        for i, earlier in enumerate(before)
        for j, later in enumerate(now)
        if earlier & later
    )
    pairs: dict[int, int] = {}
    for _, _, i, j in alike:
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    return pairs


def _holding(quotes: Sequence[str], texts: Mapping[str, str]) -> str | None:
    """The id of the first of some plain texts in which all quotes stand."""
    plain = [_plain(quote) for quote in quotes if quote.strip()]
    holding = (i for i, text in texts.items() if all(quote in text for quote in plain))
    return next(holding, None) if plain else None


def _since(
    old: SavedDigest,
    new: Digest,
    store_ids: Collection[str],
    was: Topics | None = None,
    is_now: Topics | None = None,
) -> Digest:
    found = changes(old, new, store_ids, was, is_now)
    return replace(new, changes=found, notes=(*new.notes, *remarks(old, new)))


def _new(pairing: _Pairing, was: Topics) -> Iterator[Change]:
    known = {entry.paper.paper_id for entry in pairing.papers.values()}
    for paper in (entry.paper for entry in pairing.new.entries):
        if paper.paper_id in known:
            continue
        detail = "not in the earlier digest"
        if paper.paper_id in pairing.old.omitted:
            detail = f"left out before: {pairing.old.omitted[paper.paper_id]}"
        elif paper.paper_id in was:
            detail = f"was under the topic “{was[paper.paper_id]}”"
        yield Change(paper.paper_id, paper.name, "new", detail)


def _gone(pairing: _Pairing, store_ids: Collection[str], is_now: Topics) -> Iterator[Change]:
    omitted = {omission.paper_id: omission.reason for omission in pairing.new.omitted}
    for entry in pairing.old.entries:
        if entry.paper_id in pairing.papers:
            continue
        detail = "no longer in the index"
        if entry.paper_id in omitted:
            detail = f"left out now: {omitted[entry.paper_id]}"
        elif entry.paper_id in is_now:
            detail = f"now under the topic “{is_now[entry.paper_id]}”"
        elif entry.paper_id in store_ids:
            detail = "still in the index, but no longer on the topic"
        yield Change(entry.paper_id, entry.name, "gone", detail)


def _changed(pairing: _Pairing) -> Iterator[Change]:
    for before, now in pairing.entries:
        detail = "; ".join(_differences(before, now))
        if detail:
            yield Change(now.paper.paper_id, now.paper.name, "changed", detail)


def _differences(before: SavedEntry, now: Entry) -> Iterator[str]:
    if before.paper_id != now.paper.paper_id:
        yield f"id: {before.paper_id} → {now.paper.paper_id}"
    for name in FACTS:
        known = getattr(now.paper, name)
        value = None if known is None else str(known)
        if before.facts.get(name, value) != value:
            yield f"{name}: {before.facts[name] or 'none'} → {value or 'none'}"
    if before.text_hash == _hash_under(before.facts.get("title", now.paper.title), now):
        return
    if not all(_stands(quote, now) for quote in before.quotes):
        yield "text: words that were quoted are no longer in the abstract"
    elif before.text_hash:
        yield "text: the abstract was rewritten around what was quoted"


def _hash_under(title: str | None, entry: Entry) -> str:
    """The hash of an abstract with another title, which it covers too."""
    return replace(entry.paper, title=title).text_hash


def _moved(pairing: _Pairing) -> Iterator[Change]:
    old, new = pairing.old.groups, pairing.new.groups
    before, now = _group_of(old), _group_of(new)
    for earlier, entry in pairing.entries:
        paper = entry.paper
        i, j = before.get(earlier.paper_id), now.get(paper.paper_id)
        if i is not None and j is not None and pairing.groups.get(i) != j:
            other = "another group called " if old[i].name == new[j].name else ""
            detail = f"from “{old[i].name}” to {other}“{new[j].name}”"
            yield Change(paper.paper_id, paper.name, "moved", detail)


def _group_of(groups: Sequence[Group]) -> dict[str, int]:
    return {paper_id: i for i, group in enumerate(groups) for paper_id in group.paper_ids}


def _made_otherwise(before: Mapping[str, str], new: Digest) -> Iterator[str]:
    """In what else the two differ than in their papers, and if there the index does not."""
    made = asdict(new.made_from)
    settings = made.pop("settings")
    now = canonical({**settings, **made})
    names = sorted({*before, *now} - {"corpus"})
    differing = [name for name in names if before.get(name) != now.get(name)]
    if before and differing:
        told = []
        for name in differing:
            absent = "none" if name in made else "the default"
            was, is_now = (_value(values.get(name), absent) for values in (before, now))
            told.append(f"{name}: {was} before, {is_now} now")
        yield f"Differences may come from how the digests were made: {_some(told, '; ')}."
    if before.get("corpus") == now["corpus"]:
        yield "The index has not changed since the earlier digest."


def _value(value: str | None, absent: str) -> str:
    """A value of canonical JSON as it is read; ``absent`` for one that was not given."""
    return absent if value in (None, "null", "[]") else _short(value.strip('"'))


def _listed(names: Sequence[str]) -> str:
    return _some([f"“{_short(name)}”" for name in names])


def _some(told: Sequence[str], between: str = ", ") -> str:
    """The first MOST of what is told, and how many more there are."""
    more = [f"{len(told) - MOST:,} more"] if len(told) > MOST else []
    return between.join([*told[:MOST], *more])


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _stands(quote: str, entry: Entry) -> bool:
    """Whether words stand in an abstract, however they are spaced."""
    return _plain(quote) in _plain(entry.paper.text)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
