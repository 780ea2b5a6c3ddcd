"""What a model wrote → sentences with the ids that they cite, for weak models and streams alike."""

from rag.engine.reply.reader import ReplyReader, read_reply
from rag.engine.reply.sieve import Said

__all__ = ["ReplyReader", "Said", "read_reply"]
