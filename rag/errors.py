"""Every error that a user can meet. Each says what happened and what to do next.

::

    RagError
    ├── SourceError            a file cannot be read, or holds no abstract
    │   ├── NoAbstracts        a file was read and holds none
    │   ├── NoCases            an evaluation has nothing to run
    │   └── OnlineError        a public server fails, refuses, or has no such papers
    ├── QuestionError          a question, batch row or filter that cannot be worked with
    ├── PaperNotFound          no paper with that id in the index
    ├── DigestNotFound         no digest with that id is kept beside it
    ├── ConfigError            an unknown or impossible setting
    ├── EngineError            the engine asked for is not there
    ├── EmbedderError          the embedding weights are missing or not the tested ones
    ├── PromptError            a prompt file is missing, or its names are not those filled in
    ├── BudgetError            the next request would pass the budget
    ├── EndpointError          a model's server failed, or answered nonsense
    │   ├── EndpointUnreachable  nobody answers there, or not in time
    │   ├── KeyRefused         the key is missing, wrong, or not allowed to do this
    │   ├── QuotaExhausted     the account has nothing left; trying again does not help
    │   ├── RateLimited        too many requests, also after waiting
    │   ├── ModelUnknown       the server has no such model
    │   └── ContextOverflow    the texts do not fit into the model's window
    └── StoreError
        ├── StoreMissing       there is no index yet
        ├── StoreLocked        another process is writing
        ├── ServerFailed       the Chroma server is not there, refuses, or makes no sense
        ├── StoreUnwritable    no room, no permission, or a file where the folder should be
        ├── StoreTooNew        written by a newer version
        ├── EmbedderMismatch   built with another embedder
        └── StoreDamaged       parts are missing or contradict each other

The class's name is the ``type`` of the JSON error; ``fix`` is its ``fix``.
"""


class RagError(Exception):
    """Base of all expected errors: ``message`` says what happened, ``fix`` what to do next."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix

    def to_json(self) -> dict[str, str]:
        return {"type": type(self).__name__, "message": self.message, "fix": self.fix}


class SourceError(RagError):
    """A file cannot be read, or holds no abstract."""


class NoAbstracts(SourceError):
    """A file was read and holds no abstract."""


class NoCases(SourceError):
    """An evaluation has nothing to run, and so could say nothing."""


class OnlineError(SourceError):
    """A public server cannot be reached, refuses, fails, or has no such papers."""


class QuestionError(RagError):
    """A question, batch row or filter that cannot be worked with."""


class PaperNotFound(RagError):
    """No paper with that id is in the index."""


class DigestNotFound(RagError):
    """No digest with that id is kept beside the index."""


class ConfigError(RagError):
    """A setting is unknown or has an impossible value."""


class EngineError(RagError):
    """The engine asked for is not available."""


class EmbedderError(RagError):
    """The embedding weights are missing or are not the ones that were tested."""


class PromptError(RagError):
    """A prompt file is missing, or its names are not those that are filled in."""


class BudgetError(RagError):
    """The next request would pass the budget."""


class EndpointError(RagError):
    """A model's server failed, or answered what no client can use."""


class EndpointUnreachable(EndpointError):
    """Nobody answers at the endpoint, or not in time."""


class KeyRefused(EndpointError):
    """The key is missing, wrong, or not allowed to do this."""


class QuotaExhausted(EndpointError):
    """The account has nothing left; trying again does not help."""


class RateLimited(EndpointError):
    """The server asks for fewer requests, also after waiting."""


class ModelUnknown(EndpointError):
    """The server has no such model."""


class ContextOverflow(EndpointError):
    """The texts do not fit into the model's window."""


class StoreError(RagError):
    """Base of everything that can be wrong with an index folder."""


class StoreMissing(StoreError):
    """There is no index in the folder."""


class StoreLocked(StoreError):
    """Another process is writing to the index."""


class ServerFailed(StoreError):
    """The Chroma server that holds the vectors is not there, refuses, or makes no sense."""


class StoreUnwritable(StoreError):
    """The index folder cannot be written: no room, no permission, or not a folder."""


class StoreTooNew(StoreError):
    """The index was written by a newer version."""


class EmbedderMismatch(StoreError):
    """The index was built with another embedder."""


class StoreDamaged(StoreError):
    """Parts of the index are missing or contradict each other."""


HOPELESS = (EndpointUnreachable, KeyRefused, ModelUnknown, QuotaExhausted)
"""Failures of a server that every other request would meet, too."""
