"""Mutual information by blocked one-hot products: the best plain NumPy does.

Letters. Z the one-hot codes, one row for each level and feature; C = Z Z' the joint counts of all levels;
T(n) = n log n; I = (T(N) + sum T(C) - sum T(n_i) - sum T(n_j)) / N.

Counts are exact in float32, where products are fastest; n log n is read from a table and summed in float64,
as precise as the kernels it is compared with. Further forms are for orientation: `Logarithms` takes them
anew, `Single` does so in float32 and agrees with the definition to 1e-5 only; `Dropped` leaves out the
products that the margins imply, also in float32.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

BLOCK = 160  # features a side: counts and logarithms of a block stay in a megabyte or two of cache


class OneHot:
    """The codes 0, 1, 2 of some features, ready for products."""

    levels: tuple[int, ...] = (0, 1, 2)
    kind: type = np.float64

    def __init__(self, codes: NDArray[np.uint8]) -> None:
        self.n, self.m = codes.shape
        by_feature = np.ascontiguousarray(codes.T)
        self.Z = np.empty((len(self.levels), self.m, self.n), np.float32)
        for plane, level in zip(self.Z, self.levels, strict=True):
            np.equal(by_feature, level, out=plane)
        self.counts = np.stack([(by_feature == level).sum(1) for level in range(3)])

    @cached_property
    def margins(self) -> NDArray[np.floating]:
        """Each feature's sum of T, with half of T(N) taken off."""
        whole = self.n * np.log(self.n)
        return (t(self.counts.astype(float)).sum(0) - whole / 2).astype(self.kind)

    def joint(self, rows: slice, columns: slice) -> NDArray[np.float32]:
        """C: (levels, rows, levels, columns)."""
        left = self.Z[:, rows].reshape(-1, self.n)
        right = self.Z[:, columns].reshape(-1, self.n)
        levels = len(self.levels)
        product = left @ right.T
        return product.reshape(levels, len(left) // levels, levels, len(right) // levels)

    @cached_property
    def table(self) -> NDArray[np.floating]:
        return t(np.arange(self.n + 1.0)).astype(self.kind)

    def block(self, rows: slice, columns: slice) -> NDArray[np.floating]:
        C = self.joint(rows, columns).astype(np.intp)
        terms = np.take(self.table, C, mode="clip")
        return self.finished(terms.sum(axis=(0, 2)), rows, columns)

    def finished(self, total: NDArray[np.floating], rows: slice, columns: slice) -> NDArray[np.floating]:
        total -= self.margins[rows, None]
        total -= self.margins[columns]
        total *= self.kind(1 / self.n)
        return total

    def columns(self, rows: slice, width: int = 512) -> NDArray[np.floating]:
        """I of some features with all."""
        out = np.empty((len(range(self.m)[rows]), self.m), self.kind)
        for start in range(0, self.m, width):
            some = slice(start, start + width)
            out[:, some] = self.block(rows, some)
        return out

    def matrix(self, width: int = BLOCK) -> NDArray[np.floating]:
        """Q: all features with all, each pair once."""
        Q = np.empty((self.m, self.m), self.kind)
        for i in range(0, self.m, width):
            rows = slice(i, i + width)
            for j in range(i, self.m, width):
                columns = slice(j, j + width)
                Q[rows, columns] = self.block(rows, columns)
                if j > i:
                    Q[columns, rows] = Q[rows, columns].T
        return Q


class Logarithms(OneHot):
    """The same with the logarithms of a whole block taken anew."""

    def block(self, rows: slice, columns: slice) -> NDArray[np.floating]:
        """I of some features with some others."""
        terms = t(self.joint(rows, columns).astype(self.kind, copy=False))
        by_level = terms[0]
        by_level += terms[1]
        by_level += terms[2]
        total = by_level[:, 0] + by_level[:, 1]
        total += by_level[:, 2]
        return self.finished(total, rows, columns)


class Single(Logarithms):
    """The same in float32."""

    kind = np.float32


class Dropped(OneHot):
    """Products for two of three levels; the rest of the counts by subtraction from the margins."""

    levels = (1, 2)
    kind = np.float32

    def block(self, rows: slice, columns: slice) -> NDArray[np.floating]:
        C = self.joint(rows, columns)
        rest = self.rest(C, rows, columns)
        total = t(rest).sum(0)
        terms = t(C)
        for cell in (terms[0, :, 0], terms[0, :, 1], terms[1, :, 0], terms[1, :, 1]):
            total += cell
        return self.finished(total, rows, columns)

    def rest(self, C: NDArray[np.float32], rows: slice, columns: slice) -> NDArray[np.float32]:
        """The counts of the five cells with level 0."""
        n_i = self.counts[:, rows, None].astype(np.float32)
        n_j = self.counts[:, columns].astype(np.float32)
        rest = np.empty((5, *C[0, :, 0].shape), np.float32)
        for level in (0, 1):
            np.subtract(n_j[level + 1], C[0, :, level], out=rest[level])
            rest[level] -= C[1, :, level]
            np.subtract(n_i[level + 1], C[level, :, 0], out=rest[level + 2])
            rest[level + 2] -= C[level, :, 1]
        np.subtract(n_i[0], rest[0], out=rest[4])
        rest[4] -= rest[1]
        return rest


def matrix_jobs(codes: NDArray[np.uint8], form: type[OneHot] = OneHot) -> list[Callable[[], Any]]:
    """Q from codes with one thread for the products and with two: the better one counts.

    Two threads are the slower ones on a busy machine, where they wait for each other.
    """

    def job(n_threads: int) -> Callable[[], Any]:
        def run() -> None:
            with threadpool_limits(n_threads):
                form(codes).matrix()

        return run

    return [job(1), job(2)]


def t(n: NDArray[np.floating]) -> NDArray[np.floating]:
    """n log n."""
    terms = np.maximum(n, 1)
    np.log(terms, out=terms)
    terms *= n
    return terms
