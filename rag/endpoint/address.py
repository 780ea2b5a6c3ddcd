"""Where a model's server is and how to name it without giving a secret away."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import IPv6Address
from urllib.parse import urlsplit

from rag.errors import ConfigError
from rag.types import Secret

OPENAI_URL = "https://api.openai.com/v1"
DEFAULT_MODEL = "gpt-4.1-mini"
"""The model at OpenAI when none is named."""

LOOPBACK = ("localhost", "127.0.0.1", "::1")
LONGEST_SHOWN = 200
"""Characters of a server's own message that are shown."""
TELLING = 8
"""So many characters of a key in a row are not shown."""

SECRET_LIKE = re.compile(
    r"\b(?:sk|pk|rk|gsk|hf|xai)[-_][\w*.-]{6,}"
    r"|\bBearer\s+\S+"
    r"|\b(?=\w*\d)(?=\w*[A-Za-z])\w{32,}"  # long, with letters and digits
    r"|(?<=//)[^/\s]*@"  # a user and a password before a host
    r"|(?<=\S)\?[\w-]+=\S*"  # an address's query
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model at a server; ``base_url`` None is OpenAI's own. ``timeout`` in seconds.

    ``settings`` is how the names of its settings begin, so that an error can say which to
    change. Raises ConfigError for a base URL that cannot be one.
    """

    model: str
    base_url: str | None = field(default=None, repr=False)
    key: Secret | None = None
    timeout: float = 60.0
    settings: str = "RAG"

    def __post_init__(self) -> None:
        if self.base_url is not None and not _usable(self.base_url):
            message = (
                f"{self.settings}_BASE_URL is no server's address: {self.shown(self.base_url)}"
            )
            raise ConfigError(message, "give one such as http://localhost:11434/v1")

    @property
    def local(self) -> bool:
        """Whether the server is on this machine: it costs nothing and nothing leaves."""
        return bool(self.base_url) and urlsplit(self.base_url).hostname in LOOPBACK

    @property
    def place(self) -> str:
        """What to call the server: scheme, host and port, never what may hold a secret."""
        if self.base_url is None:
            return "OpenAI"
        url = urlsplit(self.base_url)
        host = f"[{url.hostname}]" if ":" in (url.hostname or "") else url.hostname
        return f"{url.scheme}://{host}" + (f":{url.port}" if url.port else "")

    def shown(self, text: str) -> str:
        """A text from outside in few printable characters, without anything that may be a key."""
        text = text[: 20 * LONGEST_SHOWN]
        if self.key and len(self.key.reveal()) >= 4:  # a shorter one is only a placeholder
            text = _without(text, self.key.reveal())
        text = " ".join(SECRET_LIKE.sub("…", text).split())
        text = "".join(character for character in text if character.isprintable())
        return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"


def _without(text: str, key: str) -> str:
    """The text without the key or any part of it, be it in other letters' sizes."""
    size = min(TELLING, len(key))
    parts = {key[i : i + size].lower() for i in range(len(key) - size + 1)}
    places = [i for i in range(len(text)) if text[i : i + size].lower() in parts]
    hidden = {i + more for i in places for more in range(size)}
    masked = ("…" if i in hidden else character for i, character in enumerate(text))
    return re.sub("…{2,}", "…", "".join(masked))


def _usable(base_url: str) -> bool:
    try:
        url = urlsplit(base_url)
        url.port  # noqa: B018  a port that is none raises when it is looked at
        named = _nameable(url.hostname or "", in_brackets="[" in url.netloc)
    except ValueError:
        return False
    plain = base_url.isprintable() and " " not in base_url
    return plain and url.scheme in ("http", "https") and named


def _nameable(host: str, *, in_brackets: bool) -> bool:
    """Whether it can be a host; raises ValueError for some that cannot."""
    if in_brackets:
        IPv6Address(host)
    elif host.isascii():
        host.encode("idna")  # its labels are neither empty nor too long
    else:
        import idna

        idna.encode(host)  # knows which characters a name may have
    return bool(host)
