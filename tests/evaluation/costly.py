"""Selectors whose cost is known, or that come to a bad end."""

from __future__ import annotations

import os
import signal
import time

import numpy as np
from sklearn.base import BaseEstimator


class Hungry(BaseEstimator):
    """Takes some megabytes, and lets them go."""

    def __init__(self, megabytes=0):
        self.megabytes = megabytes

    def fit(self, X, y):
        self.order_ = np.arange(X.shape[1])
        if X.shape[1] > 200:  # not while warming up
            np.ones(self.megabytes * 2**17).sum()
        return self


class Slow(Hungry):
    def fit(self, X, y):
        time.sleep(60)


class Killed(Hungry):
    """Ends as where memory runs out."""

    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGKILL)


class Failing(Hungry):
    def fit(self, X, y):
        raise ValueError("no such luck")
