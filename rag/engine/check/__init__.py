"""Does a statement rest on its quotes? One checker for chat, digests and evals.

``checker`` joins what the others find: ``figures`` numbers that are missing, ``naming`` names,
``places`` what stands in another's place, ``attribution`` what is said of the wrong paper,
``polarity`` and ``opposites`` what is said the other way round.
"""

from rag.engine.check.checker import Checker, Quoted, Verdict

__all__ = ["Checker", "Quoted", "Verdict"]
