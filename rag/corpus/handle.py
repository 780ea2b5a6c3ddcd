"""What to call a paper in a word or two: its system's name or else its subject.

Knows how titles and abstracts introduce what they bring; knows nothing about files.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from rag.corpus.sentences import HEADING, OPENERS, sentence_spans

MAX_HANDLE_CHARS = 60

_HEADED = re.compile(rf"^{HEADING}[:.]\s")

_VERB = (
    r"\b(?:introduc(?:es?|ed|ing)|propos(?:es?|ed|ing)|present(?:s|ed|ing)?|develop(?:s|ed|ing)?|"
    r"design(?:s|ed|ing)?|contribut(?:es?|ing)|releas(?:es?|ed|ing)|creat(?:es?|ed|ing)|"
    r"construct(?:s|ed|ing)?|build|built|establish|devise[sd]?|formulate|unify|curate[sd]?|offer|"
    r"provide|describe|called|termed|dubbed|named|namely|coined|denoted|(?:we|which) (?:call|term|"
    r"dub|name)|call it|refer(?:red)? to(?: it)? as|i\.e\.,)(?=\W)"
)
_OURS = re.compile(
    r"\b(?:we|our|here|(?:this|the|present) (?:paper|work|study|article))\b", re.IGNORECASE
)
_INTRODUCING = re.compile(_VERB)

# The look ahead for a capital is there for speed: most words have none.
_NAME = r"(?<!\w)(?P<name>(?=\S{0,40}[A-Z])[^\W_](?:[\w*+]|[-&/.@](?=\w)){0,40})"
_ASIDE = r"(?:\s\([^()]{0,100}\))?"
_QUOTE = r"[\"“‘']?"
_FILLING = (
    r"(?:\s(?:as|it|the|an?|our|two|both|new|novel|simple|first|framework|method|approach|model|"
    r"algorithm|architecture|benchmark|dataset|system|called|named|termed|dubbed|namely))*"
)
_OUTCOME = (
    r"(?:achieves|outperforms|improves|surpasses|consistently|significantly|substantially|"
    r"enables|reduces|attains|matches|delivers|yields|exceeds|generalizes)"
)

# What speaks for a name, with its weight: behind an introducing verb of the authors...
_INTRODUCED = (
    (6.0, re.compile(rf"{_VERB}{_FILLING}\s{_QUOTE}{_NAME}(?![\w-]|\s[A-Z][a-z])")),
    (4.0, re.compile(rf"\({_QUOTE}{_NAME}{_QUOTE}[),;:]")),
    (3.0, re.compile(rf"[,:—–]\s{_QUOTE}{_NAME}{_QUOTE}{_ASIDE}(?=[,.:;—–]|\s–)")),
    (3.0, re.compile(rf"{_NAME}{_QUOTE}{_ASIDE},\s(?:an?|the|our|which)\b")),
)
# ... and anywhere.
_MENTIONED = (
    (1.0, re.compile(rf"^{_NAME}\s\w")),
    (1.0, re.compile(rf"{_NAME}\s{_OUTCOME}\b")),
    (1.5, re.compile(rf"\bthat\s{_NAME}\s{_OUTCOME}\b")),
    (1.0, re.compile(rf"\b[Oo]ur\s(?:\w+\s)?{_NAME}")),
    (0.5, re.compile(_NAME)),
)
# A name that is an ordinary word is known by its capital and by what follows it.
_CAPITALISED = (
    re.compile(rf"{_VERB}{_FILLING}\s{_QUOTE}(?P<name>[A-Z][a-z]+){_QUOTE}(?=[,:]|\s[(—–])"),
    re.compile(rf"{_VERB}{_FILLING}\s{_QUOTE}(?P<name>[A-Z][a-z]+(?:[ -][A-Z][a-z]+)+)"),
    re.compile(rf"{_VERB}(?:\s[a-z][\w-]*){{1,3}}\s(?P<name>[A-Z][a-z]+(?:[ -][A-Z][a-z]+)+)"),
)
# What stands before the first introduction is known already.
_BACKGROUND = ((-6.0, re.compile(_NAME)),)
_ENOUGH = 3.0
_MENTION = re.compile(_NAME)
_LEADS = re.compile(rf"{_NAME}(?:'s)?(?=[\s,])")
_MAX_TITULAR_WORDS = 3
_Cues = tuple[tuple[float, re.Pattern[str]], ...]

_NAME_LIKE = re.compile(r"(?=.*[A-Z]).+[A-Z\d]")  # a capital or digit that is not the first
_NO_NAME = re.compile(
    r"[A-Z]s$|-[a-z]{3,}$|^(?:LLM|MLLM|LMM|VLM|LRM|RL|AI|ML|NLP|CV|GPU|CPU|API|SOTA|CoT|SFT|DPO|"
    r"PPO|GRPO|RLHF|RLVR|RAG|MLP|CNN|GNN|MDP|ViT|KL|3D|2D|LoRA|GPT.*|State-.*|SGD|OT|DP|ICL|TTS|ASR|"
    r"SAC|CBM|NTK|MAP|GCRL|HITL|HSIC|SAE|SAM|OOD|IID|PCA|GAN|VAE|LSTM|RNN|SSM|DNN|MoE|DiT|NeRF|3DGS|"
    r"ODE|SDE|PDE|UCB|MCTS|SVM|TD|EM|KV|MRI|CT|EEG|DNA|RNA|CLIP|BERT|LLaMA.*|Qwen.*|DeepSeek.*|Claude.*|"
    r"Gemini.*|MNIST|SVHN|CIFAR.*|ImageNet.*|COCO|GSM8K|MATH.*|AIME.*|MMLU.*|\w+@\w+)$"
)
"""What is written like a name and belongs to everybody: notions, and what all compare with."""

_STUDYING = re.compile(
    r"\b(?:stud(?:y|ies)|investigat(?:es?|ing)|examin(?:es?|ing)|analy[sz](?:es?|ing)|"
    r"explor(?:es?|ing)|address(?:es)?|focus(?:es)? on|consider|revisit|tackle|characteri[sz]e|"
    r"propos(?:es?|ing)|introduc(?:es?|ing)|present(?:s|ing)?|develop(?:s|ing)?|provides?|conduct|"
    r"perform|design|establish|verif(?:y|ies)|show|hypothesize|challenge|scrutinize)\s"
)
_LEADING = re.compile(
    r"^(?:(?:that|an?|the|this|these|our|its|their|several|two|three|both|some|first|new|novel|"
    r"simple|key|general|unified|comprehensive|systematic|extensive|empirical|theoretical|"
    r"fundamental|detailed|in-depth|large-scale|principled|efficient|effective|provably|critical|"
    r"problem of|question of|(?:analys[ie]s|study|investigation|framework|method|approach|"
    r"role|class|problem|theory|understanding|issue|techniques?) (?:of|for|on|into))\s)+"
)
_NO_PHRASE = re.compile(
    rf"\s*(?:{'|'.join(sorted(OPENERS))}|currently|authors|only|less|more|most|many|various|"
    r"other|another|very|yet|it|its|we|they|there|towards?|are|is|do|does|can|what|why|not|no|\d+%?|"
    r"of|by|with|from|how|whether|when|gap|"
    r"(?:introduces|recent advanc|recent progress)\w*)\b",
    re.IGNORECASE,
)
"""What begins a sentence rather than a name for its subject."""
_BROAD = re.compile(
    r"(?:(?:large|small|vision|visual|multimodal) )*language models?|scaling laws?|"
    r"knowledge distillation|(?:diffusion|generative|foundation|reward|world|reasoning) models?|"
    r"(?:neural|deep) networks?|gradient descent|in-context learning|chain-of-thought reasoning|"
    r"(?:deep |offline |online )?(?:reinforcement|machine|deep|representation|federated|continual|"
    r"transfer|supervised|contrastive|imitation|meta) learning|optimal transport|"
    r"(?:unifying|unified|proposed|new|novel) (?:framework|method|approach)",
    re.IGNORECASE,
)
"""What hundreds of papers are about, so that it tells none from another."""
_PHRASE_END = re.compile(
    r"[.,;:()!?—\"“]|\s–|\s(?:that|which|who|whose|to|by|via|with|in|for|from|under|when|where|"
    r"as|using|based|while|through|at|on|whether|how|is|are|was|can|has|have|remains?|must|may|should|"
    r"and|or|without|within|across|between|toward|towards|into|over|if|because)\b"
)
_JOINING = frozenset(("of", "for", "in", "on", "from", "with", "between"))
_SMALL = _JOINING | {"a", "an", "the", "and", "or", "to"}
_MAX_WORDS = 6


def find_handle(text: str, title: str | None = None) -> str:
    """The name of what the paper introduces, else a short noun phrase of its subject.

    At most MAX_HANDLE_CHARS characters; empty only if ``text`` is.
    """
    sentences = [_HEADED.sub("", text[start:end]) for start, end in sentence_spans(text)]
    opening = _HEADED.sub("", text).strip() or text.strip()
    name = _titular(text, title or "") or _name(sentences) or _repeated(sentences)
    return _shortened(name or _entitled(title or "") or _subject(sentences) or opening)


def _titular(text: str, title: str) -> str | None:
    """The "Name" of a title "Name: what it is", as the abstract spells it."""
    name, colon, _ = title.partition(":")
    if not colon or len(name.split()) > _MAX_TITULAR_WORDS:
        return None
    found = re.search(rf"(?<!\w){re.escape(name.strip())}(?!\w)", text, re.IGNORECASE)
    return found[0] if found else None


def _entitled(title: str) -> str:
    """What a title without a name in it calls its paper: all before a colon if that is short,
    else the noun phrase that it begins with, else its beginning."""
    head, colon, _ = title.partition(": ")
    if colon and 1 < len(head.split()) <= _MAX_WORDS:
        return head.strip()
    return _noun_phrase(title) or title.strip()


def _repeated(sentences: list[str]) -> str | None:
    """The name in most sentences, where it begins one: who talks about it need not introduce it."""
    counts = Counter(
        name
        for sentence in sentences
        for name in dict.fromkeys(found["name"] for found in _MENTION.finditer(sentence))
        if _is_name(name)
    )
    leading = {found["name"] for sentence in sentences if (found := _LEADS.match(sentence))}
    name, count = max(
        ((name, count) for name, count in counts.items() if name in leading),
        key=lambda pair: pair[1],
        default=("", 0),
    )
    return name if count > 1 else None


def _shortened(handle: str) -> str:
    if len(handle) <= MAX_HANDLE_CHARS:
        return handle
    words = handle[: MAX_HANDLE_CHARS + 1].rpartition(" ")[0].split()
    while words and words[-1].lower() in _SMALL:
        words.pop()
    return " ".join(words) or handle[:MAX_HANDLE_CHARS]


def _name(sentences: list[str]) -> str | None:
    """The name with the most evidence; of equals the one that is met first."""
    scores: defaultdict[str, float] = defaultdict(float)
    introduced = False
    for sentence in sentences:
        verb = _INTRODUCING.search(sentence)
        if verb and _OURS.search(sentence):
            _weigh(scores, _INTRODUCED, sentence[verb.start() :])
            introduced = True
        _weigh(scores, _MENTIONED, sentence)
        if not introduced:
            _weigh(scores, _BACKGROUND, sentence)
    name = max(scores, key=lambda name: scores[name], default="")
    return name if scores[name] >= _ENOUGH else _capitalised(sentences)


def _capitalised(sentences: list[str]) -> str | None:
    ours = [sentence for sentence in sentences if _OURS.search(sentence)]
    found = (cue.search(sentence) for cue in _CAPITALISED for sentence in ours)
    return next((match["name"] for match in found if match), None)


def _weigh(scores: defaultdict[str, float], cues: _Cues, text: str) -> None:
    for weight, cue in cues:
        for name in dict.fromkeys(found["name"] for found in cue.finditer(text)):
            if _is_name(name):
                scores[name] += weight


def _is_name(word: str) -> bool:
    """Whether it is written like the name of a system: ParaS2S, BERT, iJKOnet, Vision-Zero."""
    return bool(_NAME_LIKE.match(word)) and not _NO_NAME.search(word)


def _subject(sentences: list[str]) -> str | None:
    """What the authors say they study, else what the abstract begins with, as a title."""
    studied = (
        sentence[verb.end() :]
        for sentence in sentences
        if _OURS.search(sentence)
        for verb in _STUDYING.finditer(sentence)
    )
    phrases = [*filter(None, map(_noun_phrase, (*studied, *sentences[:1])))]
    telling = (phrase for phrase in phrases if not _BROAD.fullmatch(phrase))
    return next(telling, phrases[0] if phrases else None)


def _noun_phrase(text: str) -> str | None:
    """The 2 to 6 words that ``text`` begins with, up to where a noun phrase ends.

    A single word and a broad notion go on over a preposition: "learning from mixtures".
    """
    phrase = " " + _LEADING.sub("", text.strip())
    if _NO_PHRASE.match(phrase):
        return None
    for end in _PHRASE_END.finditer(phrase + "."):
        words = phrase[: end.start()].split()[:_MAX_WORDS]
        while words and words[-1].lower() in _SMALL:
            words.pop()
        goes_on = end[0].strip() in _JOINING
        if len(words) > 1 and not (goes_on and _BROAD.fullmatch(" ".join(words))):
            return " ".join(map(_titled, words))
        if not words or not goes_on:
            return None
    return None


def _titled(word: str) -> str:
    return word if word in _SMALL else word[:1].upper() + word[1:]
