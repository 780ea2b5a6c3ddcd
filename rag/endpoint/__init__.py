"""A server that speaks OpenAI's protocol: where it is, what can go wrong, when to try again.

Shared by the models that write and those that embed. ``client`` and ``patience`` load the client
library when a request is made.
"""

from rag.endpoint.address import DEFAULT_MODEL, OPENAI_URL, Endpoint

__all__ = ["DEFAULT_MODEL", "OPENAI_URL", "Endpoint"]
