"""The index folder: who may write, what is in it, how it changes. Knows no retrieval.

::

    index_store/
      manifest.json       what is valid now; replaced last, so a change is whole or absent
      lock, writer.json   one writer at a time, and who it is
      chroma/             the store of record for vectors, readable by any Chroma client
      generations/N/      what readers map into memory: records, papers, vectors, BM25; the
                          valid one and the one before
      generations/unfinished/   there while a writer is at work, or was stopped at it
      responses/, summaries/    what models replied, and papers' lines, kept by those who made them
"""
