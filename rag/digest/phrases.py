"""The phrases of a text that can be its subject: "offline reinforcement learning", "entropy".

Knows which words papers use whatever they are about; needs no tagger and no corpus.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import groupby
from math import inf

from rag.retrieve.terms import STOP_WORDS, stem

LONGEST = 3
"""Words of a phrase."""
WIDER = 0.7
"""Share of the papers with a phrase that must have a longer one for that to take its place."""
MAX_CHARS = 20_000
"""Of a text; what follows is not read."""

IDLE = frozenset(
    """
    abilities ability able absence access account accurate achievable achieve achieved achieves
    achieving across act adapt adapted adapting adapts add adding addition additional additionally
    address addressed addresses addressing adopt adopted advance advanced advancement advancements
    advances advancing advantage advantages affect aim aims al allow allowing allows along
    alternative amid among amount analyses analyze analyzing anonymous answer any applicability
    application applications applied apply applying approach approaches appropriate argue arise
    arises art assess assessing associated assume assumption assumptions attempt available average
    avoid avoiding aware balance balancing base based baseline baselines basis behavior benchmark
    benchmarks benefit benefits best better beyond big both bottleneck bring broad broader build
    building builds built called can candidate capabilities capability capable capture captured
    captures capturing carefully case cases cause challenge challenges challenging change changes
    choice choices choose class classes clear close code collect collected combination combine
    combined combines combining common compact comparable compare compared comparing comparison
    compatible competitive complementary complete complex complexity component components
    comprehensive comprise comprises comprising concept concepts condition conditions conduct
    conducted confirm consider considered consist consistent consistently consists constant
    construct constructed constructing contain containing contains contribute contribution
    contributions core correct corresponding cost costly costs create created creates creating
    critical crucial current dataset datasets deal define defined degree deliver delivers demand
    demands demonstrate demonstrated demonstrates demonstrating depend depends deploy deployed
    deployment derive derived derives design designed designing designs desirable despite detail
    detailed details determine develop developed developing development develops difference
    differences different difficult difficulty direct direction directions discover distinct
    diverse diversity domain domains dominant downstream drive driven drop due e.g each easily easy
    effect effective effectiveness effects efficacy efficiency efficient effort efforts elements
    eliminate eliminates emerge emerged emerging empirical employ employed employing employs enable
    enabled enables enabling encourage encourages end enhance enhanced enhances enhancing ensure
    ensures ensuring entire essential establish established establishes estimate et evaluate
    evaluated evaluates evaluating evaluation evaluations every evidence example examples exceed
    exceeds excel exist existing exists expensive experiment experimental experiments explain
    exploit explore explored explores exploring extend extended extending extends extensive extent
    extract face faces facilitate factor factors fail failing fails far fast faster favorable
    feature features field fields final find finding findings finds first five flexible focus
    focuses focusing follow followed following form formal formulate formulation found foundation
    four framework frameworks free full fully function functions fundamental future gain gains gap
    gaps general generalises generalize generalizes generally generated generating generic give
    given gives goal goals good great greater group guide guides handle handling hard help helps
    high higher highest highlight highlighting highlights highly hold holds i.e idea ideas
    identified identifies identify identifying impact implement implementation implicit importance
    important impressive improve improved improvement improvements improves improving include
    included includes including incorporate incorporates incorporating increase increased increases
    increasing increasingly indicate individual infer inform inherent initial innovative input
    inputs insight insights inspired instance instances integral integrate integrated integrates
    integrating interest introduce introduced introduces introducing investigate investigates issue
    issues key know known lack large-scale largely largest late lead leading leads learn learned
    learns learnt leave level leverage leveraged leverages leveraging like limit limitation
    limitations limited limiting limits line literature little long longer low lower main maintain
    maintaining maintains major make makes making manner many match matches matching mean means
    measure measures mechanism mechanisms meet method methodology methods metric metrics minimal
    mitigate mitigates model-agnostic modern modifying module modules most motivated multiple
    natural naturally nature necessary need needed needs new non notable note novel number
    objective objectives observation observations observe observed obtain obtained offer offering
    offers one open open-source open-sourced opportunity optimal order original outcome outcomes
    outperform outperformed outperforming outperforms output outputs overcome overhead overlooked
    overview page paper papers paradigm paradigms part particular path per perform performance
    performed performing performs perspective phase phenomenon pipeline pipelines plausible point
    points poor popular possible potential power powerful practical practice precise predefined
    predict present presented presenting presents preserve preserves preserving prevent previous
    primary principle principled principles prior problem problems procedure process processes
    produce produced produces producing progress project promise promising promote propose proposed
    proposes proposing prove proven provide provided provides providing public publicly purpose put
    quality question questions range rank rapid rate rates reach reaches real real-world realistic
    recent recently reduce reduced reduces reducing reduction related relative release relevant
    reliable rely relying remain remains remarkable report represent represents require required
    requirement requirements requires requiring research researchers resolve respect respectively
    result resulting results reveal revealing reveals rich rise robust robustness role root run
    scalability scalable scale scales scaling scenario scenarios scheme scope second section see
    seek select selected separate serve serves set sets setting settings several shape share shared
    short show showing shown shows significance significant significantly similar simple simply
    single situation six size sizes small smaller solution solutions solve solves solving sota
    source space spaces span spanning specific specifically stage stages standard start
    state-of-the-art step steps strategies strategy strength strengths strong stronger structure
    structured structures struggle studied studies study studying subject subset substantial
    substantially success successful successfully suffer suffers suggest suggests suitable suite
    superior superiority support supported supporting supports surpass surpasses surpassing
    systematic systematically tackle tackles tailor tailored take takes target targets task tasks
    technique techniques tend term terms test tested tests theoretical third three time tool tools
    total toward towards trade-off trade-offs traditional train trained transform treat trend try
    two two-stage type types typical typically underexplored underlying underscore underscores
    underscoring understand understanding unified unifies unify unique unlock unseen usage use used
    useful user users uses using utility utilize utilizes utilizing valid validate validated
    validation valuable value values variant variants variety various vary varying verify versatile
    versus via viable view while wide widely within without work works world yield yielding yields
    """.split()
)
"""Words that no phrase holds: what papers say whatever they are about."""
LONELY = frozenset(
    """
    accuracy action actions adaptive agent agents algorithm algorithms alignment analysis answers
    architecture architectures attack attacks attention content context contexts data decision
    decisions deep distribution distributions dynamic dynamics environment environments error
    errors estimation explicit family feedback fine-grained fine-tuning generalization generation
    generative global gradient gradients high-quality human humans image images inference
    information instruction interaction interactions knowledge label labels language large latent
    layer layers learning level levels linear local loss machine map mapping model modeling models
    multi network networks neural noise object objects online optimization pairs parameter
    parameters pattern patterns policies policy pre-trained prediction predictions preference
    preferences pretrained prompt prompts properties property reasoning representation
    representations response responses reward rewards sample samples sampling score scores search
    selection semantic sequence sequences signal signals small supervised supervision system
    systems temporal text theory token tokens training update updates video vision visual
    """.split()
)
"""Words that say something in company only: "language models", but not "models"."""

ALIASES = {
    "llm": "large language model",
    "llms": "large language model",
    "slm": "small language model",
    "slms": "small language model",
    "vlm": "vision-language model",
    "vlms": "vision-language model",
    "lvlm": "large vision-language model",
    "lvlms": "large vision-language model",
    "mllm": "multimodal large language model",
    "mllms": "multimodal large language model",
    "rl": "reinforcement learning",
    "rlvr": "reinforcement learning with verifiable rewards",
    "gnn": "graph neural network",
    "gnns": "graph neural network",
    "cot": "chain of thought",
    "moe": "mixture of experts",
    "kg": "knowledge graph",
    "kgs": "knowledge graph",
}
"""Abbreviations that papers use without saying what they stand for."""

_ADJECTIVE = re.compile(
    r"(?:(?:[aei]ble|[ai]c|al|ive|ous|ful|less|ed|ar|ier|est|ward|-\w+)|['’]s)$|-(?:to|of|and)-"
)
_NOUN = re.compile(
    r".(?:ion|ity|ness|ment|[ae]nce|[ae]ncy|ism|ship|logy|graphy|ysis|opy|acy|ery|ety|ergy|etry|ory|"
    r"ing|[^ius]s|graph|speech)$"
)
_VERB = re.compile(r"(?:[iy][sz]es|ifies|[cr]ates|ucts|ends|ains|ses)$")
_ANY_NOUN = frozenset("signal goal proposal retrieval removal logic topic critic metric".split())
"""Nouns that end like adjectives."""
_ENDS_IN_S = re.compile(r"[^\Wius]s$")
_COUNTABLE = re.compile(
    r"\b(?:model|network|graph|agent|benchmark|attack|image|video|transformer|robot|game|system|"
    r"autoencoder|token|kernel|equation|operator|prompt|experiment)$"
)
COMMON = 4
"""One in so many that write a phrase in the plural make that its spelling."""
_RUN = re.compile(r"[^\s()\[\]{},;:.!?\"“”—]+(?:[ \t\n][^\s()\[\]{},;:.!?\"“”—]+)*")
_WORD = re.compile(r"[^\W\d_][^\W_]*(?:[-'’+/][^\W_]+)*")


def phrases(text: str) -> Iterator[tuple[str, str]]:
    """Each phrase of up to LONGEST words as (key, as it stands there); equal keys, same phrase.

    A phrase does not reach over punctuation, stop words or idle words.
    """
    for run in _RUN.findall(text[:MAX_CHARS]):
        for telling, words in groupby(run.split(), _tells):
            if telling:
                yield from _grams([*words])


def key(phrase: str) -> str:
    """What phrases that differ in endings, capitals or hyphens have in common."""
    return " ".join(map(_stems, phrase.split()))


def spelling(phrase: str, surfaces: Sequence[str]) -> str:
    """How a phrase with a key is best written within a sentence, after its surfaces: spelt out,
    in the plural if that is common, and as most write it."""
    if phrase in SPELT_OUT:
        return _plural(SPELT_OUT[phrase])
    written = frozenset(surfaces)
    counts = Counter(_in_a_sentence(surface, written) for surface in surfaces)
    plurals = {name: count for name, count in counts.items() if _ENDS_IN_S.search(name)}
    if COMMON * sum(plurals.values()) >= len(surfaces):
        counts = Counter(plurals)
    return _plural(min(counts, key=lambda name: (abbreviates(name), -counts[name], name)))


def whole(papers: Mapping[str, int]) -> list[str]:
    """The keys that are no part of another which nearly as many papers have; ``papers`` counts
    these."""
    parts = {
        part
        for phrase, count in papers.items()
        for part in _parts(phrase)
        if count >= WIDER * papers.get(part, inf)
    }
    return [phrase for phrase in papers if phrase not in parts]


def _parts(phrase: str) -> Iterator[str]:
    """The shorter phrases that a phrase holds."""
    words = phrase.split()
    for length in range(1, len(words)):
        for first in range(len(words) - length + 1):
            yield " ".join(words[first : first + length])


def abbreviates(surface: str) -> bool:
    """Whether it has an abbreviation that stands for other words."""
    return any(word.lower() in ALIASES for word in surface.split())


def _plural(name: str) -> str:
    return f"{name}s" if _COUNTABLE.search(name) else name


def _in_a_sentence(surface: str, written: Set[str]) -> str:
    """A phrase as it stands within a sentence: a capital that is a title's or the sentence's goes;
    that of a name, which nobody writes otherwise, stays."""
    low = " ".join(w if any(map(str.isupper, w[1:])) else w.lower() for w in surface.split())
    named = surface.istitle() and len(surface.split()) > 1 and low not in written
    return surface if named and not _ORDINARY.issuperset(low.split()) else low


def _grams(words: list[str]) -> Iterator[tuple[str, str]]:
    stems = [*map(_stems, words)]
    for first in range(len(words)):
        for last in range(first + 1, min(first + LONGEST, len(words)) + 1):
            if _ends_well(words[last - 1]) and (last - first > 1 or _stands_alone(words[first])):
                yield " ".join(stems[first:last]), " ".join(words[first:last])


@lru_cache(maxsize=100_000)
def _ends_well(word: str) -> bool:
    """Whether a phrase may end with a word: it is no adjective."""
    low = word.lower()
    return low in _ANY_NOUN or not _ADJECTIVE.search(low)


def _stands_alone(word: str) -> bool:
    """Whether a word by itself can be a subject: by its form a noun, and no name."""
    low = word.lower()
    if low in ALIASES:
        return True
    noun = _NOUN.search(low) and not _VERB.search(low)
    return bool(noun) and low not in LONELY and word[1:].islower()


@lru_cache(maxsize=100_000)
def _tells(word: str) -> bool:
    low = word.lower()
    return (
        _WORD.fullmatch(word) is not None
        and (len(word) > 2 or low in ALIASES)
        and low not in IDLE
        and low not in STOP_WORDS
        and not low.endswith("ly")
    )


@lru_cache(maxsize=100_000)
def _stems(word: str) -> str:
    low = word.lower()
    parts = re.split(r"[-'’/+ ]", ALIASES.get(low, low))
    return " ".join(stem(part) for part in parts if part)


SPELT_OUT = {key(long): long for long in ALIASES.values()}
"""What abbreviations stand for, by key."""
_ORDINARY = LONELY | {word for long in ALIASES.values() for word in long.split()}
