"""What a question in a conversation means: by rules on its wording, or as a model puts it."""

from rag.engine.follow_up.rules import resolve

__all__ = ["resolve"]
