"""Why an answer is what it is: values first, then plain sentences of them."""

from rag.engine.explaining.telling import told
from rag.engine.explaining.values import Explanation
from rag.engine.explaining.why import explain, explain_search

__all__ = ["Explanation", "explain", "explain_search", "told"]
