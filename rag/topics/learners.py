"""The learning algorithms behind topics, the only place here that knows scikit-learn.

Knows nothing of papers: matrices in, matrices out. Each runs on one thread and from a fixed
seed, since sums that are split over threads differ in their last bits and with them, now and
then, a paper's topic.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED = 0

STARTS = 10
"""How often k-means begins anew; the tightest outcome is kept."""

MANY = 100
"""Points from which on k-means is better; fewer go by Ward's method, which needs no lucky start."""

CLUSTER_DIMENSIONS, MAP_DIMENSIONS = 12, 30
"""Principal components that k-means and t-SNE see: the others are mostly noise, and slow."""

ITERATIONS = 500
"""Of t-SNE: half of what is usual, and the picture is the same to the eye."""


def latent(documents: Sequence[Sequence[str]], dimensions: int) -> NDArray[np.float64]:
    """Latent semantic analysis of lists of terms, shape (documents, at most ``dimensions``).

    A term that next to no document has, or most have, says nothing of kinship.
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    least = 2 if len(documents) < MANY else 5
    weigher = TfidfVectorizer(analyzer=list, min_df=least, max_df=0.6, sublinear_tf=True)
    nothing = np.zeros((len(documents), 0))
    try:
        weights = weigher.fit_transform(documents)
    except ValueError:  # not one term is left
        return nothing
    kept = min(dimensions, *(side - 1 for side in weights.shape))
    if kept < 1:
        return nothing
    with _one_thread():
        return np.asarray(TruncatedSVD(kept, random_state=SEED).fit_transform(weights))


def smoothed(
    points: NDArray[np.float64], views: Sequence[NDArray[np.float64]], neighbours: int, steps: int
) -> NDArray[np.float64]:
    """Unit vectors, each drawn ``steps`` times towards those of its neighbours.

    Neighbours are the nearest in each of the ``views``, of shape (points, any), by cosine.
    As in spectral clustering, but without its eigenvectors, a point between two crowds goes
    where most of its neighbours are.
    """
    from scipy.sparse import diags
    from sklearn.neighbors import kneighbors_graph
    from sklearn.preprocessing import normalize

    with _one_thread():
        links = sum(
            kneighbors_graph(view, neighbours, include_self=False) for view in views if view.size
        )
        links = links + links.T + 2 * len(views) * diags(np.ones(len(points)))
        scale = diags(1 / np.sqrt(np.asarray(links.sum(axis=1)).ravel()))
        step = scale @ links @ scale
        for _ in range(steps):
            points = normalize(step @ points)
    return points


def clustered(points: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """The number of each point's cluster, shape (points,); fewer than ``count`` where not so many
    points differ."""
    from sklearn.cluster import AgglomerativeClustering, KMeans
    from sklearn.decomposition import PCA
    from sklearn.exceptions import ConvergenceWarning

    with _one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # that there are fewer
        if len(points) < MANY:
            found = AgglomerativeClustering(count, linkage="ward").fit_predict(points)
        else:
            flat = PCA(min(CLUSTER_DIMENSIONS, *points.shape), random_state=SEED).fit_transform(
                points
            )
            found = KMeans(count, n_init=STARTS, random_state=SEED).fit_predict(flat)
    return np.asarray(found, np.int64)


def flattened(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places in two dimensions in which near points stay near (t-SNE), shape (points, 2)."""
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE

    with _one_thread():
        fewer = PCA(min(MAP_DIMENSIONS, *points.shape), random_state=SEED).fit_transform(points)
        placer = TSNE(
            perplexity=min(30.0, (len(points) - 1) / 3),
            init="pca",
            max_iter=ITERATIONS,
            random_state=SEED,
            n_jobs=1,
        )
        return np.asarray(placer.fit_transform(fewer), np.float64)


def _one_thread() -> AbstractContextManager[Any]:
    """Holds BLAS and OpenMP, once they are loaded, to one thread."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    limits: AbstractContextManager[Any] = threadpool_limits(limits=1)
    return limits
