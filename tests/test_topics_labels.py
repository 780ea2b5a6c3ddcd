"""Names of topics: what a reader sees of class-based TF-IDF."""

from __future__ import annotations

from rag.topics.labels import label_topics
from rag.topics.phrases import Phrases

HARBOUR = [
    "Tide gauges (TG) fail in storms. A tide gauge sees the sea level of one harbour.",
    "We repair tide gauges from the sea level next door. Neural networks fill the gaps.",
    "Neural networks forecast the sea level. Every tide gauge helps.",
    "Cheap tide gauges agree on the sea level.",
]
HIVE = [
    "Honeybees dance. A camera reads the waggle dance of a hive with neural networks.",
    "The waggle dance of a Carniolan bee lasts longer.",
    "Does a Carniolan hive repeat its waggle dance? Neural networks count.",
    "Waggle dances point to Carniolan meadows.",
]
TEXTS = [*HARBOUR, *HIVE]
TOPICS = [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_a_label_is_what_sets_a_topic_apart_as_its_papers_write_it() -> None:
    harbour, hive = label_topics(TEXTS, TOPICS)
    assert harbour.name in ("Tide gauges", "Sea level")
    assert hive.name == "Waggle dance"
    assert not any("neural" in term.lower() for term in (*harbour.terms, *hive.terms))


def test_the_texts_that_have_the_name_back_it() -> None:
    texts = ["Waves of glass buoys.", "Nothing.", "Here are glass buoys.", "Glass buoys, again."]
    (label, _) = label_topics([*texts, *HIVE], [[0, 1, 2, 3], [4, 5, 6, 7]])
    assert label.name == "Glass buoys"
    assert label.backing == (0, 2, 3)


def test_words_to_avoid_name_nothing_by_themselves() -> None:
    plain, avoiding = (
        label_topics(HARBOUR + HIVE, TOPICS, avoid)[1] for avoid in ("", "waggle dances")
    )
    assert plain.name == "Waggle dance"
    assert "waggle dance" not in [avoiding.name.lower(), *map(str.lower, avoiding.terms)]


def test_no_topic_is_named_as_another() -> None:
    texts = [f"Soft robot hands grip fruit number {i}." for i in range(8)]
    names = [label.name for label in label_topics(texts, [[0, 1, 2, 3], [4, 5, 6, 7]])]
    assert "" in names or len(set(names)) == 2
    assert names[0] != names[1] or names == ["", ""]


def test_without_words_there_is_no_name() -> None:
    assert [
        label.name for label in label_topics(["", "1 2 3", "<b>", "of the"], [[0, 1], [2, 3]])
    ] == [
        "",
        "",
    ]


SHARED = [
    "Clients in hospitals keep records, for privacy; a federated server shares local updates.",
    "Communication with the server costs most where workers are clients of federated training.",
    "Heterogeneous clients drift apart. We let the federated server weigh their local updates.",
    "Aggregation on the server leaks privacy: federated clients hide what they send.",
]


def test_a_topic_that_its_field_knows_names_papers_that_say_it_otherwise() -> None:
    (label, _) = label_topics([*SHARED, *HIVE], TOPICS)
    assert label.name == "Federated learning"
    assert label.backing == (0, 1, 2, 3)
    assert not any("federated learning" in text.casefold() for text in SHARED)


def test_a_name_that_is_not_true_of_most_papers_says_so() -> None:
    others = [f"Lamp {word} burns." for word in ("amber", "bronze", "copper", "delft", "ebony")]
    texts = ["This is a glass buoy.", "Sink each glass buoy!", *others, *HIVE]
    (label, _) = label_topics(texts, [list(range(7)), [7, 8, 9, 10]])
    assert label.name == "Glass buoy and others"
    assert label.backing == (0, 1)


def test_two_phrases_name_what_neither_names_alone() -> None:
    lanterns = ["Paper lanterns glow.", "Red are paper lanterns.", "Hang paper lanterns."]
    kettles = ["Copper kettles sing.", "We heat copper kettles.", "Old are copper kettles."]
    rest = ["Ferns grow.", "Moss waits."]
    texts = [*lanterns, *kettles, *rest, *HIVE]
    (label, _) = label_topics(texts, [list(range(8)), [8, 9, 10, 11]])
    assert label.name == "Copper kettles and paper lanterns"


def test_a_compound_that_is_only_an_adjective_names_nothing() -> None:
    texts = [f"It is knee-deep {word} here, and {word} is knee-deep." for word in "abcd"]
    (label, _) = label_topics([*texts, *HIVE], TOPICS)
    assert "knee-deep" not in label.name.casefold()


def test_long_forms_are_in_small_letters() -> None:
    phrases = Phrases(["A Rotary Positional Embedding (RPE) turns.", "With RPE, it is rotary."])
    assert "rotary positional embedding" in {phrases.spelt(p) for p in phrases.of_text[0]}


def test_dashes_are_hyphens() -> None:
    (found,) = Phrases(["Sand–wind models."]).of_text
    assert "Sand-wind models" in found.values()


def test_abbreviations_count_as_what_they_stand_for() -> None:
    phrases = Phrases(["What salt marsh restoration (SMR) is.", "We speed up SMR.", "SMR pays."])
    (key,) = set(phrases.of_text[1]) & set(phrases.of_text[2])
    assert key in phrases.of_text[0]
    assert phrases.spelt(key) == "salt marsh restoration"


def test_capitals_stay_where_words_need_them() -> None:
    texts = [
        "Gaussian Beacons: A Survey",
        "We place Gaussian beacons at sea, and each of the beacons is Gaussian.",
        "Gaussian beacons blink.",
    ]
    phrases = Phrases(texts)
    shared = set.intersection(*(set(found) for found in phrases.of_text))
    assert "Gaussian beacons" in {phrases.spelt(phrase) for phrase in shared}


def test_verbs_adverbs_and_addresses_are_in_no_phrase() -> None:
    (found,) = Phrases(
        ["We significantly improve lamps, see https://example.org/very/long/path"]
    ).of_text
    assert set(found.values()) == {"lamps"}


def test_nouns_made_of_verbs_are() -> None:
    (found,) = Phrases(["It improves robustness."]).of_text
    assert list(found.values()) == ["robustness"]
