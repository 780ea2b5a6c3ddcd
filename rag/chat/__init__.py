"""A conversation with the papers, whoever leads it: what was said, and what can be kept of it."""

from rag.chat.conversation import Conversation

__all__ = ["Conversation"]
