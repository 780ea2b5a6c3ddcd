"""Digests and atlases as pages, documents and pictures. Returns text; reads and writes no index."""
