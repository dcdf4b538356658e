"""The selectors by their names, with the parameters of the publication: for what is tested of levels, counts
and programs that are not convex, whatever a user gets by default.
"""

from __future__ import annotations

from reproduction.methods import PINNED

import qpfs


def made(cls, method, given):
    return cls(**PINNED[method] | given)


def selector(name, method):
    def published(n_features_to_select=None, **given):
        return made(getattr(qpfs, name), method, {"n_features_to_select": n_features_to_select, **given})

    published.__name__ = published.__qualname__ = name
    return published


QPFS = selector("QPFS", "qpfs")
NystromQPFS = selector("NystromQPFS", "nystrom")
MaxRel = selector("MaxRel", "maxrel")
MRMR = selector("MRMR", "mrmr")
TLKMQPFS = selector("TLKMQPFS", "tlkm")
IKMQPFS = selector("IKMQPFS", "ikm")
IKMAQPFS = selector("IKMAQPFS", "ikma")
